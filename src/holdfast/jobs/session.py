"""State folders opened: a ledger and an archive together, to write or to ask.

What only looks leaves nothing behind: where there is no ledger yet, it works with an empty one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import HoldfastError, LedgerError, NoSpaceError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import Job
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.places import ARCHIVE, LEDGER, ORPHANS, has_ledger, notice, state_of
from holdfast.jobs.trust import make_own
from holdfast.storage.archive.archive import WarcArchive, open_archive
from holdfast.storage.archive.in_memory import MemoryArchive
from holdfast.storage.archive.recovery import KnownFiles
from holdfast.storage.archive.shelf import FolderShelf, OrphanFolder, Shelf
from holdfast.storage.archive.without_ledger import keep_chapters
from holdfast.storage.sqlite.sqlite_ledger import open_in_memory, open_ledger
from holdfast.storage.state_folder import check_state, lock
from holdfast.storage.store_ports import Archive, StoreKeeper

if TYPE_CHECKING:
    from holdfast.storage.ledger.archive_table import ArchiveTable
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Store:
    """What a state folder holds, and where its archive files lie."""

    ledger: Ledger
    archive: Archive
    state: Path
    shelf: Shelf

    @property
    def keeper(self) -> StoreKeeper:
        """Who owns both, for a job."""
        return StoreKeeper(self.ledger, self.archive)


@contextmanager
def open_store(
    state: Path,
    purpose: str,
    settings: Settings,
    *,
    of: str | None = None,
    lease: JobLease | None = None,
    but: Collection[str] = (),
) -> Iterator[Store]:
    """A state folder as its one writer; `purpose` is the command, for whoever finds it locked (STA-1).

    Where several machines may write, whoever works on one thing alone (`of` names it) lets others work on
    other things, under a lease; whoever does not is the only writer. The archive is told of what was written,
    `but` for chapters that somebody else tells it of.
    """
    require_trusted(settings, STORED_IN)
    with lock(state, purpose):
        if lease is None and of is not None and is_shared(settings):
            from holdfast.jobs.leases import holding  # noqa: PLC0415 - imported when it is used

            with holding(settings, of) as own, _opened(state, settings, own) as store:
                yield store
        else:
            with _opened(state, settings, lease, but) as store:
                yield store


@contextmanager
def _opened(
    state: Path, settings: Settings, lease: JobLease | None, but: Collection[str] = ()
) -> Iterator[Store]:
    is_new = not has_ledger(settings, state)
    ledger = _open_ledger(settings, state, lease=lease)
    try:
        if is_new:
            make_own(settings, ledger.archived.store_id())
        shelf = shelf_of(settings, state)
        _require_own_archive(settings, shelf, ledger.archived)
        if settings.store.archive is None:
            archive = _open_folder(settings, state, ledger.archived)
        else:
            from holdfast.jobs.bucket_archive import open_in_bucket  # noqa: PLC0415 - imported when it is used

            archive = open_in_bucket(settings, ledger.archived, lease)
        try:
            yield Store(ledger, archive, state, shelf)
            _keep_chapters(ledger, archive, of_others=lease is None, but=but)
        finally:
            archive.close()
    finally:
        ledger.close()


def is_shared(settings: Settings) -> bool:
    """Whether several machines may write at a time: neither ledger nor archive is a folder of one of them."""
    require_trusted(settings, STORED_IN)
    return settings.store.ledger is not None and settings.store.archive is not None


def shelf_of(settings: Settings, state: Path) -> Shelf:
    """Where the archive's files lie: in the state folder, or in the bucket that the settings name."""
    require_trusted(settings, STORED_IN)
    if settings.store.archive is None:
        return FolderShelf(state / ARCHIVE)
    from holdfast.jobs.bucket_archive import bucket_of  # noqa: PLC0415 - imported when it is used

    return bucket_of(settings)


def _open_folder(settings: Settings, state: Path, known: ArchiveTable) -> WarcArchive:
    """The archive with a writer, in a folder that nobody else writes to: what the ledger does not know is
    moved aside.
    """
    archive = open_archive(
        state / ARCHIVE,
        KnownFiles(known.ends(), known.spare_files()),
        software=f"holdfast/{__version__}",
        store_id=known.store_id(),
        limit=settings.store.archive_file_mb * 1_000_000,
    )
    known.spare_files_are_gone()
    _say_aside(state, archive)
    _note_loss(state, archive, known)
    return archive


def _keep_chapters(ledger: Ledger, archive: WarcArchive, *, of_others: bool, but: Collection[str]) -> None:
    """Tell the archive what the ledger has learned. Where there is no room for that, the next writer does.
    A writer that is not the only one tells of its own chapters alone: others may be being written.
    """
    try:
        keep_chapters(ledger.chapters, archive, SystemClock().now(), of_others=of_others, but=but)
    except NoSpaceError as error:
        notice(f"{error.message}; what the ledger learned is told to the archive when there is room")


@contextmanager
def read_store(settings: Settings, state: Path | None = None) -> Iterator[Store]:
    """The state folder that the settings name, or the nearest one upward, to ask and not to write."""
    state = state or state_of(settings)
    check_state(state)
    ledger = _open_ledger(settings, state, read_only=True)
    try:
        shelf = shelf_of(settings, state)
        yield Store(ledger, WarcArchive(shelf), state, shelf)
    finally:
        ledger.close()


def _open_ledger(
    settings: Settings, state: Path, *, read_only: bool = False, lease: JobLease | None = None
) -> Ledger:
    """The ledger that the settings name: on a server, or the file in the state folder."""
    require_trusted(settings, STORED_IN)
    if settings.store.ledger is None:
        return open_ledger(state / LEDGER, SystemClock().now(), read_only=read_only)
    from holdfast.jobs.server_ledger import open_on_server  # noqa: PLC0415 - imported when it is used

    return open_on_server(settings, read_only=read_only, lease=lease)


def _require_own_archive(settings: Settings, shelf: Shelf, known: ArchiveTable) -> None:
    """A ledger that is not beside its archive is written only where its archive is."""
    if settings.store.ledger is None and settings.store.archive is None:
        return
    ends = known.ends()
    if ends and not any(shelf.file(name).exists() for name in ends):
        raise LedgerError(
            f"the archive of this ledger is not in {shelf.name}",
            hint="write from the folder that has it (--state or --archive names it), or name another ledger",
        )


def knows_mirror(settings: Settings, state: Path, label: str) -> bool:
    """Whether a ledger has runs of a mirror."""
    check_state(state)
    try:
        ledger = _open_ledger(settings, state, read_only=True)
    except HoldfastError:
        return False
    try:
        return next(ledger.runs.latest_first(label=label, job=Job.MIRROR), None) is not None
    finally:
        ledger.close()


def _say_aside(state: Path, archive: WarcArchive) -> None:
    """What the archive held and the ledger does not know is told to whoever watches, in words."""
    if not archive.aside:
        return
    records = sum(aside.records for aside in archive.aside)
    notice(
        f"{records} record{'s' if records > 1 else ''} of the archive that the ledger does not know: kept in "
        f"{state / ARCHIVE / ORPHANS} as {', '.join(aside.file for aside in archive.aside)}; "
        "they are whole WARC files, and only `holdfast gc --orphans` deletes them"
    )


def _note_loss(state: Path, archive: WarcArchive, known: ArchiveTable) -> None:
    """What a file that was cut or is missing held is noted as lost, so that it is fetched anew."""
    if archive.lost and (count := known.lose_beyond(archive.lost, SystemClock().now())):
        notice(
            f"{', '.join(sorted(archive.lost))} in {state / ARCHIVE} lost what the ledger has committed: "
            f"{count} capture{'s are' if count > 1 else ' is'} gone; "
            "`holdfast mirror --update --max-age 0s` fetches the pages again, and `holdfast archive repair` "
            "makes the archive whole"
        )


def orphan_shelf(settings: Settings, state: Path, known: Mapping[str, int]) -> Shelf:
    """Where the files lie that no ledger knows; `known` are those that this one does."""
    if settings.store.archive is None:
        return OrphanFolder(state / ARCHIVE / ORPHANS)
    from holdfast.jobs.bucket_archive import unknown_objects  # noqa: PLC0415 - imported when it is used

    return unknown_objects(settings, known)


def empty_keeper() -> StoreKeeper:
    """Of a ledger and an archive that hold nothing, and are gone with the process."""
    return StoreKeeper(open_in_memory(SystemClock().now()), MemoryArchive())
