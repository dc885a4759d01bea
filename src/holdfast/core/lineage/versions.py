"""The versions of one URL under one recipe, numbered from 1, and how a person names one of them.

1. A version begins with the capture that brought its item and lasts until one that brought another. A
   return to older content is a version of its own (LIN-2). Versions come from the URL's own captures, in
   order, never from edges (LIN-5), and those of a mirrored page never from another page that has its join
   key: a mirror keeps `?a=1&b=2` and `?b=2&a=1` apart, which `web` calls one place.
2. `3` is a number. `2026-05-04`, `2026-05-04T12:00` is the version that was current then; a date without
   time means the end of that day in UTC. Anything else is a run, or the beginning of its id: its last sight.
3. Versions of different recipes are never put beside each other (VER-4): a recipe is asked for first. Where
   none is named, a page that a mirror has is numbered as the mirror numbers it, whoever looked at it last,
   unless something else was seen since; any other by the recipe of its last sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from holdfast.core.base.errors import UsageError
from holdfast.core.base.figures import in_utc
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Observation
from holdfast.core.lineage.lineage import CaptureRecord, Item
from holdfast.core.url.policy import WEB, Recipe
from holdfast.core.url.url import Place

_NUMBER = re.compile(r"[0-9]{1,6}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class PageVersion:
    """One version: the item, the capture that brought it, in which runs it was seen, and the earliest and the
    latest time that those say.
    """

    number: int
    item: Item
    capture: CaptureRecord
    first_seen: datetime
    last_seen: datetime
    runs: tuple[str, ...]


def versions_of(
    observations: Iterable[Observation], recipe: Recipe, key: UrlKey | None = None
) -> tuple[PageVersion, ...]:
    """The versions that a URL's observations, in order, show under a recipe; with a page's key, of that page
    alone.
    """
    found: list[PageVersion] = []
    for observation in observations:
        item, capture = observation.item, observation.capture
        if item is None or item.recipe != recipe or (key and item.place.key != key):
            continue
        seen, run = capture.fetched_at, capture.run_id
        if found and found[-1].item.item_id == item.item_id:
            last = found[-1]
            first, seen = min(last.first_seen, seen), max(last.last_seen, seen)
            found[-1] = replace(
                last, first_seen=first, last_seen=seen, runs=tuple(dict.fromkeys((*last.runs, run)))
            )
        else:
            found.append(PageVersion(len(found) + 1, item, capture, seen, seen, (run,)))
    return tuple(found)


def page_key(item: Item) -> UrlKey:
    """What tells the pages of a recipe apart. What is cited is a place: there it is the join key."""
    component = item.recipe.url
    is_cited = component is not None and component.name == WEB.component.name
    return item.place.web_key if is_cited else item.place.key


def of_page(observations: Iterable[Observation], place: Place) -> list[Observation]:
    """Those that show a page, of all that its join key has."""
    return [each for each in observations if each.item is not None and each.item.place.key == place.key]


def latest_recipe(observations: Iterable[Observation]) -> Recipe | None:
    """The recipe of the last observation that shows anything."""
    recipe = None
    for observation in observations:
        recipe = observation.item.recipe if observation.item else recipe
    return recipe


def numbering_recipe(observations: Iterable[Observation], mirrors: Iterable[Recipe]) -> Recipe | None:
    """The recipe by which a URL's versions are numbered: that of a mirror that has the page and knows
    what was last seen, else the latest.
    """
    last: dict[Recipe, Item] = {}
    seen: Item | None = None
    for observation in observations:
        if observation.item is not None:
            seen = last[observation.item.recipe] = observation.item
    if seen is None:
        return None
    for recipe in mirrors:
        own = last.get(recipe)
        if own and (own.recipe.content, own.content_sha256) == (seen.recipe.content, seen.content_sha256):
            return recipe
    return seen.recipe


def choose(versions: Sequence[PageVersion], name: str) -> PageVersion:
    """The version that a number, a date or a run names."""
    if _NUMBER.fullmatch(name):
        if not 1 <= int(name) <= len(versions):
            there = "there is only one" if len(versions) == 1 else f"there are {len(versions)}"
            raise UsageError(f"there is no version {name}: {there}", hint="`holdfast log URL` lists them")
        return versions[int(name) - 1]
    if (moment := moment_of(name)) is not None:
        if (version := at_moment(versions, moment)) is None:
            first = f"{versions[0].first_seen:%Y-%m-%d %H:%M:%S}"
            raise UsageError(f"nothing was known of it on {name}: it was first seen on {first} UTC")
        return version
    seen = [version for version in versions if any(run.startswith(name) for run in version.runs)]
    if not seen:
        raise UsageError(
            f"no run that begins with {name!r} saw it", hint="a version is a number, a date, or a run's id"
        )
    return seen[-1]


def at_moment(versions: Sequence[PageVersion], moment: datetime) -> PageVersion | None:
    """The version that was current at a moment: that of the last capture in order that is stamped up to it
    (LIN-10).
    """
    current = None
    for version in versions:
        if version.first_seen <= moment:
            current = version
    return current


def was_there(seen: Iterable[datetime], absences: Iterable[datetime], moment: datetime) -> bool:
    """Whether a page that was seen at some times, and left at others, was there at a moment."""
    last_seen = max((time for time in seen if time <= moment), default=None)
    last_left = max((time for time in absences if time <= moment), default=None)
    return last_seen is not None and (last_left is None or last_left < last_seen)


def yesterday(now: datetime) -> datetime:
    """When yesterday began, in UTC."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=1)


def moment_of(text: str) -> datetime | None:
    """A moment as people write it, in UTC; None where the text is not a moment."""
    if not _DATE.match(text):
        return None
    try:
        if _DATE.fullmatch(text):
            return datetime.combine(datetime.fromisoformat(text), time.max, tzinfo=UTC)
        return in_utc(datetime.fromisoformat(text))
    except ValueError:
        raise UsageError(f"{text!r} is not a date", hint="such as 2026-05-04 or 2026-05-04T12:00") from None


def moment_asked(text: str) -> datetime:
    """A moment that somebody asked for: of a date without time the end of that day."""
    moment = moment_of(text)
    if moment is None:
        raise UsageError(f"{text[:80]!r} is not a date", hint="such as 2026-05-04 or 2026-05-04T12:00")
    return moment


def start_asked(text: str) -> datetime:
    """The same where something begins: of a date without time the start of that day."""
    moment = moment_asked(text)
    is_a_day = _DATE.fullmatch(text) is not None
    return datetime.combine(moment, time.min, tzinfo=UTC) if is_a_day else moment
