"""Captures of which no ledger tells, taken in (STA-7).

They come from an archive whose ledger is lost, or from WARC files that others made; under the run that made
them where that is told, else under one of their own. Pages are converted anew; what a mirror calls them is
not known. What the ledger is told of each is decided in `core/crawl/intake`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from pathlib import Path

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
from holdfast.jobs.load_settings import load_identity
from holdfast.jobs.places import state_of
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.upkeep.as_made import standard_for
from holdfast.jobs.upkeep.store_commands import WarcImport
from holdfast.questions.log.runs import last_run_of_mirrors
from holdfast.storage.archive.foreign import ForeignFiles, digest_of_file
from holdfast.storage.scribe import commit_group
from holdfast.storage.store_ports import Recordable

_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class _Entry:
    finding: Finding
    response: Response | None
    beside: Response | None = None
    weight: int = 0


RunToTakeIn = tuple[Run, Standard, tuple[datetime, RunTally] | None]
"""A run, how it reads pages, and when and how it ended, where that is known."""


async def take_in(session: Session, began: RunToTakeIn, brought: Iterable[BroughtCapture]) -> TakenIn:
    """Make of captures what the ledger is told of them, in the order given, under a run that may have begun
    before; each group is durable before the next.
    """
    ledger, (run, standard, ended) = session.ledger, began
    before = ledger.runs.run(run.run_id)
    run = before.run if before else run
    ledger.runs.begin_run(run, is_brought=ended is not None)
    done, seen = TakenIn(), BroughtPlaces(standard)
    rules = rules_for(standard, DistillOptions(glance=True, links=True, outline=True), keep_links=True)
    for group in _groups(brought):
        made = await asyncio.gather(*[_made(one.capture, session.refine, rules) for one in group])
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
        written = _commit(session, run, entries)
        done.captures += len(entries)
        done.items += sum(isinstance(verdict, New | Superseding) for verdict in written)
    if aliases := tuple(seen.other_names()):
        _commit(session, run, [_Entry(Finding(aliases=aliases), None)])
    tally = RunTally({"captures": done.captures, "items": done.items})
    ledger.runs.end_run(run.run_id, *(ended or (session.clock.now(), tally)))
    return done


def _commit(session: Session, run: Run, group: Sequence[Recordable]) -> tuple[Verdict | None, ...]:
    return commit_group(session.ledger, session.archive, run.run_id, group, session.clock.now())


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


def run_for(session: Session, names: Sequence[str], label: str = "") -> RunToTakeIn:
    """The run under which captures come in: of the one mirror that the ledger knows, if it knows one."""
    last, labels = last_run_of_mirrors(session.ledger)
    if last is None:
        standard = standard_of(load_identity(session.settings, "site")[0], session.policy, None)
    else:
        standard = standard_for(session, last.recipe)
    name = label or (labels.pop() if len(labels) == 1 else ".")
    return run_to_take_in(name, standard, names, session.clock.now()), standard, None


async def import_warc(settings: Settings, files: Sequence[Path]) -> WarcImport:
    """Take in archives that others made; the same files again are nothing new."""
    for path in files:
        if not path.is_file():
            raise UsageError(f"there is no file {path}", hint="name WARC files: *.warc, *.warc.gz")
    with open_store(state_of(settings), "import", settings) as session:
        began = run_for(session, sorted(map(digest_of_file, files)), _IMPORTED)
        run = began[0]
        before = session.ledger.runs.run(run.run_id)
        if before is not None and before.ended_at is not None:
            counts = before.tally.counts
            return WarcImport(run.run_id, counts["captures"], counts["items"], (), was_done=True)
        limits = settings.fetch.limits
        foreign = ForeignFiles(files, max(limits.max_body_bytes, limits.max_decoded_bytes))
        brought = (BroughtCapture(capture, where) for capture, where in foreign.captures())
        done = await take_in(session, began, brought)
    return WarcImport(run.run_id, done.captures, done.items, (*foreign.flaws, *done.left_out))
