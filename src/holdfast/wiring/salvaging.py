"""Wiring of what brings history back, or in (STA-7): a ledger made from the archive, others' archives."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import cast

from holdfast import __version__, wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.scribe import commit_group
from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.adapters.sql.restoring import Restored, There
from holdfast.adapters.sqlite.ledger import open_ledger
from holdfast.adapters.state_folder import in_words, lock
from holdfast.adapters.system import sync_folder
from holdfast.adapters.warc.archive import OrphanArchive, WarcArchive, open_archive
from holdfast.adapters.warc.chapters import keep_chapters
from holdfast.adapters.warc.copying import copy_archive
from holdfast.adapters.warc.files import piece_of
from holdfast.adapters.warc.foreign import ForeignFiles, digest_of_file
from holdfast.adapters.warc.recovery import KnownFiles
from holdfast.adapters.warc.salvage import Salvage, bring_back, chapters_of
from holdfast.adapters.warc.shelf import FolderShelf
from holdfast.core.answers.upkeep import LedgerRebuilt, WarcImport
from holdfast.core.capture import Capture
from holdfast.core.chapters import RUN
from holdfast.core.crawl.making import standard_of
from holdfast.core.crawl.standard import Standard
from holdfast.core.crawl.taking_in import BroughtCapture, TakenIn, run_to_take_in
from holdfast.core.errors import ArchiveError, UsageError
from holdfast.core.fingerprints import Fingerprints
from holdfast.core.ledger import Committed
from holdfast.core.lineage import CaptureRecord, RecordRef, Run
from holdfast.core.run_tally import RunTally
from holdfast.core.settings import Settings
from holdfast.core.told_runs import RunsByPlace, ToldRun, told_run
from holdfast.jobs.taking_in import take_in
from holdfast.ports.scribe import Recordable
from holdfast.questions.making import last_run_of_mirrors
from holdfast.wiring.moving_ledger import fill_server, require_empty_server
from holdfast.wiring.rekeying import rekey_ledger
from holdfast.wiring.settings import join_policy, load_identity
from holdfast.wiring.states import ARCHIVE, LEDGER, state_of
from holdfast.wiring.store import open_store
from holdfast.wiring.upkeep import standard_for
from holdfast.wiring.workers import converters

__all__ = ["import_warc", "rebuild_ledger"]

_DRAFT = "ledger.db.rebuilding"
_IMPORTED = "imported"
"""What the ledger calls what came from others, where a mirror has the name of its folder."""


async def rebuild_ledger(settings: Settings) -> LedgerRebuilt:
    """Make a ledger from the archive and what lies beside it; one that is there is kept."""
    state = state_of(settings)
    if settings.store.ledger is not None:
        require_empty_server(wiring.server.server_address(settings))
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
        bucket = wiring.bucket.bucket_of(settings)
        there = {file.name: file.stat().st_size for file in bucket.files()}
        copy_archive(bucket, wiring.bucket.unknown_objects(settings, there), Path(folder) / ARCHIVE, there)
        yield Path(folder)


def _send_back(settings: Settings, home: Path, before: Collection[str]) -> None:
    """Put what was written beside an archive that came from a bucket there, too."""
    if settings.store.archive is not None:
        bucket = wiring.bucket.bucket_of(settings)
        for path in FolderShelf(home / ARCHIVE).files():
            if path.name not in before:
                bucket.create(path.name, Path(home / ARCHIVE / path.name).read_bytes())


def _put_back(ledger: SqlLedger, own: list[Salvage], other: list[Salvage], state: Path) -> Restored:
    """What the archive's chapters tell."""
    by_name = {file.path.name: file for file in own}

    def there(ref: RecordRef) -> There:
        file = by_name.get(ref.file)
        if file is None:
            return There.NEVER
        return There.WHOLE if file.captures.get(ref.offset) == ref.length else There.DAMAGED

    done = Restored(0, 0, 0, 0)
    if own:
        done = ledger.restore(chapters_of(own), own[0].store_id, there, SystemClock().now())
    files = [file for file in (*own, *other) if file.path.parent == state / ARCHIVE]
    ledger.chapters.settle({file.path.name: file.end for file in files}, {file.store_id for file in files})
    return done


async def _take_in_the_rest(
    ledger: SqlLedger,
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
                run = _told_run_for(ledger, settings, told) or _run_for(ledger, settings, names)
                done += await _converted(ledger, archive, run, chain([first], new), settings)
        if done.captures:
            keep_chapters(ledger.chapters, archive, SystemClock().now())
        return done
    finally:
        archive.close()


def _left_to_take_in(
    ledger: SqlLedger, own: list[Salvage], other: list[Salvage], unshown: frozenset[str]
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
_RunToTakeIn = tuple[Run, Standard, tuple[datetime, RunTally] | None]


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


async def _converted(
    ledger: SqlLedger,
    archive: WarcArchive,
    began: _RunToTakeIn,
    brought: Iterator[BroughtCapture],
    settings: Settings,
) -> TakenIn:
    clock, (run, standard, ended) = SystemClock(), began
    before = ledger.runs.run(run.run_id)
    with converters(settings) as refine:

        def commit(run_id: str, group: Sequence[Recordable]) -> tuple[Committed, ...]:
            return commit_group(ledger, archive, run_id, group, clock.now())

        run = before.run if before else run
        return await take_in(brought, run, standard, (ledger, clock, refine, commit), ended)


def _run_for(ledger: SqlLedger, settings: Settings, names: Sequence[str], label: str = "") -> _RunToTakeIn:
    """The run under which captures come in: of the one mirror that the ledger knows, if it knows one."""
    last, labels = last_run_of_mirrors(ledger)
    if last is None:
        join = join_policy(settings, ledger.joins.version())
        standard = standard_of(load_identity(settings, "site")[0], join, None)
    else:
        standard = standard_for(last.recipe, settings, ledger)
    name = label or (labels.pop() if len(labels) == 1 else ".")
    return run_to_take_in(name, standard, names, SystemClock().now()), standard, None


def _told_run_for(ledger: SqlLedger, settings: Settings, told: ToldRun | None) -> _RunToTakeIn | None:
    """The run that made the captures, and its end, if they can be read as it read them."""
    standard = standard_for(told.run.recipe, settings, ledger) if told else None
    if told is None or standard is None or standard.recipe != told.run.recipe:
        return None
    return told.run, standard, (told.ended_at, told.tally) if told.ended_at else None


async def import_warc(settings: Settings, files: Sequence[Path]) -> WarcImport:
    """Take in archives that others made; the same files again are nothing new."""
    for path in files:
        if not path.is_file():
            raise UsageError(f"there is no file {path}", hint="name WARC files: *.warc, *.warc.gz")
    with open_store(state_of(settings), "import", settings) as store:
        ledger = cast("SqlLedger", store.ledger)
        began = _run_for(ledger, settings, sorted(map(digest_of_file, files)), _IMPORTED)
        run = began[0]
        before = ledger.runs.run(run.run_id)
        if before is not None and before.ended_at is not None:
            counts = before.tally.counts
            return WarcImport(run.run_id, counts["captures"], counts["items"], (), was_done=True)
        limits = settings.fetch.limits
        foreign = ForeignFiles(files, max(limits.max_body_bytes, limits.max_decoded_bytes))
        brought = (BroughtCapture(capture, where) for capture, where in foreign.captures())
        done = await _converted(ledger, cast("WarcArchive", store.archive), began, brought, settings)
    return WarcImport(run.run_id, done.captures, done.items, (*foreign.flaws, *done.left_out))


def _hand_over(draft: Path, state: Path, settings: Settings) -> Path | None:
    """Put the new ledger where the settings have it: in the place of the file, or on the server, if that has
    none. What was there before is kept.
    """
    if settings.store.ledger is None:
        return _swap(draft, state / LEDGER)
    fill_server(draft, wiring.server.server_address(settings))
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
