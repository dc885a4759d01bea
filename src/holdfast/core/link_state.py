"""The states of a cited URL: a closed set, each resting on evidence (TRK-6). A row of `LinkState` is all that
defines one: schemas, reports, the page of its rule and docs/reference/link-states.md are made of it. Which
answer gives which state is `core.link_evidence`.

1. Only what failed can be dead, and only once it is confirmed: `not_found` and `gone` at the second look,
   everything else after three looks over 48 hours. `eager` confirms at once.
2. A look that ended in an unknown state neither confirms nor clears; a look that ended alive clears.
3. `broken` and exit statuses count the dead alone. A manifest shows the state itself, from the first look.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = [
    "FAILING",
    "Confirm",
    "LinkState",
    "Looks",
    "Standing",
    "after_look",
    "second_look_after",
    "standing_of",
]


class Standing(StrEnum):
    """What a state means for whoever cites the URL."""

    ALIVE = "alive"
    SUSPECT = "suspect"
    DEAD = "dead"
    UNKNOWN = "unknown"


class Confirm(StrEnum):
    """What it takes until a state that failed counts as dead."""

    NEVER = "never"
    SECOND_LOOK = "at the second look"
    REPEATED = "after three looks over 48 hours"


_A, _S, _U = Standing.ALIVE, Standing.SUSPECT, Standing.UNKNOWN
_N, _2, _R = Confirm.NEVER, Confirm.SECOND_LOOK, Confirm.REPEATED


class LinkState(StrEnum):
    """What the last look at a URL, or at one citation of it, found. A row is all that defines a state."""

    standing: Standing
    """What the state means before it is confirmed."""
    confirm: Confirm
    """What it takes until it is dead."""
    sentence: str
    """What a reader is told."""
    code: str | None
    """The rule of reports that speaks of it; None where nobody has to act."""

    def __new__(
        cls,
        name: str,
        standing: Standing = _U,
        confirm: Confirm = _N,
        code: str | None = None,
        sentence: str = "",
    ) -> LinkState:
        """A state with its row."""
        state = str.__new__(cls, name)
        state._value_ = name
        state.standing, state.confirm, state.code, state.sentence = standing, confirm, code, sentence
        return state

    OK = "ok", _A, _N, None, "it answered"
    CHANGED = "changed", _A, _N, "HF012", "its content is not what was first recorded"
    MOVED_PERMANENT = "moved_permanent", _A, _N, "HF020", "it moved for good"
    MOVED_TEMPORARY = "moved_temporary", _A, _N, "HF021", "it answers from elsewhere for now"
    TOO_LARGE = "too_large", _A, _N, "HF035", "it answered with more than is taken"
    NOT_FOUND = "not_found", _S, _2, "HF001", "the server has no such page"
    GONE = "gone", _S, _2, "HF002", "the server says the page is gone for good"
    TIMEOUT = "timeout", _S, _R, "HF003", "no answer in time"
    DNS_ERROR = "dns_error", _S, _R, "HF004", "the host name has no address"
    CONNECT_ERROR = "connect_error", _S, _R, "HF005", "no connection, or it broke"
    TLS_ERROR = (
        "tls_error",
        _S,
        _R,
        "HF006",
        "TLS failed: the certificate is not trusted, or the secure connection broke",
    )
    SERVER_ERROR = "server_error", _S, _R, "HF007", "the server failed"
    FRAGMENT_MISSING = "fragment_missing", _S, _N, "HF010", "the page has no such section"
    AUTH_REQUIRED = (
        "auth_required",
        _U,
        _N,
        "HF030",
        "401 or 403: the server refuses programs, or wants a login",
    )
    BOT_BLOCKED = (
        "bot_blocked",
        _U,
        _N,
        "HF031",
        "the server turns programs away; open it in a browser",
    )
    RATE_LIMITED = "rate_limited", _U, _N, "HF032", "the server asked for fewer requests"
    REFUSED = "refused", _U, _N, "HF033", "a rule of yours, of robots.txt or of the server forbids it"
    UNSUPPORTED = "unsupported", _U, _N, "HF034", "this is not an address that can be asked"
    UNCHECKED = "unchecked", _U, _N, "HF036", "nobody asked yet"


FAILING: Final = frozenset(state for state in LinkState if state.confirm is not Confirm.NEVER)
"""The states that can be confirmed as dead."""

LOOKS_NEEDED: Final = 3
SPAN_NEEDED: Final = timedelta(hours=48)
SOON: Final = timedelta(seconds=5)
RECOVERED: Final = timedelta(seconds=30)


def second_look_after(state: LinkState) -> timedelta | None:
    """How long after a failure a second look in the same run says anything (TRK-13): a page that a server
    does not have is not there in a few seconds either, a server that is busy gets half a minute to recover.
    """
    match state.confirm:
        case Confirm.NEVER:
            return None
        case Confirm.SECOND_LOOK:
            return SOON
        case Confirm.REPEATED:
            return RECOVERED


class Looks(NamedTuple):
    """How many looks in a row failed, and since when; and when the last look was, whatever it saw."""

    failures: int = 0
    since: datetime | None = None
    last: datetime | None = None


def after_look(before: Looks, state: LinkState, at: datetime) -> Looks:
    """The count after one more look."""
    if state in FAILING:
        return Looks(before.failures + 1, before.since or at, at)
    return before._replace(last=at) if state.standing is Standing.UNKNOWN else Looks(last=at)


def standing_of(state: LinkState, looks: Looks, *, eager: bool = False) -> Standing:
    """What a state means, given how often and how long it was seen."""
    if state in FAILING and (eager or _is_confirmed(state, looks)):
        return Standing.DEAD
    return state.standing


def _is_confirmed(state: LinkState, looks: Looks) -> bool:
    if state.confirm is Confirm.SECOND_LOOK and looks.failures >= 2:
        return True
    if looks.since is None or looks.last is None:
        return False
    return looks.failures >= LOOKS_NEEDED and looks.last - looks.since >= SPAN_NEEDED
