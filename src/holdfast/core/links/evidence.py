"""From the outcome of a fetch to a state, its evidence and its reason (TRK-6).

The first rule that fits decides:

    rule                  when                                                        state
    challenge-header      `cf-mitigated`, or a WAF's action header says challenge     bot_blocked
    status-999            999                                                         bot_blocked
    challenge-page        202, 403, 429 or 503 whose page is a known challenge        bot_blocked
    accepted-only         202 with a page: promised, not delivered                    bot_blocked
    not-found, gone       404, 410                                                    not_found, gone
    rate-limit            429; 403 with a spent rate-limit header or `Retry-After`    rate_limited
    wants-identity        401, 402, 403, 407                                          auth_required
    request-timeout       408, 504                                                    timeout
    server-status         5xx                                                         server_error
    client-status         any other 4xx                                               refused
    redirected            2xx after hops to another place                             moved_…
    answered              2xx, 304                                                    ok
    accepted-status       a status that the user declared fine (`accept`); before all others   ok
    …and for what brought no answer, one rule for each failure, denial and time-out.

A redirect is permanent when every hop is (301, 308). A hop between two spellings of one canonical URL moves
nothing. The cited URL stays the identity; where it led is the `final_url`.

`reason_of` says what happened in words that a reader can act on (TRK-14). They are made of the evidence
that the ledger keeps; the sentence of the state is the last resort, for evidence of a kind that nobody
wrote yet.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple, assert_never

from holdfast.core.base.hashing import ContentHash
from holdfast.core.links.citation import KeptEvidence
from holdfast.core.links.link_state import LinkState
from holdfast.core.url.compiled import canonicalize
from holdfast.core.url.policy import WEB
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Url
from holdfast.core.web.capture import (
    NO_VALIDATORS,
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
    Outcome,
    RedirectedAway,
    TimedOut,
    Validators,
)

_EMPTY: Final[Mapping[str, Any]] = {}


class SeenContent(NamedTuple):
    """What an answer held: its content, and which of the cited sections it has. `validators` are its `ETag`
    and `Last-Modified` as they were sent: what the next conditional request names.
    """

    content: ContentHash | None
    recipe: str
    content_type: str = ""
    last_modified: str | None = None
    fragments: Mapping[str, bool | None] = _EMPTY
    warnings: tuple[str, ...] = ()
    sections: Mapping[str, str] = _EMPTY
    validators: Validators = NO_VALIDATORS


class Sighting(NamedTuple):
    """What one look found: the state, why, where it ended, and the response where there was one. `seen` is
    what was read of an answer that held content.
    """

    state: LinkState
    evidence: KeptEvidence
    final: Url | None = None
    capture: Capture | None = None
    not_before: datetime | None = None
    seen: SeenContent | None = None


_CHALLENGE_HEADERS: Final = (
    ("cf-mitigated", "challenge"),
    ("x-amzn-waf-action", "challenge"),
    ("x-amzn-waf-action", "captcha"),
    ("x-vercel-mitigated", "challenge"),
)
_CHALLENGING: Final = frozenset(name for name, _ in _CHALLENGE_HEADERS)
_CHALLENGE_STATUSES: Final = frozenset((202, 403, 429, 503))
_CHALLENGE_PAGE: Final = re.compile(
    rb"<title>\s*(?:just a moment|attention required|access denied \| |are you a robot|robot check"
    rb"|security check|pardon our interruption|ddos-guard)"
    rb"|/cdn-cgi/challenge-platform/|cf-browser-verification|_incapsula_resource|captcha-delivery\.com"
    rb"|px-captcha|awswafintegration|anubis_challenge|sucuri_cloudproxy",
    re.IGNORECASE,
)
_CHALLENGE_BYTES: Final = 65_536
_SPENT: Final = ("x-ratelimit-remaining", "ratelimit-remaining")
_PERMANENT: Final = frozenset((301, 308))

_FAILURES: Final = {
    Failure.DNS: LinkState.DNS_ERROR,
    Failure.CONNECT: LinkState.CONNECT_ERROR,
    Failure.RESET: LinkState.CONNECT_ERROR,
    Failure.TLS: LinkState.TLS_ERROR,
    Failure.STATUS: LinkState.SERVER_ERROR,
    Failure.PROTOCOL: LinkState.SERVER_ERROR,
    Failure.SHORT_BODY: LinkState.SERVER_ERROR,
    Failure.ENCODING: LinkState.SERVER_ERROR,
    Failure.REDIRECT_LOOP: LinkState.SERVER_ERROR,
    Failure.TOO_MANY_REDIRECTS: LinkState.SERVER_ERROR,
    Failure.BAD_REDIRECT: LinkState.SERVER_ERROR,
    Failure.HEADERS_TOO_LARGE: LinkState.TOO_LARGE,
    Failure.ROBOTS_UNAVAILABLE: LinkState.REFUSED,
    Failure.RATE_LIMITED: LinkState.RATE_LIMITED,
}
_DENIALS: Final = {
    Denial.ROBOTS: LinkState.REFUSED,
    Denial.ADDRESS: LinkState.REFUSED,
    Denial.SCOPE: LinkState.REFUSED,
    Denial.HOST: LinkState.REFUSED,
    Denial.FORGOTTEN: LinkState.REFUSED,
    Denial.SCHEME: LinkState.UNSUPPORTED,
    Denial.SIZE: LinkState.TOO_LARGE,
}


ACCEPTED: Final = "accepted-status"
"""The rule of an answer that is fine because the user says so: alive, and not a copy of what is cited."""

_OWN: Final = frozenset(
    f"denied-{denial}"
    for denial in (Denial.ROBOTS, Denial.ADDRESS, Denial.SCOPE, Denial.HOST, Denial.FORGOTTEN)
) | {f"failed-{Failure.ROBOTS_UNAVAILABLE}", "redirected-away", "deferred"}


def is_own_refusal(rule: str) -> bool:
    """Whether it was Holdfast that did not ask, or go on: that says nothing about the page."""
    return rule in _OWN


def sight(outcome: Outcome, accepted: frozenset[int] = frozenset()) -> Sighting:
    """What a fetch says about the URL it asked for; `accepted` are statuses that the user declared fine."""
    match outcome:
        case Fetched(capture) | Gone(capture) | NotModified(capture):
            return _answered(capture, accepted)
        case Failed(failure, detail, _, capture, trail):
            if capture is not None and failure in (Failure.STATUS, Failure.RATE_LIMITED):
                return _answered(capture, accepted)
            hops = capture.hops if capture else trail.hops
            status = capture.status if capture else None
            evidence = _evidence(f"failed-{failure}", status, hops, detail=detail)
            return Sighting(_FAILURES[failure], evidence, _end(hops))
        case TimedOut(phase, detail, trail):
            evidence = _evidence(f"timed-out-{phase}", hops=trail.hops, detail=detail)
            return Sighting(LinkState.TIMEOUT, evidence, _end(trail.hops))
        case Denied(denial, detail, trail):
            evidence = _evidence(f"denied-{denial}", hops=trail.hops, detail=detail)
            return Sighting(_DENIALS[denial], evidence, _end(trail.hops))
        case RedirectedAway(target, trail):
            evidence = _evidence(
                "redirected-away", hops=trail.hops, detail=f"to {target.origin}, not followed"
            )
            return Sighting(LinkState.REFUSED, evidence, target)
        case Deferred(until, detail, trail):
            said = (
                f"{detail}; not before {until.isoformat()}" if detail else f"not before {until.isoformat()}"
            )
            evidence = _evidence("deferred", hops=trail.hops, detail=said)
            return Sighting(LinkState.RATE_LIMITED, evidence, not_before=until)
        case _:
            assert_never(outcome)


def _evidence(
    rule: str,
    status: int | None = None,
    hops: tuple[Hop, ...] = (),
    header: str | None = None,
    detail: str = "",
) -> KeptEvidence:
    """Evidence as it is kept: without the secrets of addresses (SEC-3)."""
    told = tuple((redacted(hop.url), hop.status, redacted(hop.location)) for hop in hops)
    return KeptEvidence(rule, status, told, header or "", detail)


def _answered(capture: Capture, accepted: frozenset[int]) -> Sighting:
    if capture.status >= 400 and capture.status in accepted:
        evidence = _evidence(ACCEPTED, capture.status, capture.hops)
        return Sighting(LinkState.OK, evidence, capture.final, capture)
    state, rule, header = _rule(capture)
    evidence = _evidence(rule, capture.status, capture.hops, header)
    return Sighting(state, evidence, capture.final, capture)


def _rule(capture: Capture) -> tuple[LinkState, str, str | None]:
    status = capture.status
    if wall := _wall(capture):
        return LinkState.BOT_BLOCKED, *wall
    if status in (404, 410):
        state = LinkState.NOT_FOUND if status == 404 else LinkState.GONE
        return state, state.replace("_", "-"), None
    if limit := _limit(capture):
        return LinkState.RATE_LIMITED, "rate-limit", limit
    if status in (401, 402, 403, 407):
        challenge = capture.header("www-authenticate")
        return LinkState.AUTH_REQUIRED, "wants-identity", challenge and f"www-authenticate: {challenge}"
    if status in (408, 504):
        return LinkState.TIMEOUT, "request-timeout", None
    if status >= 500:
        return LinkState.SERVER_ERROR, "server-status", None
    if status >= 400:
        return LinkState.REFUSED, "client-status", None
    moved = _moved(capture)
    return (moved, "redirected", None) if moved else (LinkState.OK, "answered", None)


def _wall(capture: Capture) -> tuple[str, str | None] | None:
    """The rule and header by which an answer is a wall against programs."""
    if not _CHALLENGING.isdisjoint([name.lower() for name, _ in capture.headers]):
        for name, word in _CHALLENGE_HEADERS:
            value = capture.header(name)
            if value and word in value.lower():
                return "challenge-header", f"{name}: {value}"
    if capture.status == 999:
        return "status-999", None
    if capture.status in _CHALLENGE_STATUSES and _CHALLENGE_PAGE.search(capture.body[:_CHALLENGE_BYTES]):
        return "challenge-page", None
    if capture.status == 202 and capture.content_type in ("text/html", "application/xhtml+xml"):
        return "accepted-only", None
    return None


def _limit(capture: Capture) -> str | None:
    if capture.status not in (403, 429):
        return None
    wait = capture.header("retry-after")
    if capture.status == 429:
        return f"retry-after: {wait}" if wait else "429"
    for name in _SPENT:
        if (capture.header(name) or "").strip() == "0":
            return f"{name}: 0"
    return f"retry-after: {wait}" if wait else None


def _moved(capture: Capture) -> LinkState | None:
    if not capture.hops or _same_place(capture.requested, capture.final):
        return None
    permanent = all(hop.status in _PERMANENT for hop in capture.hops)
    return LinkState.MOVED_PERMANENT if permanent else LinkState.MOVED_TEMPORARY


def _same_place(one: Url, other: Url) -> bool:
    return canonicalize(one.href, WEB) == canonicalize(other.href, WEB)


def _end(hops: tuple[Hop, ...]) -> Url | None:
    return hops[-1].location if hops else None


_UNTIL: Final = re.compile(r"valid until (\d{4}-\d{2}-\d{2})")
_FROM: Final = re.compile(r"valid from (\d{4}-\d{2}-\d{2})")
_STATUS: Final = {
    401: "it wants a login (401)",
    402: "it wants a payment (402)",
    403: "403 to programs: the server refuses them, or wants a login; open it in a browser",
    407: "a proxy on the way wants a login (407)",
}


def reason_of(state: LinkState, evidence: KeptEvidence) -> str:
    """The reason for a state, without the URL and without a full stop."""
    if evidence.rule in _BY_RULE:
        return _BY_RULE[evidence.rule](evidence.detail)
    status, header = evidence.status, evidence.header
    match evidence.rule:
        case "wants-identity":
            return _STATUS.get(status or 0, state.sentence)
        case "client-status":
            return f"the server takes no such request ({status}), which says nothing about the page"
        case "rate-limit":
            return f"the server asked for fewer requests ({_words(status, header)})"
        case "challenge-header" | "challenge-page" | "status-999" | "accepted-only":
            return f"{state.sentence} ({_words(status, header)})"
    return f"{state.sentence} ({status})" if status and status >= 400 else state.sentence


def _words(*parts: object) -> str:
    return ", ".join(str(part) for part in parts if part)


def _said(before: str) -> Callable[[str], str]:
    """A sentence, and what the failing part said itself."""
    return lambda detail: f"{before}: {detail}" if detail else before


def _of_tls(detail: str) -> str:
    lower = detail.lower()
    if "expired" in lower:
        day = _UNTIL.search(detail)
        when = f"expired on {day[1]}" if day else "has expired"
        return f"the certificate {when}; the site has to renew it"
    if "not yet valid" in lower:
        day = _FROM.search(detail)
        return f"the certificate is not valid before {day[1] if day else 'a later day'}"
    if "self-signed" in lower or "self signed" in lower:
        return f"the certificate is signed by nobody known ({detail}); ca_file names your own"
    if "hostname mismatch" in lower or "not valid for" in lower or "ip address mismatch" in lower:
        return f"the certificate is for another name ({detail})"
    if "unable to get" in lower:
        return f"the certificate is signed by nobody known ({detail}); ca_file names your own"
    return _said("TLS failed")(detail)


def _of_dns(detail: str) -> str:
    lower = detail.lower()
    if "temporary" in lower or "try again" in lower or "servfail" in lower:
        return f"the name could not be looked up just now ({detail})"
    return _said("the host name has no address")(detail)


def _of_connection(detail: str) -> str:
    if "refused" in detail.lower():
        return "the connection was refused"
    return _said("no connection could be made")(detail)


_BY_RULE: Final[Mapping[str, Callable[[str], str]]] = {
    "failed-dns": _of_dns,
    "failed-connect": _of_connection,
    "failed-reset": _said("the connection broke"),
    "failed-tls": _of_tls,
    "failed-protocol": _said("the server sent what is not HTTP"),
    "failed-short_body": _said("the response broke off before its end"),
    "failed-encoding": _said("the response could not be decompressed"),
    "failed-redirect_loop": _said("redirect loop"),
    "failed-too_many_redirects": _said("too many redirects"),
    "failed-bad_redirect": _said("a redirect that leads nowhere"),
    "failed-headers_too_large": _said("more header fields than are taken"),
    "failed-robots_unavailable": _said("not asked: robots.txt could not be read"),
    "timed-out-connect": lambda _: "no connection in time",
    "timed-out-headers": lambda _: "the server took the request and said nothing in time",
    "timed-out-body": lambda _: "the server fell silent in the middle of the response",
    "timed-out-total": _said("no answer in time"),
    "denied-address": lambda detail: (
        f"not asked: {detail or 'the address is private'}; --allow-private asks it"
    ),
    "denied-robots": _said("not asked: robots.txt forbids it"),
    "denied-scope": _said("not asked: a rule of yours"),
    "denied-host": _said("not asked: a rule of yours"),
    "denied-forgotten": _said("not asked: it was forgotten on request"),
    "denied-scheme": _said("this is not an address that can be asked"),
    "denied-size": _said("it answered with more than is taken"),
    "redirected-away": _said("it redirects to where a rule of yours does not let it be asked"),
    "deferred": _said("left for a later run"),
}
