"""What a moment means in an open store: the order of its runs, of a page's captures and versions (LIN-10).

The captures of a page have places in the order in which the store kept them. A run begins and ends in that
order, also where the page has no capture of it. Days and instants need no order: they go by the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.lineage.lineage import CaptureRecord, Job, RunRecord
from holdfast.core.lineage.versions import PageVersion
from holdfast.core.targets.bound import Bound, CaptureStamp, captures_in
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.targets.moment import LastRun, Moment, RunNamed, VersionNumber
from holdfast.core.targets.moment_bounds import RunTimes, Timeline, VersionPlaces
from holdfast.core.url.policy import Policy
from holdfast.questions.log.mirror_log import gone_in
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
        return _of_mirror(ledger, found, target.value, moment) if target.kind is TargetKind.MIRROR else found
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


def _of_mirror(ledger: Ledger, found: Timeline, label: str, moment: Moment | None) -> Timeline:
    """The runs of one mirror, where the last of them is meant; the latest change is of the last one that
    brought something.
    """
    if not isinstance(moment, LastRun | None):
        return found
    own = {each.run.run_id: each for each in ledger.runs.latest_first(label=label, job=Job.MIRROR)}
    runs = [each for each in found.runs if each.run_id in own]
    if moment is None:
        for place in reversed(range(len(runs))):
            brought = ledger.history.count_brought(runs[place].run_id)
            count = brought.new + brought.changed + len(gone_in(ledger, own[runs[place].run_id]))
            if count and runs[place].end is not None:
                runs[place] = replace(runs[place], brought=count)
                break
    return replace(found, runs=tuple(runs))


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
