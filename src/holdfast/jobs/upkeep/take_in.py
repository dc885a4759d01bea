"""Captures of which no ledger tells, taken in (STA-7).

They come from an archive whose ledger is lost, or from WARC files that others made; under the run that made
them where that is told, else under one of their own. Pages are converted anew; what a mirror calls them is
not known. What the ledger is told of each is decided in `core/crawl/intake`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.harvest import Harvest, HarvestRules
from holdfast.core.crawl.intake import BroughtCapture, BroughtPlaces, TakenIn, run_to_take_in
from holdfast.core.crawl.making import standard_of
from holdfast.core.crawl.mirror_spec import Standard, place_of
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.ledger_values import Finding
from holdfast.core.lineage.lineage import New, Run, RunTally, Superseding, Verdict
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.resolve import Settings
from holdfast.core.web.capture import Capture
from holdfast.jobs.converting import Refine, rules_for
from holdfast.jobs.load_settings import join_policy, load_identity
from holdfast.jobs.places import state_of
from holdfast.jobs.session import open_store
from holdfast.jobs.upkeep.as_made import standard_for
from holdfast.jobs.upkeep.store_commands import WarcImport
from holdfast.jobs.workers import converters
from holdfast.questions.log.runs import last_run_of_mirrors
from holdfast.storage.archive.foreign import ForeignFiles, digest_of_file
from holdfast.storage.scribe import commit_group
from holdfast.storage.store_ports import Recordable

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock
    from holdfast.storage.archive.archive import WarcArchive
    from holdfast.storage.ledger.ledger import Ledger

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Entry:
    finding: Finding
    response: Response | None
    beside: Response | None = None
    weight: int = 0


Commit = Callable[[str, Sequence[Recordable]], tuple[Verdict | None, ...]]


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
        done.items += sum(isinstance(verdict, New | Superseding) for verdict in written)
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


_IMPORTED = "imported"
"""What the ledger calls what came from others, where a mirror has the name of its folder."""


RunToTakeIn = tuple[Run, Standard, tuple[datetime, RunTally] | None]


async def take_in_under(
    ledger: Ledger,
    archive: WarcArchive,
    began: RunToTakeIn,
    brought: Iterator[BroughtCapture],
    settings: Settings,
) -> TakenIn:
    """Make of captures what the ledger is told of them, under a run that may have begun before."""
    clock, (run, standard, ended) = SystemClock(), began
    before = ledger.runs.run(run.run_id)
    with converters(settings) as refine:

        def commit(run_id: str, group: Sequence[Recordable]) -> tuple[Verdict | None, ...]:
            return commit_group(ledger, archive, run_id, group, clock.now())

        run = before.run if before else run
        return await take_in(brought, run, standard, (ledger, clock, refine, commit), ended)


def run_for(ledger: Ledger, settings: Settings, names: Sequence[str], label: str = "") -> RunToTakeIn:
    """The run under which captures come in: of the one mirror that the ledger knows, if it knows one."""
    last, labels = last_run_of_mirrors(ledger)
    if last is None:
        join = join_policy(settings, ledger.joins.version())
        standard = standard_of(load_identity(settings, "site")[0], join, None)
    else:
        standard = standard_for(last.recipe, settings, ledger)
    name = label or (labels.pop() if len(labels) == 1 else ".")
    return run_to_take_in(name, standard, names, SystemClock().now()), standard, None


async def import_warc(settings: Settings, files: Sequence[Path]) -> WarcImport:
    """Take in archives that others made; the same files again are nothing new."""
    for path in files:
        if not path.is_file():
            raise UsageError(f"there is no file {path}", hint="name WARC files: *.warc, *.warc.gz")
    with open_store(state_of(settings), "import", settings) as store:
        ledger = store.ledger
        began = run_for(ledger, settings, sorted(map(digest_of_file, files)), _IMPORTED)
        run = began[0]
        before = ledger.runs.run(run.run_id)
        if before is not None and before.ended_at is not None:
            counts = before.tally.counts
            return WarcImport(run.run_id, counts["captures"], counts["items"], (), was_done=True)
        limits = settings.fetch.limits
        foreign = ForeignFiles(files, max(limits.max_body_bytes, limits.max_decoded_bytes))
        brought = (BroughtCapture(capture, where) for capture, where in foreign.captures())
        done = await take_in_under(ledger, cast("WarcArchive", store.archive), began, brought, settings)
    return WarcImport(run.run_id, done.captures, done.items, (*foreign.flaws, *done.left_out))
