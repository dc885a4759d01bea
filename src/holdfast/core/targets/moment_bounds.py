"""What a moment bounds: from where, or up to where, an answer takes what was kept (CLI-3).

1. `--since` begins at a moment's start, `--after` at its end; `--at`, `--until` and both sides of `diff` go
   to its end. Instants belong to all but `--after`.
2. Runs and versions are places in the order in which a store kept its captures (LIN-10); days and instants
   go by the clock. A run of another store counts by its times, and the answer says so. A run that has not
   finished has a start and no end.
3. A run is an event: alone in `diff` it is what it brought. Any other moment alone is its end against now.
   With `--since` the left side is what stood before the first capture that `--since` takes.
4. The caller hands in what its stores say, in `Timeline`s; each of them gets a bound of its own. What only
   some stores have bounds the others to nothing, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, assert_never

from holdfast.core.base.values import dataclass
from holdfast.core.targets.bound import EVERYTHING, NOTHING, Bound, BoundKind
from holdfast.core.targets.moment import (
    GitRevision,
    Instant,
    LastRun,
    Moment,
    MomentFault,
    MomentRefusal,
    RunNamed,
    TimeSpan,
    VersionNumber,
    shown_moment,
)


class MomentUse(StrEnum):
    """Where a moment was written."""

    AT = "at"
    SINCE = "since"
    AFTER = "after"
    UNTIL = "until"
    LEFT = "diff left"
    RIGHT = "diff right"


class MomentTold(StrEnum):
    """What an answer says of its moment."""

    AHEAD = "lies ahead"
    UTC = "UTC"
    BY_CLOCK = "by the clock in the other store"
    NOT_THERE = "there is none in the other store"


_LISTED: Final = 10
_MOST_MOMENTS: Final = 2
_LONGEST_REVISION: Final = 64
_DIGITS_OF_A_DAY: Final = 8
_DIGITS_OF_A_STAMP: Final = 14


@dataclass(frozen=True, slots=True)
class RunTimes:
    """A run of a store: its places, its times, how many pages it brought. No end: it has not finished."""

    run_id: str
    begin: int
    end: int | None
    started: datetime
    ended: datetime | None
    brought: int = 0


@dataclass(frozen=True, slots=True)
class VersionPlaces:
    """The first and the last capture of one version of a page."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """What one store says of the target: its runs in order, the items that an id could mean, and the
    versions of the page, oldest first; None where the target is not a page.
    """

    runs: tuple[RunTimes, ...] = ()
    items: tuple[str, ...] = ()
    versions: tuple[VersionPlaces, ...] | None = None


@dataclass(frozen=True, slots=True)
class Timelines:
    """The stores in their order, and the times of git's revisions; None where no repository is."""

    stores: tuple[Timeline, ...]
    now: datetime
    revisions: Mapping[str, datetime] | None = None


@dataclass(frozen=True, slots=True)
class MomentBounds:
    """One bound for each store, and what is said beside the answer."""

    each: tuple[Bound, ...]
    told: tuple[MomentTold, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffSides:
    """Both sides of a difference."""

    left: MomentBounds
    right: MomentBounds


@dataclass(frozen=True, slots=True)
class _Edges:
    """All that a moment can bound: at its start, behind its end, up to its end, and before its start."""

    since: Bound
    after: Bound | MomentRefusal
    until: Bound | MomentRefusal
    before: Bound

    def used(self, use: MomentUse) -> Bound | MomentRefusal:
        match use:
            case MomentUse.SINCE:
                return self.since
            case MomentUse.AFTER:
                return self.after
            case MomentUse.AT | MomentUse.UNTIL | MomentUse.LEFT | MomentUse.RIGHT:
                return self.until
            case _:
                assert_never(use)


_NOWHERE: Final = _Edges(NOTHING, NOTHING, NOTHING, NOTHING)


def bounds_of(moment: Moment, use: MomentUse, known: Timelines) -> MomentBounds | MomentRefusal:
    """What a moment bounds in each store."""
    found = _edges(moment, known)
    if isinstance(found, MomentRefusal):
        return found
    edges, told = found
    return _gathered([edge.used(use) for edge in edges], told)


def diff_alone(moment: Moment | None, known: Timelines) -> DiffSides | MomentRefusal:
    """Both sides of `diff` with one moment, or with none: the latest change."""
    if moment is None:
        moment = _latest_change(known)
        if isinstance(moment, VersionNumber) and moment.number > 1:
            return _sides(
                bounds_of(VersionNumber(moment.number - 1), MomentUse.LEFT, known),
                bounds_of(moment, MomentUse.RIGHT, known),
            )
        if isinstance(moment, VersionNumber):
            return DiffSides(_everywhere(NOTHING, known), _everywhere(EVERYTHING, known))
    if isinstance(moment, RunNamed | LastRun):
        found = _edges(moment, known)
        if isinstance(found, MomentRefusal):
            return found
        edges, told = found
        left = _gathered([edge.before for edge in edges], told)
        return _sides(left, _gathered([edge.until for edge in edges], told))
    return _sides(bounds_of(moment, MomentUse.LEFT, known), _everywhere(EVERYTHING, known))


def diff_between(since: Moment, until: Moment | None, known: Timelines) -> DiffSides | MomentRefusal:
    """Both sides of `diff --since [--until]`."""
    found = _edges(since, known)
    if isinstance(found, MomentRefusal):
        return found
    edges, told = found
    right = bounds_of(until, MomentUse.UNTIL, known) if until else _everywhere(EVERYTHING, known)
    return _sides(_gathered([edge.before for edge in edges], told), right)


def refused_in_diff(moments: Sequence[str], flags: Mapping[MomentUse, str]) -> MomentRefusal | None:
    """Why `diff` does not take these moments and flags together; None where it does."""
    beside = [flag for flag in (MomentUse.AT, MomentUse.AFTER) if flag in flags]
    fault = MomentFault.TOO_MANY
    if beside:
        words = f"`diff` takes two moments, not --{beside[0]}"
        return MomentRefusal(fault, words, f"holdfast diff TARGET {flags[beside[0]]}")
    if len(moments) > _MOST_MOMENTS:
        words = f"`diff` takes two moments, not {len(moments)}"
        return MomentRefusal(fault, words, f"holdfast diff TARGET {' '.join(moments[:_MOST_MOMENTS])}")
    if moments and flags:
        words = "`diff` takes moments behind its target or --since and --until, not both"
        return MomentRefusal(fault, words, f"holdfast diff TARGET {' '.join(moments[:_MOST_MOMENTS])}")
    if MomentUse.UNTIL in flags and MomentUse.SINCE not in flags:
        words = "`diff --until` needs --since"
        return MomentRefusal(fault, words, f"holdfast diff TARGET --since M --until {flags[MomentUse.UNTIL]}")
    return None


def _gathered(
    found: Sequence[Bound | MomentRefusal], told: tuple[MomentTold, ...]
) -> MomentBounds | MomentRefusal:
    refused = next((each for each in found if isinstance(each, MomentRefusal)), None)
    return refused or MomentBounds(tuple(each for each in found if isinstance(each, Bound)), told)


def _everywhere(bound: Bound, known: Timelines) -> MomentBounds:
    return MomentBounds((bound,) * len(known.stores))


def _sides(
    left: MomentBounds | MomentRefusal, right: MomentBounds | MomentRefusal
) -> DiffSides | MomentRefusal:
    if isinstance(left, MomentRefusal):
        return left
    return right if isinstance(right, MomentRefusal) else DiffSides(left, right)


def _edges(moment: Moment, known: Timelines) -> tuple[list[_Edges], tuple[MomentTold, ...]] | MomentRefusal:
    """A moment's edges in each store, and what is told; or why there are none."""
    match moment:
        case TimeSpan(start, end):
            return [_of_span(start, end)] * len(known.stores), _told_of(moment, known.now)
        case Instant(at):
            return [_of_instant(at)] * len(known.stores), _told_of(moment, known.now)
        case GitRevision(name):
            time = _commit_time(name, known.revisions)
            if isinstance(time, MomentRefusal):
                return time
            return [_of_instant(time)] * len(known.stores), ()
        case LastRun():
            return _of_last(known)
        case RunNamed(prefix):
            return _of_run(prefix, known)
        case VersionNumber(number):
            return _of_version(number, known)
        case _:
            assert_never(moment)


def _told_of(moment: TimeSpan | Instant, now: datetime) -> tuple[MomentTold, ...]:
    if isinstance(moment, TimeSpan) and not moment.written[0].isdigit():
        return (MomentTold.UTC,)
    start = moment.start if isinstance(moment, TimeSpan) else moment.at
    return (MomentTold.AHEAD,) if start is not None and start > now else ()


def _of_span(start: datetime, end: datetime | None) -> _Edges:
    after = NOTHING if end is None else Bound(BoundKind.FROM, end)
    until = EVERYTHING if end is None else Bound(BoundKind.BEFORE, end)
    return _Edges(Bound(BoundKind.FROM, start), after, until, Bound(BoundKind.SHORT_OF, start))


def _of_instant(at: datetime | None) -> _Edges:
    return (
        _Edges(EVERYTHING, EVERYTHING, NOTHING, NOTHING)
        if at is None
        else _of_places(at, at, BoundKind.SHORT_OF)
    )


def _of_places(first: datetime | int, last: datetime | int, before: BoundKind = BoundKind.BEFORE) -> _Edges:
    since, after, until = BoundKind.FROM, BoundKind.BEHIND, BoundKind.UP_TO
    return _Edges(Bound(since, first), Bound(after, last), Bound(until, last), Bound(before, first))


def _commit_time(name: str, revisions: Mapping[str, datetime] | None) -> datetime | MomentRefusal:
    shown = shown_moment(GitRevision(name))
    if revisions is None:
        return MomentRefusal(
            MomentFault.NO_GIT,
            f"{shown} names a revision, and no git repository is here",
            "`-C DIR` goes there",
        )
    found = revisions.get(name)
    return found or MomentRefusal(
        MomentFault.MISSING_REVISION, f"git knows no revision {name}", "`git log` lists them"
    )


def _of_last(known: Timelines) -> tuple[list[_Edges], tuple[MomentTold, ...]] | MomentRefusal:
    last = [
        next((run for run in reversed(store.runs) if run.end is not None), None) for store in known.stores
    ]
    if not any(last):
        return MomentRefusal(
            MomentFault.NO_RUN_FINISHED,
            "no run has finished here, so there is no last one",
            "holdfast status",
        )
    told = () if all(last) else (MomentTold.NOT_THERE,)
    return [_of_places(run.begin, run.end) if run and run.end is not None else _NOWHERE for run in last], told


def _of_run(prefix: str, known: Timelines) -> tuple[list[_Edges], tuple[MomentTold, ...]] | MomentRefusal:
    """By the order of each store that has the run, elsewhere by its times."""
    owned = [[run for run in store.runs if run.run_id.startswith(prefix)] for store in known.stores]
    fits = {run.run_id: run for runs in owned for run in runs}
    if len(fits) != 1:
        return _several(prefix, tuple(fits)) if fits else _missing_run(prefix, known)
    (run,) = fits.values()
    told = () if all(owned) else (MomentTold.BY_CLOCK,)
    return [
        _of_places_in_run(own[0], own[0].begin, own[0].end)
        if own
        else _of_places_in_run(run, run.started, run.ended, BoundKind.SHORT_OF)
        for own in owned
    ], told


def _of_places_in_run(
    run: RunTimes,
    first: datetime | int,
    last: datetime | int | None,
    before: BoundKind = BoundKind.BEFORE,
) -> _Edges:
    """A run's edges; one that has not finished has no end."""
    if last is not None:
        return _of_places(first, last, before)
    words = f"the run {run.run_id} has not finished, so it has a start and no end"
    refusal = MomentRefusal(MomentFault.UNFINISHED_RUN, words, f"--since run:{run.run_id}, or --since last")
    return _Edges(Bound(BoundKind.FROM, first), refusal, refusal, Bound(before, first))


def _several(prefix: str, ids: tuple[str, ...]) -> MomentRefusal:
    readings = tuple(f"run:{each}" for each in ids)
    words = f"{len(ids)} runs begin with {prefix}"
    return MomentRefusal(MomentFault.SEVERAL_IDS, words, f"one of {', '.join(readings[:_LISTED])}", readings)


def _missing_run(prefix: str, known: Timelines) -> MomentRefusal:
    item = next((each for store in known.stores for each in store.items if each.startswith(prefix)), None)
    hint = "`holdfast log --runs` lists the runs"
    if item is not None:
        hint = f"item:{item} is an item, which is no moment; `holdfast log item:{item}` names its run"
    elif (stamp := _stamp(prefix)) is not None:
        hint = f"a time is written {stamp}"
    elif len(prefix) == _DIGITS_OF_A_DAY and prefix.isdigit():
        hint = "a day is written 2026-05-04; this one is not there"
    elif len(prefix) <= _LONGEST_REVISION:
        hint = f"git:{prefix} for a git revision"
    return MomentRefusal(MomentFault.MISSING_RUN, f"no run begins with {prefix[:_LONGEST_REVISION]}", hint)


def _stamp(digits: str) -> str | None:
    """A time whose digits are written together, as web archives do."""
    if len(digits) != _DIGITS_OF_A_STAMP or not digits.isdecimal():
        return None
    day, clock = digits[:_DIGITS_OF_A_DAY], digits[_DIGITS_OF_A_DAY:]
    try:
        return datetime.fromisoformat(f"{day}T{clock}").isoformat() + "Z"
    except ValueError:
        return None


def _of_version(number: int, known: Timelines) -> tuple[list[_Edges], tuple[MomentTold, ...]] | MomentRefusal:
    kept = [store.versions for store in known.stores]
    if all(versions is None for versions in kept):
        return MomentRefusal(
            MomentFault.NO_VERSIONS,
            f"v{number} is a version of a page, and only pages have versions",
            f"git:v{number} for a git revision of that name; 7d, last or a date here",
        )
    found = [versions[number - 1] if versions and 0 < number <= len(versions) else None for versions in kept]
    if not any(found):
        most = max(len(versions or ()) for versions in kept)
        words = f"the page has no version {number}"
        hint = f"v1 to v{most}" if most else "no version of it is kept"
        return MomentRefusal(MomentFault.MISSING_VERSION, words, hint)
    told = () if all(found) else (MomentTold.NOT_THERE,)
    return [_of_places(places.first, places.last) if places else _NOWHERE for places in found], told


def _latest_change(known: Timelines) -> Moment:
    """The newest version of a page; of all else the latest finished run that brought something."""
    versions = max((len(store.versions or ()) for store in known.stores), default=0)
    if any(store.versions is not None for store in known.stores):
        return VersionNumber(versions)
    brought = [[run for run in store.runs if run.end is not None and run.brought] for store in known.stores]
    latest = max((runs[-1] for runs in brought if runs), key=lambda run: run.started, default=None)
    return LastRun() if latest is None else RunNamed(latest.run_id)
