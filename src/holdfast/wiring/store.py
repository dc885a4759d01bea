"""State folders opened: a ledger and an archive together, to write or to ask."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from holdfast import __version__
from holdfast.adapters import state_folder
from holdfast.adapters.state_folder import (
    STATE_NAME,
    check_state,
    find_state,
    is_held,
    lock,
    mirror_state,
)
from holdfast.core.errors import HoldfastError, LedgerError, NoSpaceError, UsageError
from holdfast.core.lineage import Job
from holdfast.core.settings import Settings
from holdfast.wiring.bucket_keys import bucket_keys
from holdfast.wiring.leases import holding, is_shared
from holdfast.wiring.notices import notice
from holdfast.wiring.server_address import server_address

if TYPE_CHECKING:
    from holdfast.adapters.sql.archived import ArchiveTable
    from holdfast.adapters.sql.ledger import SqlLedger
    from holdfast.adapters.warc.archive import WarcArchive
    from holdfast.adapters.warc.orphans import Orphans
    from holdfast.adapters.warc.shelf import Shelf
    from holdfast.adapters.warc.survey import Survey
    from holdfast.core.job import JobLease
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
    "orphan_shelf",
    "orphans_of",
    "read_store",
    "shelf_of",
    "state_of",
    "survey_archive",
]

LEDGER = "ledger.db"
ARCHIVE = "archive"
ORPHANS = "orphans"


@dataclass(frozen=True, slots=True)
class Store:
    """What a state folder holds, and where its archive files lie."""

    ledger: Ledger
    archive: Archive
    state: Path
    shelf: Shelf


@contextmanager
def open_store(
    state: Path, purpose: str, settings: Settings, *, of: str | None = None, lease: JobLease | None = None
) -> Iterator[Store]:
    """A state folder as its one writer; `purpose` is the command, for whoever finds it locked (STA-1).

    Where several machines may write, whoever works on one thing alone (`of` names it) lets others work on
    other things, under a lease; whoever does not is the only writer.
    """
    with lock(state, purpose):
        if lease is None and of is not None and is_shared(settings):
            with holding(settings, of) as own, _opened(state, settings, own) as store:
                yield store
        else:
            with _opened(state, settings, lease) as store:
                yield store


@contextmanager
def _opened(state: Path, settings: Settings, lease: JobLease | None) -> Iterator[Store]:
    ledger = _open_ledger(settings, state, lease=lease)
    try:
        shelf = shelf_of(settings, state)
        _require_own_archive(settings, shelf, ledger.archived)
        archive = _open_archive(settings, state, shelf, ledger.archived, lease)
        try:
            yield Store(ledger, archive, state, shelf)
            _keep_chapters(ledger, archive, of_others=lease is None)
        finally:
            archive.close()
    finally:
        ledger.close()


def shelf_of(settings: Settings, state: Path) -> Shelf:
    """Where the archive's files lie: in the state folder, or in the bucket that the settings name."""
    if settings.store.archive is None:
        from holdfast.adapters.warc.shelf import FolderShelf  # noqa: PLC0415 # lazy: as above

        return FolderShelf(state / ARCHIVE)
    from holdfast.adapters.warc.objects import open_bucket  # noqa: PLC0415 # an extra brings it

    return open_bucket(settings.store.archive, bucket_keys(os.environ))


def _open_archive(
    settings: Settings, state: Path, shelf: Shelf, known: ArchiveTable, lease: JobLease | None
) -> WarcArchive:
    """The archive with a writer. In a folder that nobody else writes to, what the ledger does not know is
    moved aside; objects in a bucket may be somebody's who has not committed yet.
    """
    software, limit = f"holdfast/{__version__}", settings.store.archive_file_mb * 1_000_000
    if settings.store.archive is None:
        from holdfast.adapters.warc.archive import open_archive  # noqa: PLC0415 # lazy: 60 ms of imports
        from holdfast.adapters.warc.recovery import Known  # noqa: PLC0415 # lazy: as above

        found = Known(known.ends(), known.spare_files())
        archive = open_archive(
            state / ARCHIVE, found, software=software, store_id=known.store_id(), limit=limit
        )
        known.spare_files_are_gone()
        _say_aside(state, archive)
        _note_loss(state, archive, known)
        return archive
    from holdfast.adapters.warc.bucket import Bucket  # noqa: PLC0415 # an extra brings it
    from holdfast.adapters.warc.objects import open_objects, writer_name  # noqa: PLC0415 # an extra brings it

    if lease is None:
        shelf.remove(known.spare_files())
        known.spare_files_are_gone()
    owner = f"job{lease.job_id}e{lease.epoch}" if lease else secrets.token_hex(4)
    name = writer_name(_now(), owner)
    return open_objects(
        cast("Bucket", shelf), software=software, store_id=known.store_id(), writer=name, limit=limit
    )


def _keep_chapters(ledger: SqlLedger, archive: WarcArchive, *, of_others: bool) -> None:
    """Tell the archive what the ledger has learned. Where there is no room for that, the next writer does.
    Who is not the only writer tells of what is his own: other chapters may be being written.
    """
    from holdfast.adapters.warc.chapters import keep_chapters  # noqa: PLC0415 # lazy: 60 ms of imports

    try:
        keep_chapters(ledger.chapters, archive, _now(), of_others=of_others)
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
        shelf = shelf_of(settings, state)
        yield Store(ledger, WarcArchive(shelf), state, shelf)
    finally:
        ledger.close()


def _open_ledger(
    settings: Settings, state: Path, *, read_only: bool = False, lease: JobLease | None = None
) -> SqlLedger:
    """The ledger that the settings name: on a server, or the file in the state folder. A writer on a server
    holds the ledger alone, unless it has a lease for what it works on.
    """
    if settings.store.ledger is None:
        from holdfast.adapters.sqlite.ledger import open_ledger  # noqa: PLC0415 # lazy: 60 ms of imports

        return open_ledger(state / LEDGER, _now(), read_only=read_only)
    from holdfast.adapters.postgres.ledger import open_postgres  # noqa: PLC0415 # an extra brings it

    alone = not read_only and lease is None
    return open_postgres(server_address(settings), _now(), read_only=read_only, alone=alone, lease=lease)


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
    """The state folder of a mirror: the one the settings name, the one that knows it, or a new one."""
    return named_state(settings) or mirror_state(output, partial(_knows, settings))


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


def orphan_shelf(settings: Settings, state: Path, known: Mapping[str, int]) -> Shelf:
    """Where the files lie that no ledger knows; `known` are those that this one does."""
    if settings.store.archive is None:
        from holdfast.adapters.warc.shelf import FolderShelf  # noqa: PLC0415 # lazy: 60 ms of imports

        return FolderShelf(state / ARCHIVE / ORPHANS)
    from holdfast.adapters.warc.bucket import Bucket  # noqa: PLC0415 # an extra brings it
    from holdfast.adapters.warc.objects import UnknownObjects  # noqa: PLC0415 # as above

    return UnknownObjects(cast("Bucket", shelf_of(settings, state)), known)


def orphans_of(settings: Settings, state: Path, known: Callable[[], Mapping[str, int]]) -> Orphans:
    """What the archive holds and no ledger knows; `known` says what this one does, where that is needed."""
    from holdfast.adapters.warc.orphans import Orphans  # noqa: PLC0415 # lazy: 60 ms of imports

    return Orphans(orphan_shelf(settings, state, known() if settings.store.archive else {}))


def survey_archive(store: Store) -> Survey:
    """A walk over every archive record, next to what the ledger has of it."""
    from holdfast.adapters.warc.survey import Survey  # noqa: PLC0415 # lazy: 60 ms of imports

    known = store.ledger.archived
    return Survey(store.shelf, known.ends(), known.captures(), known.lost())


def archive_index(store: Store) -> list[str]:
    """The CDXJ lines of everything committed."""
    from holdfast.adapters.warc.survey import index_lines  # noqa: PLC0415 # lazy: 60 ms of imports

    return index_lines(store.shelf, store.ledger.archived.ends())


def _now() -> datetime:
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio

    return SystemClock().now()
