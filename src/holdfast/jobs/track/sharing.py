"""One run of tracking whose URLs others ask: the documents are read and told of here, the answers come by way
of the ledger. What is found is what one process finds: places are independent of each other, and a host is
asked by one worker.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from holdfast.core.citation import LedgerEvent
from holdfast.core.sharding import shard_of
from holdfast.jobs.track import Tracker
from holdfast.jobs.track.run import citing_anew
from holdfast.questions.track.planning import TrackPlan
from holdfast.questions.track.result import TrackResult

__all__ = ["AskElsewhere", "plan_of_shard", "track_shared"]

AskElsewhere = Callable[[TrackPlan, tuple[str, ...] | None], Awaitable[None]]
"""Has all that is planned asked, of what these documents cite (None: all of them), and waits for it."""
_CLOCKS_DIFFER: Final = timedelta(hours=1)
"""Workers have clocks of their own: an event may be older than the run it is of."""


async def track_shared(tracker: Tracker, ask: AskElsewhere) -> TrackResult:
    """Everything: read, have asked what is due, report."""
    report = tracker.read()
    cited = tracker.survey(report)
    tracker.chart(cited)
    plan = tracker.make_plan(cited)
    events: tuple[LedgerEvent, ...] = ()
    if plan.asks:
        before = {_name(event) for event in _recent(tracker)}
        await ask(plan, None if tracker.options.reading.is_whole else tuple(report.paths))
        events = tuple(event for event in _recent(tracker) if _name(event) not in before)
        cited = tracker.survey(report)
        paths = citing_anew(plan.asks, cited, events)
        tracker.read_again(paths)
        if paths:
            cited = tracker.survey(report)
    return tracker.result(report, plan, cited, asked=len(plan.asks), events=events)


def plan_of_shard(plan: TrackPlan, shard: int, of: int) -> TrackPlan:
    """What of a plan is asked by whoever has one of so many parts."""
    asks = tuple(ask for ask in plan.asks if shard_of(ask.url.host, of) == shard)
    return TrackPlan(asks, (), 0)


def _recent(tracker: Tracker) -> list[LedgerEvent]:
    since = tracker.clock.now() - _CLOCKS_DIFFER
    return tracker.keeper.now(lambda ledger, _: list(ledger.citations.events(since)))


def _name(event: LedgerEvent) -> tuple[object, ...]:
    return event.at, event.kind, event.place.key, event.old, event.new
