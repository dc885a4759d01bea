"""A consistent copy of a store, also while a writer is at work (STA-7); a ledger copied elsewhere.

1. The ledger is copied in one read transaction; then the archive's files, each as far as that ledger has
   committed it. Files only grow, so what is copied is what the ledger's copy speaks of.
2. Where the archive was written anew meanwhile (`forget`, `store prune`, `verify --repair`), files are gone
that the
   copy speaks of: then all is copied again.
3. The copy gets its name when it is whole and durable; a draft that was left behind is written over.
4. A ledger is copied from where it is to a file in a store, or to a server (CLU-1).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.adapters.system import SystemClock, sync_folder
from holdfast.core.base.errors import ArchiveError, FailedError, UsageError
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.places import ARCHIVE, LEDGER, server_address, state_of
from holdfast.jobs.session import orphan_shelf, shelf_of
from holdfast.jobs.upkeep.store_commands import LedgerCopy, StateBackup
from holdfast.storage.archive.recovery import copy_archive
from holdfast.storage.archive.shelf import make_folder, translated
from holdfast.storage.ledger.restoring import copy_rows, require_empty
from holdfast.storage.sqlite.sqlite_ledger import copy_ledger, open_file
from holdfast.storage.state_folder import check_state, is_address, lock, named_state

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database

_TRIES: Final = 5
_FETCHED: Final = "fetched"


def back_up(settings: Settings, to: Path) -> StateBackup:
    """Copy ledger and archive, wherever they are, to a folder that is not there yet."""
    state = state_of(settings)
    if to.exists():
        raise UsageError(f"{to} is there already", hint="name a folder that is not there yet")
    draft = to.with_name(to.name + ".partial")
    with translated(to):
        make_folder(to.parent, parents=True)
        for last in (False,) * (_TRIES - 1) + (True,):
            if draft.is_dir():
                shutil.rmtree(draft)
            make_folder(draft)
            try:
                ends = copy_ledger(_file_of(settings, state, draft), draft / LEDGER)
                shelves = shelf_of(settings, state), orphan_shelf(settings, state, ends)
                size = copy_archive(*shelves, draft / ARCHIVE, ends)
                break
            except FileNotFoundError as error:
                if last:
                    raise ArchiveError(
                        f"{error.filename} is missing", hint="`holdfast verify` says more"
                    ) from error
        shutil.rmtree(draft / _FETCHED, ignore_errors=True)
        sync_folder(draft)
        draft.rename(to)
        sync_folder(to.parent)
    return StateBackup(str(to), len(ends), size + (to / LEDGER).stat().st_size)


def _file_of(settings: Settings, state: Path, draft: Path) -> Path:
    """The file that a ledger is in; one that is on a server is brought here first."""
    if settings.store.ledger is None:
        return state / LEDGER
    copy_ledger_to(server_address(settings), str(draft / _FETCHED))
    return draft / _FETCHED / LEDGER


def copy_ledger_to(
    source: str, target: str, seen: Callable[[str, int], object] = lambda _table, _rows: None
) -> LedgerCopy:
    """Copy every row; each of the two is a store or the address of a server. A target has to be empty,
    and is made where there is none.
    """
    for name in (source, target):
        _require_place(name)
    with _open_to_read(source) as old, _open_to_fill(target) as new:
        return LedgerCopy(old.name, new.name, copy_rows(old, new, seen))


def fill_server(file: Path, address: str) -> None:
    """Copy a ledger's file to a server that has no ledger yet."""
    with closing(open_file(file, SystemClock().now(), read_only=True)) as old, _open_to_fill(address) as new:
        copy_rows(old, new, lambda _table, _rows: None)


def require_empty_server(address: str) -> None:
    """Refuse a server that has a ledger with something in it."""
    with _open_to_fill(address) as new:
        require_empty(new)


def _require_place(name: str) -> None:
    """Refuse the address of anything but a server that can hold a ledger: it would be taken for a folder."""
    if "://" in name and not is_address(name):
        raise UsageError(
            f"{name.partition('://')[0]}:// is not where a ledger can be",
            hint="name a store, or an address such as postgresql://user@host/database",
        )


@contextmanager
def _open_to_read(name: str) -> Iterator[Database]:
    if is_address(name):
        with closing(_open_server(name, read_only=True)) as server:
            yield server
        return
    state = named_state(Path(name))
    check_state(state)
    if not (state / LEDGER).exists():
        raise FailedError(
            f"there is no ledger in {name}", hint="name a mirror, a checked folder, or its .holdfast"
        )
    with closing(open_file(state / LEDGER, SystemClock().now(), read_only=True)) as file:
        yield file


@contextmanager
def _open_to_fill(name: str) -> Iterator[Database]:
    if is_address(name):
        with closing(_open_server(name, read_only=False)) as server:
            yield server
        return
    state = named_state(Path(name))
    with lock(state, "store copy"), closing(open_file(state / LEDGER, SystemClock().now())) as file:
        yield file


def _open_server(address: str, *, read_only: bool) -> Database:
    """Who fills a ledger holds it alone."""
    from holdfast.storage.postgres.postgres_ledger import open_database  # noqa: PLC0415 - an extra

    return open_database(address, SystemClock().now(), read_only=read_only, alone=not read_only)
