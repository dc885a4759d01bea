"""States, confirmation, change and recheck, as tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.hashing import ContentHash, url_key
from holdfast.core.links.after_look import is_due
from holdfast.core.links.citation import Bid, CitedPlace
from holdfast.core.links.evidence import sight
from holdfast.core.links.link_state import (
    FAILING,
    LinkState,
    Looks,
    Revision,
    Standing,
    after_fetch,
    after_look,
    due_at,
    standing_of,
)
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Fetched,
    Gone,
    Hop,
    NotModified,
    RedirectedAway,
    TimedOut,
    Trail,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
URL = parse_url("https://e.org/page")
NEW = parse_url("https://e.org/new")


def capture(status=200, *headers, body=b"<p>hello</p>", hops=(), final=None):
    return Capture(
        URL,
        final or (hops[-1].location if hops else URL),
        status,
        (("Content-Type", "text/html"), *headers),
        body,
        NOW,
        tuple(hops),
    )


def answered(status, *headers, **more):
    made = capture(status, *headers, **more)
    if status in (404, 410):
        return Gone(made)
    return (
        Fetched(made)
        if status < 300
        else Failed(Failure.STATUS, f"status {status}", transient=False, capture=made)
    )


def hop(status, target=NEW):
    return Hop(URL, status, target)


CHALLENGE = b"<html><head><title>Just a moment...</title></head></html>"
TABLE = [
    (answered(200), LinkState.OK, "answered"),
    (answered(204), LinkState.OK, "answered"),
    (NotModified(capture(304)), LinkState.OK, "answered"),
    (answered(200, hops=[hop(301)]), LinkState.MOVED_PERMANENT, "redirected"),
    (answered(200, hops=[hop(308), hop(301)]), LinkState.MOVED_PERMANENT, "redirected"),
    (answered(200, hops=[hop(301), hop(302)]), LinkState.MOVED_TEMPORARY, "redirected"),
    (answered(200, hops=[hop(307)]), LinkState.MOVED_TEMPORARY, "redirected"),
    (answered(200, hops=[hop(301, parse_url("https://e.org/page/"))]), LinkState.OK, "answered"),
    (answered(404), LinkState.NOT_FOUND, "not-found"),
    (answered(410), LinkState.GONE, "gone"),
    (answered(401, ("WWW-Authenticate", "Basic")), LinkState.AUTH_REQUIRED, "wants-identity"),
    (answered(403), LinkState.AUTH_REQUIRED, "wants-identity"),
    (answered(407), LinkState.AUTH_REQUIRED, "wants-identity"),
    (answered(403, ("CF-Mitigated", "challenge")), LinkState.BOT_BLOCKED, "challenge-header"),
    (answered(200, ("cf-mitigated", "challenge")), LinkState.BOT_BLOCKED, "challenge-header"),
    (answered(404, ("cf-mitigated", "challenge")), LinkState.BOT_BLOCKED, "challenge-header"),
    (answered(403, body=CHALLENGE), LinkState.BOT_BLOCKED, "challenge-page"),
    (answered(503, body=CHALLENGE), LinkState.BOT_BLOCKED, "challenge-page"),
    (answered(202, ("x-amzn-waf-action", "challenge")), LinkState.BOT_BLOCKED, "challenge-header"),
    (answered(202), LinkState.BOT_BLOCKED, "accepted-only"),
    (answered(999), LinkState.BOT_BLOCKED, "status-999"),
    (answered(429, ("Retry-After", "60")), LinkState.RATE_LIMITED, "rate-limit"),
    (answered(403, ("X-RateLimit-Remaining", "0")), LinkState.RATE_LIMITED, "rate-limit"),
    (Deferred(NOW + HOUR, "later"), LinkState.RATE_LIMITED, "deferred"),
    (Failed(Failure.RATE_LIMITED, "x", transient=True), LinkState.RATE_LIMITED, "failed-rate_limited"),
    (answered(408), LinkState.TIMEOUT, "request-timeout"),
    (TimedOut("connect", "x"), LinkState.TIMEOUT, "timed-out-connect"),
    (answered(500), LinkState.SERVER_ERROR, "server-status"),
    (answered(503), LinkState.SERVER_ERROR, "server-status"),
    (answered(418), LinkState.REFUSED, "client-status"),
    (Failed(Failure.DNS, "x", transient=True), LinkState.DNS_ERROR, "failed-dns"),
    (Failed(Failure.CONNECT, "x", transient=True), LinkState.CONNECT_ERROR, "failed-connect"),
    (Failed(Failure.RESET, "x", transient=True), LinkState.CONNECT_ERROR, "failed-reset"),
    (Failed(Failure.TLS, "x", transient=False), LinkState.TLS_ERROR, "failed-tls"),
    (Failed(Failure.REDIRECT_LOOP, "x", transient=False), LinkState.SERVER_ERROR, "failed-redirect_loop"),
    (Failed(Failure.SHORT_BODY, "x", transient=True), LinkState.SERVER_ERROR, "failed-short_body"),
    (Denied(Denial.SIZE, "x"), LinkState.TOO_LARGE, "denied-size"),
    (Denied(Denial.ROBOTS, "x"), LinkState.REFUSED, "denied-robots"),
    (Denied(Denial.ADDRESS, "x"), LinkState.REFUSED, "denied-address"),
    (Denied(Denial.SCHEME, "x"), LinkState.UNSUPPORTED, "denied-scheme"),
    (RedirectedAway(NEW, Trail()), LinkState.REFUSED, "redirected-away"),
]


@pytest.mark.spec("TRK-6")
@pytest.mark.parametrize(("outcome", "state", "rule"), TABLE, ids=lambda value: str(value)[:40])
def test_an_outcome_has_its_state_and_its_rule(outcome, state, rule):
    sighting = sight(outcome)
    assert (sighting.state, sighting.evidence.rule) == (state, rule)


@pytest.mark.spec("TRK-6")
def test_every_failure_and_denial_has_a_state():
    for failure in Failure:
        assert sight(Failed(failure, "", transient=False)).state in LinkState
    for denial in Denial:
        assert sight(Denied(denial, "")).state in LinkState


@pytest.mark.spec("TRK-6")
def test_the_set_of_states_is_closed_and_each_has_standing_and_sentence():
    assert all(state.sentence and state.standing in Standing for state in LinkState)
    assert not [state for state in LinkState if state.standing is Standing.DEAD]
    assert {
        state for state in LinkState if standing_of(state, Looks(99, NOW, NOW + 999 * HOUR)) is Standing.DEAD
    } == FAILING


def seen(*looks):
    count = Looks()
    for state, hours in looks:
        count = after_look(count, state, NOW + hours * HOUR)
    return standing_of(looks[-1][0], count)


NF, GN, TO, CE, OK, BB = (
    LinkState.NOT_FOUND,
    LinkState.GONE,
    LinkState.TIMEOUT,
    LinkState.CONNECT_ERROR,
    LinkState.OK,
    LinkState.BOT_BLOCKED,
)


@pytest.mark.spec("TRK-6")
@pytest.mark.parametrize(
    ("looks", "standing"),
    [
        ([(NF, 0)], Standing.SUSPECT),
        ([(NF, 0), (NF, 0)], Standing.DEAD),
        ([(GN, 0), (NF, 1)], Standing.DEAD),
        ([(NF, 0), (OK, 1), (NF, 2)], Standing.SUSPECT),
        ([(TO, 0), (TO, 1), (TO, 47)], Standing.SUSPECT),
        ([(TO, 0), (TO, 1), (TO, 48)], Standing.DEAD),
        ([(TO, 0), (CE, 72)], Standing.SUSPECT),
        ([(TO, 0), (CE, 30), (TO, 60)], Standing.DEAD),
        ([(TO, 0), (OK, 1), (TO, 50), (TO, 99)], Standing.SUSPECT),
        ([(NF, 0), (BB, 1)], Standing.UNKNOWN),
        ([(NF, 0), (BB, 1), (NF, 2)], Standing.DEAD),
        ([(BB, 0), (BB, 100), (BB, 200)], Standing.UNKNOWN),
        ([(OK, 0)], Standing.ALIVE),
    ],
)
def test_only_confirmed_failures_are_dead(looks, standing):
    assert seen(*looks) is standing


@pytest.mark.spec("TRK-6")
def test_eager_confirms_at_once_and_only_failures():
    assert standing_of(TO, Looks(1, NOW, NOW), eager=True) is Standing.DEAD
    assert standing_of(BB, Looks(), eager=True) is Standing.UNKNOWN
    assert standing_of(OK, Looks(), eager=True) is Standing.ALIVE


@pytest.mark.spec("TRK-6")
@given(st.lists(st.tuples(st.sampled_from(sorted(LinkState)), st.floats(0, 200))))
def test_a_url_that_answered_last_is_never_dead(looks):
    assert seen(*looks, (OK, 999)) is Standing.ALIVE


C, D, E = (ContentHash(letter * 64) for letter in "cde")


@pytest.mark.spec("TRK-7")
@pytest.mark.parametrize(
    ("fetches", "eager", "recorded", "changes"),
    [
        ([C], False, C, 0),
        ([C, C], False, C, 0),
        ([C, D], False, C, 0),
        ([C, D, D], False, D, 1),
        ([C, D, C], False, C, 0),
        ([C, D, C, D], False, C, 0),
        ([C, D, E], False, E, 1),
        ([C, D], True, D, 1),
        ([C, D, D, D], False, D, 1),
        ([C, D, D, C, C], False, C, 2),
    ],
)
def test_a_revision_is_new_when_two_successive_fetches_differ(fetches, eager, recorded, changes):
    revision, count = Revision(), 0
    for content in fetches:
        revision = after_fetch(revision, content, eager=eager)
        count += revision.is_new
    assert (revision.recorded, count) == (recorded, changes)


@pytest.mark.spec("TRK-4")
def test_the_ttl_is_stretched_by_the_key_and_never_shrunk():
    ttl = timedelta(hours=24)
    times = [due_at(url_key(str(n)), Standing.ALIVE, NOW, ttl=ttl) - NOW for n in range(200)]
    assert min(times) >= ttl
    assert max(times) <= ttl * 1.25
    assert len(set(times)) > 190
    assert times[7] == due_at(url_key("7"), Standing.ALIVE, NOW, ttl=ttl) - NOW


@pytest.mark.spec("LIN-10", "TRK-4")
@pytest.mark.parametrize(("hours", "due"), [(-400, True), (-1, False), (1, True), (9_000, True)])
def test_a_look_whose_time_lies_ahead_says_nothing_of_its_age(hours, due):
    key = url_key("https://example.com/")
    looks = Looks(last=NOW + timedelta(hours=hours))
    place = Place("https://example.com/", key, key)
    looked = CitedPlace(place, Bid("bid"), LinkState.OK, place.url, looks)
    assert is_due(looked, NOW, timedelta(hours=24), timedelta(minutes=5)) is due


@pytest.mark.spec("TRK-4", "TRK-6")
def test_suspects_are_due_at_once_and_the_dead_ever_later():
    key, ttl = url_key("x"), timedelta(hours=24)
    assert due_at(key, Standing.SUSPECT, NOW, ttl=ttl) is None
    assert due_at(key, Standing.ALIVE, None, ttl=ttl) is None
    waits = [due_at(key, Standing.DEAD, NOW, ttl=ttl, failures=n) - NOW for n in (2, 3, 4, 9, 99)]
    assert waits == sorted(waits)
    assert waits[1] == 2 * waits[0]
    assert waits[-1] == 16 * waits[0] == waits[-2]
