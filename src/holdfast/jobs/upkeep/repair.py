"""All of a store read, with what its mirrors' folders have; and its archive repaired.

What cannot be read is noted as lost, and the rest written anew. Damaged files lie aside, among the orphans:
somebody may still save them.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.core.settings.resolve import Settings
from holdfast.core.url.redaction import redact_url
from holdfast.jobs.mirror_place import MirrorPlace
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.upkeep.as_made import verify_with
from holdfast.jobs.upkeep.check_store import orphans_of, survey_archive
from holdfast.jobs.upkeep.forget import Rewritten, Wish, drop_spare, purge, read_or_lose
from holdfast.jobs.upkeep.verify_row import Repair, StoreVerified
from holdfast.questions.log.runs import mirror_labels

if TYPE_CHECKING:
    from holdfast.jobs.row_runner import StoreAtWork


async def verified(
    session: Session, work: StoreAtWork, mirror: str | None, *, is_plan: bool
) -> StoreVerified:
    """What reading all of a store finds, or of one of its mirrors; as a plan also what a repair would do."""
    known = session.ledger.archived
    labels = sorted(mirror_labels(session.ledger)) if mirror is None else [mirror]
    places = [MirrorPlace((work.root / label).resolve(), work.state, label) for label in labels]
    absent = tuple(each.label for each in places if mirror is None and not each.folder.is_dir())
    there = [each for each in places if each.label not in absent]
    survey = survey_archive(session)
    found = await verify_with(session, there, survey)
    return StoreVerified(
        mirrors=tuple(each.label for each in there),
        absent=absent,
        differences=found,
        files=survey.files,
        records=survey.records,
        captures=survey.captures,
        size=sum(known.ends().values()),
        lost=len(known.lost()),
        orphans=orphans_of(work.settings, work.state, known.ends).files(),
        repair=planned_repair(session, survey.damaged) if is_plan else None,
    )


def planned_repair(session: Session, damaged: Collection[str]) -> Repair:
    """What a repair would lose, and keep."""
    known, done = session.ledger.archived, Rewritten()
    lost = known.lost()
    for record in known.captures():
        if record.capture_id not in lost:
            read_or_lose(session.archive, record, done)
    return Repair(
        is_done=False, damaged=tuple(sorted(damaged)), kept=done.kept, lost=done.lost, urls=_shown(done)
    )


def repair(session: Session, damaged: Collection[str]) -> Repair:
    """Write the archive anew without what cannot be read, which is noted as lost; damaged files lie aside."""
    done, names = Rewritten(), sorted(damaged)
    session.archive.keep_aside(names)
    purge(session, done, Wish())
    drop_spare(session)
    return Repair(is_done=True, damaged=tuple(names), kept=done.kept, lost=done.lost, urls=_shown(done))


def _shown(done: Rewritten) -> tuple[str, ...]:
    return tuple(map(redact_url, done.urls))


def repair_archive(settings: Settings, state: Path) -> Repair:
    """Note what the archive cannot give back as lost, and write the rest anew."""
    with open_store(state, "verify --repair", settings) as session:
        survey = survey_archive(session)
        for _ in survey.problems():
            pass
        return repair(session, survey.damaged)
