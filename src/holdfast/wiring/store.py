"""State folders opened: a ledger and an archive together, to write or to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__
from holdfast.adapters import state_folder
from holdfast.adapters.state_folder import (
    STATE_NAME,
    check_state,
    find_state,
    has_history,
    is_held,
    lock,
    mirror_state,
    root_state,
)
from holdfast.core.errors import HoldfastError, LedgerError, NoSpaceError, UsageError
from holdfast.core.lineage import Job
from holdfast.core.settings import Settings
from holdfast.wiring.notices import notice

if TYPE_CHECKING:
    from holdfast.adapters.sql.archived import ArchiveTable
    from holdfast.adapters.sql.ledger import SqlLedger
    from holdfast.adapters.warc.archive import WarcArchive
    from holdfast.adapters.warc.orphans import Orphans
    from holdfast.adapters.warc.survey import Survey
    from holdfast.ports import Archive, Ledger

__all__ = [
    "Store",
    "archive_index",
    "check_ledger",
    "has_ledger",
    "in_use",
    "migrate_ledger",
    "mirror_label",
    "mirror_state_of",
    "named_state",
    "open_store",
    "orphans_of",
    "read_store",
    "server_address",
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
    from holdfast.adapters.warc.archive import open_archive  # noqa: PLC0415 # lazy: as above
    from holdfast.adapters.warc.recovery import Known  # noqa: PLC0415 # lazy: as above

    with lock(state, purpose):
        ledger = _open_ledger(settings, state)
        try:
            known = ledger.archived
            _require_own_archive(settings, state, known)
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
                _keep_chapters(ledger, archive)
            finally:
                archive.close()
        finally:
            ledger.close()


def _keep_chapters(ledger: SqlLedger, archive: WarcArchive) -> None:
    """Tell the archive what the ledger has learned. Where there is no room for that, the next writer does."""
    from holdfast.adapters.warc.chapters import keep_chapters  # noqa: PLC0415 # lazy: 60 ms of imports

    try:
        keep_chapters(ledger.chapters, archive, _now())
    except NoSpaceError as error:
        notice(f"{error.message}; what the ledger learned is told to the archive when there is room")


@contextmanager
def read_store(settings: Settings, state: Path | None = None) -> Iterator[Store]:
    """The state folder that the settings name, or the nearest one upward, to ask and not to write."""
    from holdfast.adapters.warc.archive import WarcArchive  # noqa: PLC0415 # lazy: 60 ms of imports

    state = state or state_of(settings)
    check_state(state)
    ledger = _open_ledger(settings, state, read_only=True)
    try:
        yield Store(ledger, WarcArchive(state / ARCHIVE), state)
    finally:
        ledger.close()


def _open_ledger(settings: Settings, state: Path, *, read_only: bool = False) -> SqlLedger:
    """The ledger that the settings name: on a server, or the file in the state folder. A writer on a server
    holds the ledger alone as long as its archive is a folder of one machine.
    """
    if settings.store.ledger is None:
        from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports

        return open_ledger(state / LEDGER, _now(), read_only=read_only)
    from holdfast.adapters.postgres.ledger import open_postgres  # noqa: PLC0415 # an extra brings it

    return open_postgres(server_address(settings), _now(), read_only=read_only, alone=not read_only)


def server_address(settings: Settings) -> str:
    """The address of a ledger on a server."""
    from holdfast.adapters.postgres.address import is_address, refuse_address  # noqa: PLC0415 # lazy: as above

    address = settings.store.ledger or ""
    if not is_address(address):
        raise refuse_address()
    return address


def has_ledger(settings: Settings, state: Path) -> bool:
    """Whether there is a ledger to ask."""
    return settings.store.ledger is not None or (state / LEDGER).is_file()


def mirror_label(settings: Settings, state: Path, output: Path) -> str:
    """What the ledger calls a mirror: its folder's path from the folder that has the state. On a server that
    must be a name: every lone mirror would be called the same.
    """
    output, root = output.resolve(), state.resolve().parent
    inside = output.is_relative_to(root)
    label = output.relative_to(root).as_posix() if inside else output.as_posix()
    if settings.store.ledger is not None and (label == "." or not inside):
        raise UsageError(
            f"a ledger on a server needs a name for the mirror in {output}",
            hint="make a project, a folder with a holdfast.toml: the mirror is called by its path from there",
        )
    return label


def _require_own_archive(settings: Settings, state: Path, known: ArchiveTable) -> None:
    """A ledger on a server is asked from anywhere, but written where its archive is."""
    ends = known.ends() if settings.store.ledger is not None else {}
    if ends and not any((state / ARCHIVE / name).exists() for name in ends):
        raise LedgerError(
            f"the archive of this ledger is not in {state / ARCHIVE}",
            hint="write from the folder that has it (--state names it), or name another ledger",
        )


def state_of(settings: Settings, start: Path | None = None) -> Path:
    """The state folder that the settings name, or the nearest one upward from a file or folder. With a ledger
    on a server there may be none here: then only the archive cannot be asked.
    """
    named = named_state(settings)
    if named is not None:
        return named
    try:
        return find_state(start or Path.cwd())
    except UsageError:
        if settings.store.ledger is None:
            raise
        return Path.cwd() / STATE_NAME


def named_state(settings: Settings) -> Path | None:
    """The state folder that the settings name, by itself or by the folder that has it; where it lies is the
    user's own affair, symlinks included.
    """
    return state_folder.named_state(Path(settings.store.state)) if settings.store.state else None


def mirror_state_of(output: Path, settings: Settings) -> Path:
    """The state folder of a mirror: the one the settings name, the one that knows it, or a new one. Where a
    root knows a mirror that has a history of its own, both are named.
    """
    if (named := named_state(settings)) is not None:
        return named
    state = mirror_state(output, partial(_knows, settings))
    root = root_state(output)
    if root is not None and state == output.resolve() / STATE_NAME and has_history(root):
        label = output.resolve().relative_to(root.parent).as_posix()
        if has_history(state) and _knows(settings, root, label):
            notice(
                f"{output} has two histories: its own, which goes on, and one in {root}; "
                f"`holdfast db adopt {output}` joins them"
            )
    return state


def _knows(settings: Settings, state: Path, label: str) -> bool:
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
    if archive.lost and (count := known.lose_beyond(archive.lost, _now())):
        notice(
            f"{', '.join(sorted(archive.lost))} in {state / ARCHIVE} lost what the ledger has committed: "
            f"{count} capture{'s are' if count > 1 else ' is'} gone; "
            "`holdfast mirror --update --max-age 0s` fetches the pages again"
        )


def in_use(state: Path) -> bool:
    """Whether a writer holds the state folder just now."""
    return is_held(state)


def check_ledger(
    settings: Settings, state: Path, web_key: Callable[[str], str | None] | None = None
) -> Iterator[str]:
    """What is wrong with a ledger, one sentence each."""
    if settings.store.ledger is not None:
        from holdfast.adapters.postgres.check import check_database  # noqa: PLC0415 # an extra brings it

        return check_database(server_address(settings), web_key)
    from holdfast.adapters.sqlite.check import check_file  # noqa: PLC0415 # lazy: 60 ms of imports

    return check_file(state / LEDGER, web_key)


def migrate_ledger(settings: Settings, state: Path) -> tuple[int, int, Path | None]:
    """Bring a ledger's schema up to date: the schema it had, the one it has, the copy that was kept."""
    if settings.store.ledger is not None:
        from holdfast.adapters.postgres.ledger import migrate_database  # noqa: PLC0415 # an extra brings it

        return (*migrate_database(server_address(settings), _now()), None)
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
