"""The states of a cited URL: a closed set, each with its standing, each resting on evidence (TRK-6).

    state              standing    once confirmed   said of
    ok                 alive                        it answered
    changed            alive                        it says something else than when it was first recorded
    moved_permanent    alive                        it answered from elsewhere, for good (301, 308)
    moved_temporary    alive                        it answered from elsewhere, for now
    too_large          alive                        it answered, with more than is taken
    not_found          suspect     dead             404
    gone               suspect     dead             410
    timeout            suspect     dead             no answer in time
    dns_error          suspect     dead             the name has no address
    connect_error      suspect     dead             no connection, or it broke
    tls_error          suspect     dead             its certificate or handshake is wrong
    server_error       suspect     dead             5xx, or an answer that makes no sense
    fragment_missing   suspect                      the page is there, the section is not (of a citation only)
    auth_required      unknown                      401, 402, 403, 407
    bot_blocked        unknown                      a wall against programs: neither dead nor ok
    rate_limited       unknown                      429, or a wait longer than is waited
    refused            unknown                      a rule, ours or the server's, stood in the way
    unsupported        unknown                      a scheme that is not asked, or no URL
    unchecked          unknown                      nobody asked yet

1. Only what failed can be dead, and only once it is confirmed: `not_found` and `gone` at the second look,
   everything else after three looks over 48 hours. `eager` confirms at once.
2. A look that ended in an unknown state neither confirms nor clears; a look that ended alive clears.
3. `broken` and exit statuses count the dead alone. A manifest shows the state itself, from the first look.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["FAILING", "SENTENCES", "STANDINGS", "LinkState", "Looks", "Standing", "after_look", "standing_of"]


class LinkState(StrEnum):
    """What the last look at a URL, or at one citation of it, found."""

    OK = "ok"
    CHANGED = "changed"
    MOVED_PERMANENT = "moved_permanent"
    MOVED_TEMPORARY = "moved_temporary"
    TOO_LARGE = "too_large"
    NOT_FOUND = "not_found"
    GONE = "gone"
    TIMEOUT = "timeout"
    DNS_ERROR = "dns_error"
    CONNECT_ERROR = "connect_error"
    TLS_ERROR = "tls_error"
    SERVER_ERROR = "server_error"
    FRAGMENT_MISSING = "fragment_missing"
    AUTH_REQUIRED = "auth_required"
    BOT_BLOCKED = "bot_blocked"
    RATE_LIMITED = "rate_limited"
    REFUSED = "refused"
    UNSUPPORTED = "unsupported"
    UNCHECKED = "unchecked"


class Standing(StrEnum):
    """What a state means for whoever cites the URL."""

    ALIVE = "alive"
    SUSPECT = "suspect"
    DEAD = "dead"
    UNKNOWN = "unknown"


_S, _A, _U = Standing.SUSPECT, Standing.ALIVE, Standing.UNKNOWN

STANDINGS: Final = {
    LinkState.OK: _A,
    LinkState.CHANGED: _A,
    LinkState.MOVED_PERMANENT: _A,
    LinkState.MOVED_TEMPORARY: _A,
    LinkState.TOO_LARGE: _A,
    LinkState.NOT_FOUND: _S,
    LinkState.GONE: _S,
    LinkState.TIMEOUT: _S,
    LinkState.DNS_ERROR: _S,
    LinkState.CONNECT_ERROR: _S,
    LinkState.TLS_ERROR: _S,
    LinkState.SERVER_ERROR: _S,
    LinkState.FRAGMENT_MISSING: _S,
    LinkState.AUTH_REQUIRED: _U,
    LinkState.BOT_BLOCKED: _U,
    LinkState.RATE_LIMITED: _U,
    LinkState.REFUSED: _U,
    LinkState.UNSUPPORTED: _U,
    LinkState.UNCHECKED: _U,
}
"""The standing of each state before it is confirmed."""

SENTENCES: Final = {
    LinkState.OK: "it answered",
    LinkState.CHANGED: "its content is not what was first recorded",
    LinkState.MOVED_PERMANENT: "it moved for good",
    LinkState.MOVED_TEMPORARY: "it answers from elsewhere for now",
    LinkState.TOO_LARGE: "it answered with more than is taken",
    LinkState.NOT_FOUND: "the server has no such page",
    LinkState.GONE: "the server says the page is gone for good",
    LinkState.TIMEOUT: "no answer in time",
    LinkState.DNS_ERROR: "the host name has no address",
    LinkState.CONNECT_ERROR: "no connection, or it broke",
    LinkState.TLS_ERROR: "the secure connection could not be trusted",
    LinkState.SERVER_ERROR: "the server failed",
    LinkState.FRAGMENT_MISSING: "the page has no such section",
    LinkState.AUTH_REQUIRED: "the server wants to know who asks",
    LinkState.BOT_BLOCKED: "a wall against programs answered; open it in a browser",
    LinkState.RATE_LIMITED: "the server asked for fewer requests",
    LinkState.REFUSED: "a rule stood in the way",
    LinkState.UNSUPPORTED: "this is not an address that can be asked",
    LinkState.UNCHECKED: "nobody asked yet",
}

SECOND_LOOK: Final = frozenset((LinkState.NOT_FOUND, LinkState.GONE))
REPEATED: Final = frozenset(
    (
        LinkState.TIMEOUT,
        LinkState.DNS_ERROR,
        LinkState.CONNECT_ERROR,
        LinkState.TLS_ERROR,
        LinkState.SERVER_ERROR,
    )
)
FAILING: Final = SECOND_LOOK | REPEATED
"""The states that can be confirmed as dead."""

LOOKS_NEEDED: Final = 3
SPAN_NEEDED: Final = timedelta(hours=48)


class Looks(NamedTuple):
    """The failing looks in a row: how many, since when, and when the last one was."""

    failures: int = 0
    since: datetime | None = None
    last: datetime | None = None


def after_look(before: Looks, state: LinkState, at: datetime) -> Looks:
    """The count after one more look."""
    if state in FAILING:
        return Looks(before.failures + 1, before.since or at, at)
    return before if STANDINGS[state] is Standing.UNKNOWN else Looks()


def standing_of(state: LinkState, looks: Looks, *, eager: bool = False) -> Standing:
    """What a state means, given how often and how long it was seen."""
    if state in FAILING and (eager or _is_confirmed(state, looks)):
        return Standing.DEAD
    return STANDINGS[state]


def _is_confirmed(state: LinkState, looks: Looks) -> bool:
    if state in SECOND_LOOK and looks.failures >= 2:
        return True
    if looks.since is None or looks.last is None:
        return False
    return looks.failures >= LOOKS_NEEDED and looks.last - looks.since >= SPAN_NEEDED
