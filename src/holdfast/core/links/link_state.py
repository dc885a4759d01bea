"""The states of a cited URL: a closed set, each resting on evidence (TRK-6).

A row of `LinkState` is all that defines one: schemas, reports, the page of its rule and
docs/reference/link-states.md are made of it. Which answer gives which state is in `core/links/evidence`.

1. Only what failed can be dead, and only once it is confirmed: `not_found` and `gone` at the second look,
   everything else after three looks over 48 hours. `eager` confirms at once.
2. A look that ended in an unknown state neither confirms nor clears; a look that ended alive clears.
3. `broken` and exit statuses count the dead alone. A manifest shows the state itself, from the first look.

When a cited URL is asked again (TRK-4):

    never asked, suspect, or a change not confirmed  at the next run
    confirmed dead                                   after the TTL, doubled by each more failure, up to 16 ×
    a server that named a time                       not before it
    everything else                                  after the TTL

4. The TTL is stretched by up to a quarter, by a share that the url key decides: URLs that were first seen
   together do not come due together, and the same URL comes due at the same time on every machine.
5. Within the TTL nothing is asked.

When a cited URL's revision changes (TRK-7):

    recorded   seen now   doubted before   →  recorded   doubted   new revision?
    none       c                              c          none      no: the first one
    c          c          any                 c          none      no
    c          d          none                c          d         no: seen once
    c          d          any                 d          none      yes: two fetches did not see c
    c          d          eager               d          none      yes

6. A fetch that brought no content says nothing: what was doubted stays doubted.
7. A 304 repeats what the last response held: the doubted content where there is one, else the recorded one.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.hashing import ContentHash, UrlKey


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


STRETCH: Final = 0.25
_MOST: Final = 16


def due_at(
    key: UrlKey, standing: Standing, checked_at: datetime | None, *, ttl: timedelta, failures: int = 0
) -> datetime | None:
    """When a URL may be asked again; None means now."""
    if checked_at is None or standing is Standing.SUSPECT:
        return None
    share = int(key[:8], 16) / 0xFFFFFFFF
    wait = ttl * (1 + STRETCH * share)
    if standing is Standing.DEAD:
        wait *= min(2 ** max(failures - 2, 0), _MOST)
    return checked_at + wait


class Revision(NamedTuple):
    """The content on record, and the other content that was seen once since."""

    recorded: ContentHash | None = None
    doubted: ContentHash | None = None
    is_new: bool = False

    @property
    def last_seen(self) -> ContentHash | None:
        """What the last response held: what a 304 repeats."""
        return self.doubted or self.recorded


def after_fetch(before: Revision, seen: ContentHash, *, eager: bool = False) -> Revision:
    """The revision after one more fetch that brought content."""
    if before.recorded is None or seen == before.recorded:
        return Revision(seen)
    if before.doubted is not None or eager:
        return Revision(seen, is_new=True)
    return Revision(before.recorded, seen)
