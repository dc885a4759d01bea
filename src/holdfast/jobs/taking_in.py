"""Captures of which no ledger tells, taken in (STA-7): from an archive whose ledger is lost, or from files
that others made. They come under the run that made them where that is told, else under one of their own.
Pages are converted anew; what a mirror calls them is not known. What the ledger is told of each is decided in
`core.crawl.taking_in`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice

from holdfast.core.capture import Capture
from holdfast.core.crawl.harvest import Harvest, HarvestRules
from holdfast.core.crawl.standard import Standard, place_of
from holdfast.core.crawl.taking_in import BroughtCapture, BroughtPlaces, TakenIn
from holdfast.core.distill_options import DistillOptions
from holdfast.core.ledger import Committed, Finding
from holdfast.core.lineage import New, Run, Superseding
from holdfast.core.response import Response
from holdfast.core.run_tally import RunTally
from holdfast.core.values import dataclass
from holdfast.jobs.conversion import rules_for
from holdfast.jobs.refining import Refine
from holdfast.ports import Clock, Ledger, Recordable

__all__ = ["take_in"]

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Entry:
    finding: Finding
    response: Response | None
    beside: Response | None = None
    weight: int = 0


Commit = Callable[[str, Sequence[Recordable]], tuple[Committed, ...]]


async def take_in(
    brought: Iterable[BroughtCapture],
    run: Run,
    standard: Standard,
    tools: tuple[Ledger, Clock, Refine, Commit],
    ended: tuple[datetime, RunTally] | None = None,
) -> TakenIn:
    """Take captures in, in the order given; each group is durable before the next. `ended` is when and how
    the run did, where it is known.
    """
    ledger, clock, refine, commit = tools
    ledger.runs.begin_run(run, is_brought=ended is not None)
    done, seen = TakenIn(), BroughtPlaces(standard)
    rules = rules_for(standard, DistillOptions(glance=True, links=True, outline=True), keep_links=True)
    for group in _groups(brought):
        made = await asyncio.gather(*[_made(one.capture, refine, rules) for one in group])
        entries = []
        for one, page in zip(group, made, strict=True):
            place = place_of(one.capture.page, standard)
            if place is None:
                done.left_out.append(f"{one.origin}: the policy refuses {one.capture.page}")
                continue
            finding = seen.finding_of(one.capture, place, page, is_own=one.is_own)
            if one.record is not None:
                entries.append(_Entry(finding.with_capture(one.record), None))
            else:
                entries.append(_Entry(finding, Response(one.capture, place, one.ref)))
        written = commit(run.run_id, entries)
        done.captures += len(entries)
        done.items += sum(isinstance(one.verdict, New | Superseding) for one in written)
    if aliases := tuple(seen.other_names()):
        commit(run.run_id, [_Entry(Finding(aliases=aliases), None)])
    tally = RunTally({"captures": done.captures, "items": done.items})
    ledger.runs.end_run(run.run_id, *(ended or (clock.now(), tally)))
    return done


async def _made(capture: Capture, refine: Refine, rules: HarvestRules) -> Harvest | None:
    """What a capture says, if it is a page."""
    if not 200 <= capture.status < 300 or not capture.body:
        return None
    made = await refine(capture, rules)
    return made if isinstance(made, Harvest) and made.skip is None else None


def _groups(brought: Iterable[BroughtCapture]) -> Iterator[list[BroughtCapture]]:
    """A few at a time; those that are the store's own, and others, go by themselves: the place of what is
    brought is looked up among what is there.
    """
    for _, alike in groupby(brought, key=lambda one: one.is_own):
        while group := list(islice(alike, _AT_ONCE)):
            yield group
