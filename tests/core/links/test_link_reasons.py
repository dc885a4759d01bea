"""What a reader is told about a link: the reason, not only the kind."""

import pytest

from holdfast.core.links.citation import KeptEvidence
from holdfast.core.links.evidence import reason_of, sight
from holdfast.core.links.link_state import LinkState
from holdfast.core.web.capture import Denial, Denied, Failed, Failure, TimedOut

pytestmark = pytest.mark.spec("TRK-14")


def reason(outcome):
    sighting = sight(outcome)
    return reason_of(sighting.state, sighting.evidence)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Failed(Failure.TLS, "certificate has expired", transient=False), "expired"),
        (Failed(Failure.TLS, "self-signed certificate", transient=False), "signed by nobody known"),
        (Failed(Failure.TLS, "Hostname mismatch", transient=False), "another name"),
        (Failed(Failure.REDIRECT_LOOP, "back at https://h.org/a", transient=False), "loop: back at https://h.org/a"),
        (Failed(Failure.TOO_MANY_REDIRECTS, "11", transient=False), "too many redirects"),
        (Failed(Failure.BAD_REDIRECT, "301 without Location", transient=False), "301 without Location"),
        (Failed(Failure.ENCODING, "bad gzip", transient=False), "could not be decompressed: bad gzip"),
        (Failed(Failure.SHORT_BODY, "", transient=True), "broke off before its end"),
        (Failed(Failure.CONNECT, "Connection refused", transient=True), "the connection was refused"),
        (Failed(Failure.RESET, "Connection reset by peer", transient=True), "the connection broke"),
        (Failed(Failure.DNS, "Name or service not known", transient=True), "has no address"),
        (Failed(Failure.DNS, "Temporary failure in name resolution", transient=True), "just now"),
        (TimedOut("connect", "x"), "no connection in time"),
        (Denied(Denial.ADDRESS, "127.0.0.1 is loopback"), "127.0.0.1 is loopback; --allow-private asks it"),
        (Denied(Denial.ROBOTS, "Disallow: /x"), "robots.txt forbids it: Disallow: /x"),
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_what_happened_is_said(outcome, words):
    assert words in reason(outcome)


def test_each_failure_and_denial_has_a_sentence_of_its_own():
    outcomes = [Failed(failure, "why", transient=False) for failure in Failure]
    outcomes += [Denied(denial, "why") for denial in Denial]
    for outcome in outcomes:
        if outcome != Failed(Failure.STATUS, "why", transient=False) and "rate_limited" not in str(outcome):
            assert reason(outcome) != sight(outcome).state.sentence, outcome


@pytest.mark.parametrize(
    ("state", "evidence", "words"),
    [
        (LinkState.AUTH_REQUIRED, {"rule": "wants-identity", "status": 403}, "403 to programs"),
        (LinkState.AUTH_REQUIRED, {"rule": "wants-identity", "status": 401}, "wants a login (401)"),
        (LinkState.RATE_LIMITED, {"rule": "rate-limit", "status": 429, "header": "after: 60"}, "after: 60"),
        (LinkState.NOT_FOUND, {"rule": "not-found", "status": 404}, "no such page (404)"),
        (LinkState.SERVER_ERROR, {"rule": "server-status", "status": 503}, "the server failed (503)"),
        (LinkState.REFUSED, {"rule": "client-status", "status": 418}, "(418)"),
        (LinkState.OK, {"rule": "answered", "status": 200}, "it answered"),
    ],
)  # fmt: skip
def test_a_status_is_named_with_what_it_means(state, evidence, words):
    assert words in reason_of(state, KeptEvidence(**evidence))
