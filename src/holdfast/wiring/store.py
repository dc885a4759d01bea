"""State folders opened: a ledger and an archive together, to write or to ask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters import state_folder
from holdfast.adapters.state_folder import check_state, find_state, is_held, lock, mirror_state
from holdfast.core.errors import HoldfastError
from holdfast.core.lineage import Job
from holdfast.core.settings import Settings
from holdfast.wiring.notices import notice

if TYPE_CHECKING:
    from holdfast.adapters.sql.archived import ArchiveTable
    from holdfast.adapters.warc.archive import WarcArchive
    from holdfast.adapters.warc.orphans import Orphans
    from holdfast.adapters.warc.survey import Survey
    from holdfast.ports import Archive, Ledger

__all__ = [
    "Store",
    "archive_index",
    "check_ledger",
    "in_use",
    "migrate_ledger",
    "mirror_state_of",
    "named_state",
    "open_store",
    "orphans_of",
    "read_store",
    "state_of",
    "survey_archive",
]

LEDGER = "ledger.db"
ARCHIVE = "archive"
ORPHANS = "orphans"


@dataclass(frozen=True, slots=True)
class Store:
    """What a state folder holds."""

    ledger: Ledger
    archive: Archive
    state: Path


@contextmanager
def open_store(state: Path, purpose: str, settings: Settings) -> Iterator[Store]:
    """A state folder as its one writer; `purpose` is the command, for whoever finds it locked (STA-1)."""
    from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports
    from holdfast.adapters.warc.archive import open_archive  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.warc.recovery import Known  # noqa: PLC0415 # lazy: as above

    with lock(state, purpose):
        ledger = open_ledger(state / LEDGER, _now())
        try:
            known = ledger.archived
            archive = open_archive(
                state / ARCHIVE,
                Known(known.ends(), known.spare_files()),
                software=f"holdfast/{__version__}",
                store_id=known.store_id(),
                limit=settings.store.archive_file_mb * 1_000_000,
            )
            known.spare_files_are_gone()
            _say_aside(state, archive)
            _note_loss(state, archive, known)
            try:
                yield Store(ledger, archive, state)
            finally:
                archive.close()
        finally:
            ledger.close()


@contextmanager
def read_store(settings: Settings, state: Path | None = None) -> Iterator[Store]:
    """The state folder that the settings name, or the nearest one upward, to ask and not to write."""
    from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports
    from holdfast.adapters.warc.archive import WarcArchive  # noqa: PLC0415 # lazy: as above

    state = state or state_of(settings)
    check_state(state)
    ledger = open_ledger(state / LEDGER, _now(), read_only=True)
    try:
        yield Store(ledger, WarcArchive(state / ARCHIVE), state)
    finally:
        ledger.close()


def state_of(settings: Settings) -> Path:
    """The state folder that the settings name, or the nearest one upward."""
    return named_state(settings) or find_state(Path.cwd())


def named_state(settings: Settings) -> Path | None:
    """The state folder that the settings name, by itself or by the folder that has it; where it lies is the
    user's own affair, symlinks included.
    """
    return state_folder.named_state(Path(settings.store.state)) if settings.store.state else None


def mirror_state_of(output: Path, settings: Settings) -> Path:
    """The state folder of a mirror: the one the settings name, the one that knows it, or a new one."""
    return named_state(settings) or mirror_state(output, _knows)


def _knows(state: Path, label: str) -> bool:
    """Whether a ledger has runs of a mirror."""
    from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports

    check_state(state)
    try:
        ledger = open_ledger(state / LEDGER, _now(), read_only=True)
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
        "`holdfast db rebuild` makes a ledger that knows them, `holdfast gc --orphans` deletes them"
    )


def _note_loss(state: Path, archive: WarcArchive, known: ArchiveTable) -> None:
    """What a file that was cut or is missing held is noted as lost, so that it is fetched anew."""
    if archive.lost and (count := known.lose_beyond(archive.lost, _now())):
        notice(
            f"{', '.join(sorted(archive.lost))} in {state / ARCHIVE} lost what the ledger has committed: "
            f"{count} capture{'s are' if count > 1 else ' is'} gone; "
            "`holdfast mirror --update --max-age 0s` fetches the pages again"
        )


def in_use(state: Path) -> bool:
    """Whether a writer holds the state folder just now."""
    return is_held(state)


def check_ledger(state: Path) -> Iterator[str]:
    """What is wrong with a ledger's file, one sentence each."""
    from holdfast.adapters.sqlite.check import check_file  # noqa: PLC0415 # lazy: 60 ms of imports

    return check_file(state / LEDGER)


def migrate_ledger(state: Path) -> tuple[int, int, Path | None]:
    """Bring a ledger's schema up to date: the schema it had, the one it has, the copy that was kept."""
    from holdfast.adapters.sqlite.ledger import migrate_file  # noqa: PLC0415 # lazy: 60 ms of imports

    with lock(state, "db migrate"):
        return migrate_file(state / LEDGER, _now())


def orphans_of(state: Path) -> Orphans:
    """What lies beside the archive because no ledger knows it."""
    from holdfast.adapters.warc.orphans import Orphans  # noqa: PLC0415 # lazy: 60 ms of imports

    return Orphans(state / ARCHIVE)


def survey_archive(store: Store) -> Survey:
    """A walk over every archive record, next to what the ledger has of it."""
    from holdfast.adapters.warc.survey import Survey  # noqa: PLC0415 # lazy: 60 ms of imports

    known = store.ledger.archived
    return Survey(store.state / ARCHIVE, known.ends(), known.captures(), known.lost())


def archive_index(store: Store) -> list[str]:
    """The CDXJ lines of everything committed."""
    from holdfast.adapters.warc.survey import index_lines  # noqa: PLC0415 # lazy: 60 ms of imports

    return index_lines(store.state / ARCHIVE, store.ledger.archived.ends())


def _now() -> datetime:
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio

    return SystemClock().now()
