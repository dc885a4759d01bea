"""What an update asks for, which pages are gone, and what an update did with each page (MIR-11).

The first line that fits decides what is asked for:

    the entry                                    what is done
    ────────────────────────────────────────    ─────────────────────────────────────────────────────────
    has no page, or none of this version         asked for: `new`, `other version`
    has a page that was gone                     asked whether it changed: `back`
    `lastmod` is newer than the page's fetch     asked for: `lastmod`
    its page is older than `max_age`, or its     asked whether it changed: `max-age`
      time lies ahead: a clock was wrong
    `lastmod` is not newer                       left alone: `lastmod`
    no `lastmod`                                 asked whether it changed: `no lastmod`

1. "Asked whether it changed" is a conditional request where validators are known; a 304 keeps the page and
   its links. "Asked for" is not: a list that says there is news is believed, whatever a cache thinks.
2. A list that lies costs requests, never data: nothing is dropped because of a date.
3. A date without time means the end of that day in UTC, so a page fetched that day is asked for again.
4. Pages that the site itself says are not there are gone, and so are those that no list and no link names
   any more, unless the discovery was partial. They are marked so; they are deleted only when asked, and
   never after a discovery that was partial or when more than one in five would go at once.

What an update did with each page, and why:

    new                      fetched for the first time
    changed                  fetched, and it says something else
    unchanged                `lastmod` (not asked), `304`, or `same content` (fetched, and nothing was new)
    moved                    its address leads to another page now
    gone                     no list names it any more, or the site says 404
    failed, refused          as it stands in `_failed.log`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum, StrEnum, auto
from typing import Final

from holdfast.core.base.figures import counted
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.url.redaction import Shown

MOST_AT_ONCE: Final = 0.2
"""The largest share of a mirror's pages that may be deleted by one run."""


class Why(StrEnum):
    """The line of the table that decided."""

    NEW = "new"
    OTHER_VERSION = "other version"
    BACK = "back"
    MAX_AGE = "max-age"
    LASTMOD = "lastmod"
    NO_LASTMOD = "no lastmod"


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What is known of an entry: `gone` was it marked so, `same_version` can its item be compared."""

    fetched_at: datetime
    gone: bool = False
    same_version: bool = True


@dataclass(frozen=True, slots=True)
class Keep:
    """No request."""

    why: Why


@dataclass(frozen=True, slots=True)
class Ask:
    """A request; `conditional`: a 304 will do."""

    why: Why
    conditional: bool


def decide(
    known: KnownPage | None, lastmod: datetime | None, now: datetime, max_age: timedelta | None = None
) -> Keep | Ask:
    """The line of the table for one entry."""
    if known is None:
        return Ask(Why.NEW, conditional=False)
    if not known.same_version:
        return Ask(Why.OTHER_VERSION, conditional=False)
    if known.gone:
        return Ask(Why.BACK, conditional=True)
    if lastmod is not None and lastmod > known.fetched_at:
        return Ask(Why.LASTMOD, conditional=False)
    if (
        known.fetched_at > now
    ):  # by a clock that was wrong, then or now: no age, and no lastmod, says anything
        return Ask(Why.MAX_AGE, conditional=True)
    if max_age is not None and now - known.fetched_at >= max_age:
        return Ask(Why.MAX_AGE, conditional=True)
    return Keep(Why.LASTMOD) if lastmod is not None else Ask(Why.NO_LASTMOD, conditional=True)


@dataclass(frozen=True, slots=True)
class Departures:
    """Which pages to mark as gone and which to delete; `held_back` says why less is done than was asked."""

    mark: tuple[UrlKey, ...] = ()
    delete: tuple[UrlKey, ...] = ()
    held_back: str | None = None


class Absence(Enum):
    """Why a page of a mirror counts as not found: it was `MARKED` as gone before; the site itself said in
    this run that it is not a page any more (404, 410, it leads elsewhere): `DENIED`; or nothing led to it:
    `UNNAMED`.
    """

    MARKED = auto()
    DENIED = auto()
    UNNAMED = auto()


def departures(
    pages: Collection[UrlKey],
    gone: Mapping[UrlKey, Absence],
    *,
    partial: str | None,
    prune: bool,
) -> Departures:
    """What follows for the pages of a mirror that a run did not find.

    `pages` are all that the mirror has, those marked before included; `gone` are those of them that were not
    found; `partial` says what is missing of the discovery: then only those are marked of which the site
    itself says that they are not there, and none is deleted.
    """
    missing = tuple(key for key in pages if key in gone)
    if not missing:
        return Departures()
    if partial is not None:
        denied = tuple(key for key in missing if gone[key] is Absence.DENIED)
        return Departures(mark=denied, held_back=_held_back(list(gone.values()), partial, prune=prune))
    if not prune:
        return Departures(mark=missing)
    if len(missing) > MOST_AT_ONCE * len(pages):
        share = 100 * len(missing) / len(pages)
        return Departures(
            mark=missing,
            held_back=f"{len(missing)} of {len(pages)} pages are gone ({share:.0f} %): more than "
            f"{MOST_AT_ONCE:.0%} are never deleted at once",
        )
    return Departures(mark=missing, delete=missing)


def _held_back(absences: Sequence[Absence], partial: str, *, prune: bool) -> str | None:
    unnamed = absences.count(Absence.UNNAMED)
    if unnamed:
        return f"not found: {counted(unnamed, 'page')}, but {partial}: not marked as gone yet"
    return f"{partial}: no page is deleted" if prune else None


class Fate(StrEnum):
    """What became of a page."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    MOVED = "moved"
    GONE = "gone"
    FAILED = "failed"
    REFUSED = "refused"
    NO_PAGE = "no page"


@dataclass(frozen=True, slots=True)
class Happening:
    """One URL: what became of it, and why."""

    url: Shown
    fate: Fate
    why: str = ""

    def __str__(self) -> str:
        return f"{self.fate}: {self.why}" if self.why else str(self.fate)


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """All that happened, in frontier order, and which pages were deleted; `held_back` says why not more.
    `budget` is how many pages were to be asked at most, where that left some out.
    """

    happenings: tuple[Happening, ...]
    deleted: tuple[str, ...] = ()
    held_back: str | None = None
    budget: int | None = None


def tally(happenings: Iterable[Happening]) -> dict[str, int]:
    """How often each thing happened, by fate, then by reason; reasons that name URLs are left out."""
    counts = Counter((h.fate, h.why if h.fate is Fate.UNCHANGED else "") for h in happenings)
    order = list(Fate)
    return {
        str(Happening(Shown(""), fate, why)): counts[fate, why]
        for fate, why in sorted(counts, key=lambda pair: (order.index(pair[0]), pair[1]))
    }
