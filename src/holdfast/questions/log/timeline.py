"""What a moment means in an open store: the order of its runs, of a page's captures and versions (LIN-10).

The captures of a page have places in the order in which the store kept them. A run begins and ends in that
order, also where the page has no capture of it. Days and instants need no order: they go by the clock.

An event of a page is taken with the capture that brought it, an event of a run by the run's place.
`RunsTaken` leaves out, unread, the runs that no bound can take anything of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from holdfast.core.events.happenings import Occurrence
from holdfast.core.lineage.ledger_values import LeftPage
from holdfast.core.lineage.lineage import CaptureRecord, Job, RunRecord
from holdfast.core.lineage.versions import PageVersion, of_page
from holdfast.core.targets.bound import Bound, BoundKind, CaptureStamp, captures_in
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.targets.moment import LastRun, Moment, RunNamed, VersionNumber
from holdfast.core.targets.moment_bounds import RunTimes, Timeline, VersionPlaces
from holdfast.core.url.policy import Policy
from holdfast.questions.log.page_log import key_of_page, versions_seen
from holdfast.questions.rows.resolve_target import find_place

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger

RUN_PLACES: Final = 1 << 24
"""Places that a run has: more than a page has captures of it."""


def captures_taken(
    ledger: Ledger, captures: Sequence[CaptureRecord], bound: Bound
) -> Sequence[CaptureRecord]:
    """The captures of a page, in the store's order, that a bound takes."""
    if bound.point is None or isinstance(bound.point, datetime):
        stamps = tuple(CaptureStamp(0, capture.fetched_at) for capture in captures)
    else:
        stamps = stamps_of(runs_in_order(ledger), captures)
    taken = captures_in(bound, stamps)
    return captures[taken.start : taken.stop]


class RunsTaken:
    """The runs of a store that bounds take, and which events of them."""

    def __init__(self, ledger: Ledger, bounds: Sequence[Bound]) -> None:
        self._ledger = ledger
        self._bounds = bounds
        self._runs = runs_in_order(ledger)
        self._numbers = {each.run.run_id: number for number, each in enumerate(self._runs)}

    def begun(self) -> list[RunRecord]:
        """The runs that began in the bounds, the latest first."""
        stamps = [CaptureStamp(n * RUN_PLACES, each.run.started_at) for n, each in enumerate(self._runs)]
        taken = [captures_in(bound, stamps) for bound in self._bounds]
        fits = (each for n, each in enumerate(self._runs) if all(n in places for places in taken))
        return list(fits)[::-1]

    def with_events(self) -> list[RunRecord]:
        """The runs that can have events in the bounds, the latest first."""
        latest = list(accumulate(map(_last_time, self._runs), max))
        earliest = list(accumulate((each.run.started_at for each in reversed(self._runs)), min))[::-1]
        return [
            each
            for n, each in reversed(list(enumerate(self._runs)))
            if all(_may_take(bound, n * RUN_PLACES, earliest[n], latest[n]) for bound in self._bounds)
        ]

    def takes(self, event: Occurrence) -> bool:
        """Whether the bounds take an event."""
        stamp = (CaptureStamp(self._numbers[event.run_id] * RUN_PLACES, event.at),)
        left_out = [bound for bound in self._bounds if not captures_in(bound, stamp)]
        if event.page is None or not all(isinstance(bound.point, datetime) for bound in left_out):
            return not left_out
        place, capture = event.page.item.place, event.page.now.capture
        seen = of_page(self._ledger.history.of_url(place.web_key), place) if left_out else ()
        captures = tuple({each.capture.capture_id: each.capture for each in seen}.values())
        return all(
            capture.capture_id in {each.capture_id for each in captures_taken(self._ledger, captures, bound)}
            for bound in left_out
        )


def _last_time(run: RunRecord) -> datetime:
    """When a run ended; what happens to cited URLs is of the last run of tracking until the next one."""
    if run.run.job is Job.TRACK and run.ended_at is None:
        return datetime.max.replace(tzinfo=UTC)
    return max(run.ended_at or run.updated_at, run.updated_at)


def _may_take(bound: Bound, place: int, earliest: datetime, latest: datetime) -> bool:
    """Whether a bound can take anything of a run; `earliest` is over it and all later ones, `latest` over it
    and all that were before it.
    """
    by_clock = isinstance(bound.point, datetime)
    time = latest if bound.kind in (BoundKind.FROM, BoundKind.BEHIND) else earliest
    return bool(captures_in(bound, (CaptureStamp(0 if by_clock else place, time),)))


def timeline_of(ledger: Ledger, policy: Policy, /, target: CommandTarget, moment: Moment | None) -> Timeline:
    """What a store says of a target's runs and versions, as far as a moment asks for it; None is the latest
    change.
    """
    if not isinstance(moment, LastRun | RunNamed | VersionNumber | None):
        return Timeline()
    items = ledger.history.items(moment.prefix) if isinstance(moment, RunNamed) else ()
    named = tuple(item.item_id for item in items)
    if target.kind not in (TargetKind.PAGE, TargetKind.SECTION):
        found = replace(_timeline(ledger), items=named)
        return _of_target(ledger, found, target, moment)
    url = target.value.partition("#")[0]
    place = find_place(ledger, url, policy)
    if place is None:
        return _timeline(ledger, versions=())
    key = key_of_page(ledger, place.web_key, ledger.pages.names_of(place.web_key))
    seen = tuple(ledger.history.of_url(key))
    captures = tuple({each.capture.capture_id: each.capture for each in seen}.values())
    found = _timeline(ledger, captures, versions_seen(ledger, key, url, seen))
    if not isinstance(moment, LastRun):
        return replace(found, items=named)
    of_page = {capture.run_id for capture in captures}
    return replace(found, runs=tuple(run for run in found.runs if run.run_id in of_page))


def _of_target(ledger: Ledger, found: Timeline, target: CommandTarget, moment: Moment | None) -> Timeline:
    """The target's own runs, where the last of them is meant; the latest change is of the last one that
    brought something.
    """
    if not isinstance(moment, LastRun | None):
        return found
    own = {each.run.run_id: each for each in ledger.runs.latest_first() if _is_of(each, target)}
    runs = [each for each in found.runs if each.run_id in own]
    for place in reversed(range(len(runs) if moment is None else 0)):
        count = ledger.history.count_brought(runs[place].run_id)
        brought = count.new + count.changed + len(gone_in(ledger, own[runs[place].run_id]))
        if brought and runs[place].end is not None:
            runs[place] = replace(runs[place], brought=brought)
            break
    return replace(found, runs=tuple(runs))


def _is_of(run: RunRecord, target: CommandTarget) -> bool:
    """Whether a run is one of a mirror, or of those that read documents."""
    if target.kind is TargetKind.MIRROR:
        return run.run.label == target.value
    is_all = target.kind is not TargetKind.DOCUMENTS or target.form is DocumentsForm.FOLDER
    return is_all or run.run.job is Job.TRACK


def gone_in(ledger: Ledger, run: RunRecord) -> tuple[LeftPage, ...]:
    """The pages that were there before a run, and not after it."""
    began, until = run.run.started_at, run.ended_at or run.updated_at
    left = ledger.pages.left_between(run.run.label, began, until)
    return tuple(page for page in left if _was_there(ledger, run.run.label, page, began))


def _was_there(ledger: Ledger, label: str, page: LeftPage, before: datetime) -> bool:
    """Whether a page was seen before a moment, and had not left since: one that a run makes and joins to its
    shorter address at the end leaves in every run, and is in none.
    """
    looks = of_page(ledger.history.of_url(page.place.web_key), page.place)
    seen = [look.capture.fetched_at for look in looks if look.capture.fetched_at < before]
    left = [at for at in ledger.pages.absences(label, page.place.key) if at < before]
    return bool(seen) and (not left or max(left) <= max(seen))


def _timeline(
    ledger: Ledger, captures: Sequence[CaptureRecord] = (), versions: Sequence[PageVersion] | None = None
) -> Timeline:
    runs = runs_in_order(ledger)
    stamps = stamps_of(runs, captures)
    of_run: dict[str, list[int]] = {}
    of_capture: dict[str, int] = {}
    for capture, stamp in zip(captures, stamps, strict=True):
        of_run.setdefault(capture.run_id, []).append(stamp.place)
        of_capture[capture.capture_id] = stamp.place
    times = tuple(_times(number, each, of_run.get(each.run.run_id)) for number, each in enumerate(runs))
    if versions is None:
        return Timeline(times)
    begins = [of_capture[each.capture.capture_id] for each in versions]
    ends = [*(begin - 1 for begin in begins[1:]), len(runs) * RUN_PLACES]
    return Timeline(times, versions=tuple(map(VersionPlaces, begins, ends)))


def runs_in_order(ledger: Ledger) -> list[RunRecord]:
    """The runs of a store, the oldest first."""
    return list(ledger.runs.latest_first())[::-1]


def stamps_of(runs: Sequence[RunRecord], captures: Iterable[CaptureRecord]) -> tuple[CaptureStamp, ...]:
    """Where the captures of a URL stand in the store's order, and when the clock said they were."""
    numbers = {each.run.run_id: number for number, each in enumerate(runs)}
    found: list[CaptureStamp] = []
    for capture in captures:
        last = found[-1].place if found else -1
        found.append(CaptureStamp(max(last + 1, numbers[capture.run_id] * RUN_PLACES), capture.fetched_at))
    return tuple(found)


def _times(number: int, each: RunRecord, places: Sequence[int] | None) -> RunTimes:
    begin, end = (places[0], places[-1]) if places else (number * RUN_PLACES, (number + 1) * RUN_PLACES - 1)
    ended = each.ended_at
    return RunTimes(each.run.run_id, begin, end if ended else None, each.run.started_at, ended)
