"""State folders opened: a ledger and an archive together, to write or to ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from holdfast import __version__, wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.keeper import StoreKeeper
from holdfast.adapters.sql.archived import ArchiveTable
from holdfast.adapters.sql.ledger import SqlLedger
from holdfast.adapters.sqlite.ledger import open_ledger
from holdfast.adapters.state_folder import check_state, lock
from holdfast.adapters.warc.archive import WarcArchive, open_archive
from holdfast.adapters.warc.chapters import keep_chapters
from holdfast.adapters.warc.recovery import KnownFiles
from holdfast.core.errors import HoldfastError, LedgerError, NoSpaceError
from holdfast.core.lineage import Job
from holdfast.core.settings import Settings
from holdfast.ports import Archive, Ledger
from holdfast.wiring.notices import notice
from holdfast.wiring.states import ARCHIVE, LEDGER, ORPHANS, state_of

__all__ = ["Store", "knows_mirror", "open_store", "read_store"]


@dataclass(frozen=True, slots=True)
class Store:
    """What a state folder holds."""

    ledger: Ledger
    archive: Archive
    state: Path

    @property
    def keeper(self) -> StoreKeeper:
        """Who owns both, for a job."""
        return StoreKeeper(self.ledger, self.archive)


@contextmanager
def open_store(state: Path, purpose: str, settings: Settings) -> Iterator[Store]:
    """A state folder as its one writer; `purpose` is the command, for whoever finds it locked (STA-1)."""
    with lock(state, purpose):
        ledger = _open_ledger(settings, state)
        try:
            known = ledger.archived
            _require_own_archive(settings, state, known)
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
            try:
                yield Store(ledger, archive, state)
                _keep_chapters(ledger, archive)
            finally:
                archive.close()
        finally:
            ledger.close()


def _keep_chapters(ledger: SqlLedger, archive: WarcArchive) -> None:
    """Tell the archive what the ledger has learned. Where there is no room for that, the next writer does."""
    try:
        keep_chapters(ledger.chapters, archive, SystemClock().now())
    except NoSpaceError as error:
        notice(f"{error.message}; what the ledger learned is told to the archive when there is room")


@contextmanager
def read_store(settings: Settings, state: Path | None = None) -> Iterator[Store]:
    """The state folder that the settings name, or the nearest one upward, to ask and not to write."""
    state = state or state_of(settings)
    check_state(state)
    ledger = _open_ledger(settings, state, read_only=True)
    try:
        yield Store(ledger, WarcArchive(state / ARCHIVE), state)
    finally:
        ledger.close()


def _open_ledger(settings: Settings, state: Path, *, read_only: bool = False) -> SqlLedger:
    """The ledger that the settings name: on a server, or the file in the state folder."""
    if settings.store.ledger is None:
        return open_ledger(state / LEDGER, SystemClock().now(), read_only=read_only)
    return wiring.server.open_on_server(settings, read_only=read_only)


def _require_own_archive(settings: Settings, state: Path, known: ArchiveTable) -> None:
    """A ledger on a server is asked from anywhere, but written where its archive is."""
    ends = known.ends() if settings.store.ledger is not None else {}
    if ends and not any((state / ARCHIVE / name).exists() for name in ends):
        raise LedgerError(
            f"the archive of this ledger is not in {state / ARCHIVE}",
            hint="write from the folder that has it (--state names it), or name another ledger",
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
            "`holdfast mirror --update --max-age 0s` fetches the pages again"
        )
