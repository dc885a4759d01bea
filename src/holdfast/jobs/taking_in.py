"""Captures of which no ledger tells, taken in (STA-7): from an archive whose ledger is lost, or from files
that others made. They come under the run that made them where that is told, else under one of their own.
Pages are converted anew; what a mirror calls them is not known.

A redirect is a record of its own there, before or after what it leads to: when all are in, each address that
leads to a page, by however many of them, is another name of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from holdfast.core.capture import Capture
from holdfast.core.crawl.endings import page_links
from holdfast.core.crawl.harvest import Harvest, HarvestRules
from holdfast.core.crawl.standard import Standard, place_of
from holdfast.core.distill_options import DistillOptions
from holdfast.core.hashing import UrlKey, id_of
from holdfast.core.ledger import Alias, AliasReason, Committed, Confirmed, Draft, Finding
from holdfast.core.lineage import CaptureRecord, Job, New, RecordRef, Run, Superseding
from holdfast.core.place import Place
from holdfast.core.redirects import REDIRECTS, next_hop
from holdfast.core.response import Response
from holdfast.core.run_tally import RunTally
from holdfast.core.url import Url
from holdfast.jobs.conversion import rules_for
from holdfast.jobs.refining import Refine
from holdfast.ports import Clock, Ledger, Recordable

__all__ = ["BroughtCapture", "TakenIn", "run_to_take_in", "take_in"]

_AT_ONCE = 16
_NOT_MODIFIED = 304
_MOST_HOPS = 20


@dataclass(frozen=True, slots=True)
class BroughtCapture:
    """A capture, where it came from, and where the archive has it, if it has. `record` is its row, where the
    ledger knows the capture and not what it shows.
    """

    capture: Capture
    origin: str
    ref: RecordRef | None = None
    record: CaptureRecord | None = None


@dataclass(slots=True)
class TakenIn:
    """How many captures came in and how many items they made; what was left out, and why."""

    captures: int = 0
    items: int = 0
    left_out: list[str] = field(default_factory=list)

    def __iadd__(self, other: TakenIn) -> TakenIn:
        self.captures += other.captures
        self.items += other.items
        self.left_out += other.left_out
        return self


@dataclass(frozen=True, slots=True)
class _Entry:
    finding: Finding
    response: Response | None
    beside: Response | None = None
    weight: int = 0


Commit = Callable[[str, Sequence[Recordable]], tuple[Committed, ...]]


def run_to_take_in(label: str, standard: Standard, names: Sequence[str], now: datetime) -> Run:
    """The run under which captures come in; `names` say which captures: the same ones again are the same
    run.
    """
    return Run(
        run_id=id_of("taken in", label, str(standard.recipe), *names),
        job=Job.MIRROR,
        recipe=standard.recipe,
        identity_digest=standard.digest,
        started_at=now,
        label=label,
    )


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
    ledger.runs.begin_run(run)
    done, seen = TakenIn(), _Seen(standard)
    rules = rules_for(standard, DistillOptions(glance=True, links=True, outline=True), keep_links=True)
    for group in _groups(brought):
        made = await asyncio.gather(*[_made(one.capture, refine, rules) for one in group])
        entries = []
        for one, page in zip(group, made, strict=True):
            place = place_of(one.capture.page, standard)
            if place is None:
                done.left_out.append(f"{one.origin}: the policy refuses {one.capture.page}")
                continue
            finding = seen.finding_of(one.capture, place, page)
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


class _Seen:
    """The places that showed a page so far, and those that led elsewhere."""

    def __init__(self, standard: Standard) -> None:
        self._standard = standard
        self._shown: set[UrlKey] = set()
        self._led: dict[UrlKey, tuple[Place, Place]] = {}

    def finding_of(self, capture: Capture, place: Place, page: Harvest | None) -> Finding:
        """What the ledger is told of a capture, and the page that it is, if it is one."""
        if page is not None:
            self._shown.add(place.key)
            said, links = page.content, page_links(page.links)
            names = [name for name in page.hops if name.key != place.key]
            return Finding(
                made=Draft(said.content_sha256, said.title, links, sections=said.sections),
                aliases=tuple(Alias(name, place, AliasReason.REDIRECT) for name in names),
            )
        if capture.status == _NOT_MODIFIED and place.key in self._shown:
            return Finding(made=Confirmed())
        if capture.status in REDIRECTS:
            target = next_hop(capture.final, capture.status, capture.header("location"))
            there = place_of(target, self._standard) if isinstance(target, Url) else None
            if there is not None:
                self._led[place.key] = place, there
        return Finding()

    def other_names(self) -> Iterator[Alias]:
        """The places that are not pages, and lead to one by redirects."""
        for name, there in self._led.values():
            end = there
            for _ in range(_MOST_HOPS):
                if end.key in self._shown or end.key not in self._led:
                    break
                end = self._led[end.key][1]
            if name.key not in self._shown and end.key in self._shown:
                yield Alias(name, end, AliasReason.REDIRECT)


async def _made(capture: Capture, refine: Refine, rules: HarvestRules) -> Harvest | None:
    """What a capture says, if it is a page."""
    if not 200 <= capture.status < 300 or not capture.body:
        return None
    made = await refine(capture, rules)
    return made if isinstance(made, Harvest) and made.skip is None else None


def _groups(brought: Iterable[BroughtCapture]) -> Iterator[list[BroughtCapture]]:
    left = iter(brought)
    while group := list(islice(left, _AT_ONCE)):
        yield group
