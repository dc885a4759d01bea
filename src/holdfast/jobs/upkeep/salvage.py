"""History is brought back (STA-7): a ledger is made from the archive and what lies beside it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.system import sync_folder
from holdfast.core.base.errors import ArchiveError, UsageError
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.crawl.intake import BroughtCapture, TakenIn
from holdfast.core.lineage.chapters import RUN, RunsByPlace, ToldRun, told_run
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.core.settings.resolve import Settings
from holdfast.core.web.capture import Capture
from holdfast.jobs.places import ARCHIVE, LEDGER, server_address, state_of
from holdfast.jobs.session import Session, orphan_shelf, shelf_of
from holdfast.jobs.upkeep.as_made import standard_for
from holdfast.jobs.upkeep.copies import fill_server, require_empty_server
from holdfast.jobs.upkeep.rekey import rekey_ledger
from holdfast.jobs.upkeep.store_commands import LedgerRebuilt
from holdfast.jobs.upkeep.take_in import RunToTakeIn, run_for, take_in
from holdfast.storage.archive.archive import OrphanArchive, WarcArchive, open_archive
from holdfast.storage.archive.recovery import KnownFiles, copy_archive
from holdfast.storage.archive.shelf import FolderShelf, piece_of
from holdfast.storage.archive.without_ledger import Salvage, bring_back, chapters_of, keep_chapters
from holdfast.storage.ledger.restoring import Arrived, There
from holdfast.storage.sqlite.sqlite_ledger import open_ledger
from holdfast.storage.state_folder import in_words, lock

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger

_DRAFT = "ledger.db.rebuilding"


async def rebuild_ledger(settings: Settings) -> LedgerRebuilt:
    """Make a ledger from the archive and what lies beside it; one that is there is kept."""
    state = state_of(settings)
    if settings.store.ledger is not None:
        require_empty_server(server_address(settings))
    with lock(state, "store rebuild"), _archive_at_hand(settings, state) as home:
        before = {path.name for path in FolderShelf(home / ARCHIVE).files()}
        own, other = bring_back(home / ARCHIVE)
        if not any(file.captures or file.chapters for file in (*own, *other)):
            where = settings.store.archive or state
            raise UsageError(
                f"the archive in {where} holds nothing that a ledger could be made of",
                hint="--store names another store; a backup is put back by copying it there",
            )
        draft = state / _DRAFT
        with in_words(draft):
            _remove(draft)
        with Session(settings, home) as session:
            session.ledger = session.hold(open_ledger(draft, session.clock.now()))
            restored = _put_back(session, own, other)
            rekey_ledger(session, only_known=True)  # chapters may tell keys of several versions
            taken = await _take_in_the_rest(session, own, other, restored.unshown)
        _send_back(settings, home, before)
        with in_words(state / LEDGER):
            copy = _hand_over(draft, state, settings)
    flaws = [flaw for file in (*own, *other) for flaw in file.flaws]
    return LedgerRebuilt(
        restored.runs,
        restored.captures + taken.captures,
        restored.items + taken.items,
        restored.lost,
        taken.captures,
        (*flaws, *taken.left_out),
        copy.name if copy else None,
    )


@contextmanager
def _archive_at_hand(settings: Settings, state: Path) -> Iterator[Path]:
    """The folder that has the archive: the store, or one to which all objects of a bucket are
    brought.
    """
    if settings.store.archive is None:
        yield state
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        bucket = shelf_of(settings, state)
        there = {file.name: file.stat().st_size for file in bucket.files()}
        copy_archive(bucket, orphan_shelf(settings, state, there), Path(folder) / ARCHIVE, there)
        yield Path(folder)


def _send_back(settings: Settings, home: Path, before: Collection[str]) -> None:
    """Put what was written beside an archive that came from a bucket there, too."""
    if settings.store.archive is not None:
        from holdfast.jobs.bucket_archive import bucket_of  # noqa: PLC0415 - an extra

        bucket = bucket_of(settings)
        for path in FolderShelf(home / ARCHIVE).files():
            if path.name not in before:
                bucket.create(path.name, Path(home / ARCHIVE / path.name).read_bytes())


def _put_back(session: Session, own: list[Salvage], other: list[Salvage]) -> Arrived:
    """What the archive's chapters tell."""
    ledger = session.ledger
    by_name = {file.path.name: file for file in own}

    def there(ref: RecordRef) -> There:
        file = by_name.get(ref.file)
        if file is None:
            return There.NEVER
        return There.WHOLE if file.captures.get(ref.offset) == ref.length else There.DAMAGED

    done = Arrived(0, 0, 0, 0)
    if own:
        done = ledger.restore(chapters_of(own), own[0].store_id, there, session.clock.now())
    files = [file for file in (*own, *other) if file.path.parent == session.state / ARCHIVE]
    ledger.chapters.settle({file.path.name: file.end for file in files}, {file.store_id for file in files})
    return done


async def _take_in_the_rest(
    session: Session, own: list[Salvage], other: list[Salvage], unshown: frozenset[str]
) -> TakenIn:
    """Captures that no chapter tells of, or not what they show."""
    ledger, known = session.ledger, session.ledger.archived
    rest = _left_to_take_in(ledger, own, other, unshown)
    if not rest:
        return TakenIn()
    archive = session.hold(
        open_archive(
            session.state / ARCHIVE,
            KnownFiles(known.ends()),
            software=f"holdfast/{__version__}",
            store_id=known.store_id(),
            limit=session.settings.store.archive_file_mb * 1_000_000,
        )
    )
    session.archive, done = archive, TakenIn()
    refs = (record.ref for record in known.captures() if record.ref)
    end = max(((ref.file, ref.offset) for ref in refs), default=("", 0))
    known_already = Fingerprints(_sight(record) for record in known.captures() if record.ref)
    for told, part in _by_run(rest, other):
        brought = _brought(archive, session.state, part, done.left_out, (other, end))
        new = (one for one in brought if one.ref or _sight_of(one.capture) not in known_already)
        if (first := next(new, None)) is not None:
            names = [f"{ref.file} {ref.offset}" for _, ref, _ in part]
            run = _told_run_for(session, told) or run_for(session, names)
            done += await take_in(session, run, chain([first], new))
    if done.captures:
        keep_chapters(ledger.chapters, archive, session.clock.now())
    return done


def _left_to_take_in(
    ledger: Ledger, own: list[Salvage], other: list[Salvage], unshown: frozenset[str]
) -> list[_Rest]:
    """Captures that no chapter tells of, and those whose items no chapter tells."""
    known: dict[str, set[int]] = {}
    again: dict[tuple[str, int], CaptureRecord] = {}
    for record in ledger.archived.captures():
        if record.ref is not None:
            known.setdefault(record.ref.file, set()).add(record.ref.offset)
            if record.capture_id in unshown:
                again[record.ref.file, record.ref.offset] = record
    rest: list[_Rest] = []
    for file in (*own, *other):
        name, is_own = file.path.name, file not in other
        there = known.get(name, set()) if is_own else set()
        for offset, length in file.captures.items():
            shown_anew = again.get((name, offset)) if is_own else None
            if offset not in there or shown_anew is not None:
                rest.append((file, RecordRef(name, offset, length), shown_anew))
    return rest


def _by_run(rest: Sequence[_Rest], other: Sequence[Salvage]) -> Iterator[tuple[ToldRun | None, list[_Rest]]]:
    """What is to be taken in, by the run that a chapter beside it tells of; then what no chapter tells of."""
    chapters = [(file, name) for file in other for name in file.chapters if name.startswith(RUN)]
    runs = RunsByPlace(told_run(file.rows(name)) for file, name in chapters)
    aside = {file.path for file in other}
    groups: dict[str, list[_Rest]] = {}
    for one in rest:
        run_id = runs.run_id(one[1], piece_of(one[1].file)) if one[0].path in aside else ""
        groups.setdefault(run_id, []).append(one)
    for told in runs.oldest_first(groups):
        yield told, groups[told.run.run_id if told else ""]


_Rest = tuple[Salvage, RecordRef, CaptureRecord | None]


def _sight(record: CaptureRecord) -> str:
    """What was seen, when: by that a capture is known again, whatever run it has in a ledger."""
    return f"{record.payload_sha256 or ''} {record.status} {record.fetched_at.isoformat()} {record.final_url}"


def _sight_of(capture: Capture) -> str:
    digest = hashlib.sha256(capture.body).hexdigest() if capture.body else ""
    return f"{digest} {capture.status} {capture.fetched_at.isoformat()} {capture.final.href}"


def _brought(
    archive: WarcArchive,
    state: Path,
    rest: Sequence[_Rest],
    left: list[str],
    known: tuple[Sequence[Salvage], tuple[str, int]],
) -> Iterator[BroughtCapture]:
    """Each capture, read from where it stands; those that are not in the archive itself have no place yet.
    `known` are the files of others, and up to where the ledger knows the store's own: what was written after
    that comes in the order in which it was written.
    """
    other, end = known
    aside = OrphanArchive(state / ARCHIVE)
    for file, ref, record in rest:
        is_home = file.path.parent == state / ARCHIVE
        reader = archive if is_home else aside
        where = f"{ref.file} at {ref.offset}"
        try:
            capture = reader.read(ref)
        except ArchiveError as error:
            left.append(error.message)
            continue
        is_own = file not in other and (ref.file, ref.offset) > end and not capture.is_brought
        yield BroughtCapture(capture, where, ref if is_home else None, record, is_own)


def _told_run_for(session: Session, told: ToldRun | None) -> RunToTakeIn | None:
    """The run that made the captures, and its end, if they can be read as it read them."""
    standard = standard_for(session, told.run.recipe) if told else None
    if told is None or standard is None or standard.recipe != told.run.recipe:
        return None
    return told.run, standard, (told.ended_at, told.tally) if told.ended_at else None


def _hand_over(draft: Path, state: Path, settings: Settings) -> Path | None:
    """Put the new ledger where the settings have it: in the place of the file, or on the server, if that has
    none. What was there before is kept.
    """
    if settings.store.ledger is None:
        return _swap(draft, state / LEDGER)
    fill_server(draft, server_address(settings))
    _remove(draft)
    return None


def _swap(draft: Path, ledger: Path) -> Path | None:
    """Put the new ledger in the place of the old one, which is kept, its log with it: durable, each step."""
    kept = None
    if ledger.exists():
        number = 1
        while (kept := ledger.with_name(f"{ledger.name}.before-rebuild-{number}")).exists():
            number += 1
        for tail in ("", "-wal"):
            with suppress(FileNotFoundError):
                os.link(f"{ledger}{tail}", f"{kept}{tail}")
        sync_folder(ledger.parent)
    for tail in ("-wal", "-shm"):
        Path(f"{ledger}{tail}").unlink(missing_ok=True)
    draft.replace(ledger)
    sync_folder(ledger.parent)
    return kept


def _remove(draft: Path) -> None:
    for tail in ("", "-wal", "-shm"):
        Path(f"{draft}{tail}").unlink(missing_ok=True)
