"""Wiring of what brings history back, or in (STA-7): a ledger made from the archive, others' archives."""

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
from holdfast.adapters.system import SystemClock, sync_folder
from holdfast.core.base.errors import ArchiveError, UsageError
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.crawl.intake import BroughtCapture, TakenIn
from holdfast.core.lineage.chapters import RUN, RunsByPlace, ToldRun, told_run
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef
from holdfast.core.settings.resolve import Settings
from holdfast.core.web.capture import Capture
from holdfast.jobs.places import ARCHIVE, LEDGER, state_of
from holdfast.jobs.upkeep.as_made import standard_for
from holdfast.jobs.upkeep.copies import fill_server, require_empty_server
from holdfast.jobs.upkeep.rekey import rekey_ledger
from holdfast.jobs.upkeep.store_commands import LedgerRebuilt
from holdfast.jobs.upkeep.take_in import RunToTakeIn, run_for, take_in_under
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
        from holdfast.jobs.server_ledger import server_address  # noqa: PLC0415 - imported when it is used

        require_empty_server(server_address(settings))
    with lock(state, "db rebuild"), _archive_at_hand(settings, state) as home:
        before = {path.name for path in FolderShelf(home / ARCHIVE).files()}
        own, other = bring_back(home / ARCHIVE)
        if not any(file.captures or file.chapters for file in (*own, *other)):
            where = settings.store.archive or state
            raise UsageError(
                f"the archive in {where} holds nothing that a ledger could be made of",
                hint="--state names another state folder; a backup is put back by copying it there",
            )
        draft = state / _DRAFT
        with in_words(draft):
            _remove(draft)
        ledger = open_ledger(draft, SystemClock().now())
        try:
            restored = _put_back(ledger, own, other, home)
            rekey_ledger(ledger, settings, only_known=True)  # chapters may tell keys of several versions
            taken = await _take_in_the_rest(ledger, own, other, restored.unshown, home, settings)
        finally:
            ledger.close()
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
    """The folder that has the archive: the state folder, or one to which all objects of a bucket are
    brought.
    """
    if settings.store.archive is None:
        yield state
        return
    with tempfile.TemporaryDirectory(prefix="holdfast-") as folder:
        from holdfast.jobs.bucket_archive import bucket_of  # noqa: PLC0415 - imported when it is used

        bucket = bucket_of(settings)
        there = {file.name: file.stat().st_size for file in bucket.files()}
        from holdfast.jobs.bucket_archive import unknown_objects  # noqa: PLC0415 - imported when it is used

        copy_archive(bucket, unknown_objects(settings, there), Path(folder) / ARCHIVE, there)
        yield Path(folder)


def _send_back(settings: Settings, home: Path, before: Collection[str]) -> None:
    """Put what was written beside an archive that came from a bucket there, too."""
    if settings.store.archive is not None:
        from holdfast.jobs.bucket_archive import bucket_of  # noqa: PLC0415 - imported when it is used

        bucket = bucket_of(settings)
        for path in FolderShelf(home / ARCHIVE).files():
            if path.name not in before:
                bucket.create(path.name, Path(home / ARCHIVE / path.name).read_bytes())


def _put_back(ledger: Ledger, own: list[Salvage], other: list[Salvage], state: Path) -> Arrived:
    """What the archive's chapters tell."""
    by_name = {file.path.name: file for file in own}

    def there(ref: RecordRef) -> There:
        file = by_name.get(ref.file)
        if file is None:
            return There.NEVER
        return There.WHOLE if file.captures.get(ref.offset) == ref.length else There.DAMAGED

    done = Arrived(0, 0, 0, 0)
    if own:
        done = ledger.restore(chapters_of(own), own[0].store_id, there, SystemClock().now())
    files = [file for file in (*own, *other) if file.path.parent == state / ARCHIVE]
    ledger.chapters.settle({file.path.name: file.end for file in files}, {file.store_id for file in files})
    return done


async def _take_in_the_rest(
    ledger: Ledger,
    own: list[Salvage],
    other: list[Salvage],
    unshown: frozenset[str],
    state: Path,
    settings: Settings,
) -> TakenIn:
    """Captures that no chapter tells of, or not what they show."""
    rest = _left_to_take_in(ledger, own, other, unshown)
    if not rest:
        return TakenIn()
    archive = open_archive(
        state / ARCHIVE,
        KnownFiles(ledger.archived.ends()),
        software=f"holdfast/{__version__}",
        store_id=ledger.archived.store_id(),
        limit=settings.store.archive_file_mb * 1_000_000,
    )
    try:
        done = TakenIn()
        refs = (record.ref for record in ledger.archived.captures() if record.ref)
        end = max(((ref.file, ref.offset) for ref in refs), default=("", 0))
        known_already = Fingerprints(_sight(record) for record in ledger.archived.captures() if record.ref)
        for told, part in _by_run(rest, other):
            brought = _brought(archive, state, part, done.left_out, (other, end))
            new = (one for one in brought if one.ref or _sight_of(one.capture) not in known_already)
            if (first := next(new, None)) is not None:
                names = [f"{ref.file} {ref.offset}" for _, ref, _ in part]
                run = _told_run_for(ledger, settings, told) or run_for(ledger, settings, names)
                done += await take_in_under(ledger, archive, run, chain([first], new), settings)
        if done.captures:
            keep_chapters(ledger.chapters, archive, SystemClock().now())
        return done
    finally:
        archive.close()


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


def _told_run_for(ledger: Ledger, settings: Settings, told: ToldRun | None) -> RunToTakeIn | None:
    """The run that made the captures, and its end, if they can be read as it read them."""
    standard = standard_for(told.run.recipe, settings, ledger) if told else None
    if told is None or standard is None or standard.recipe != told.run.recipe:
        return None
    return told.run, standard, (told.ended_at, told.tally) if told.ended_at else None


def _hand_over(draft: Path, state: Path, settings: Settings) -> Path | None:
    """Put the new ledger where the settings have it: in the place of the file, or on the server, if that has
    none. What was there before is kept.
    """
    if settings.store.ledger is None:
        return _swap(draft, state / LEDGER)
    from holdfast.jobs.server_ledger import server_address  # noqa: PLC0415 - imported when it is used

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
