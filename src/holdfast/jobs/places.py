"""Where stores lie, without opening them; and notices, one sentence at a time.

A notice is what happened on the way that somebody should know of and nobody asked for. A face that has a
place for such sentences listens; without one they go to the log named `holdfast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from holdfast.core.base.errors import ConfigError, UsageError
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.settings.resolve import Settings
from holdfast.storage import state_folder
from holdfast.storage.state_folder import (
    STATE_NAME,
    StoresFound,
    find_state,
    is_address,
    is_held,
    refuse_address,
    stores_around,
)

LEDGER: Final = "ledger.db"
ARCHIVE: Final = "archive"
ORPHANS: Final = "orphans"
INDEX: Final = "search.db"


def state_of(settings: Settings, start: Path | None = None) -> Path:
    """The store that the settings name, or the nearest one upward from a file or folder. With a ledger
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


def stores_to_ask(
    settings: Settings, paths: Iterable[Path] = (), *, may_be_none: bool = False
) -> StoresFound:
    """The stores that a question reads: the one that the settings name, else those around here and around
    these paths, if they lie elsewhere (CLI-2). Where there is none that is an error, unless there
    `may_be_none`.
    """
    if settings.store.ledger is None and named_state(settings) is None:
        here = Path.cwd()
        found = [stores_around(here), *(stores_around(path) for path in paths if _is_elsewhere(path, here))]
        stores = tuple(dict.fromkeys(store for each in found for store in each.stores))
        if stores or may_be_none:
            return StoresFound(stores, any(each.met_bound for each in found))
    return StoresFound((state_of(settings),))


def _is_elsewhere(path: Path, here: Path) -> bool:
    """Whether a folder or file lies beside the folder that one stands in, or above it."""
    try:
        return path.exists() and not path.resolve().is_relative_to(here.resolve())
    except (OSError, ValueError):  # a text that no file can be called
        return False


def state_near(folder: Path, settings: Settings) -> Path:
    """The store of a mirror or of documents, by a folder of theirs: the nearest to it, before the one
    that the settings name.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    try:
        return find_state(folder)
    except UsageError:
        return state_of(settings, folder)


def named_state(settings: Settings) -> Path | None:
    """The store that the settings name, by itself or by the folder that has it; where it lies is the
    user's own affair, symlinks included.
    """
    require_trusted(settings)
    return state_folder.named_state(Path(settings.store.folder)) if settings.store.folder else None


def has_ledger(settings: Settings, state: Path) -> bool:
    """Whether there is a ledger to ask."""
    require_trusted(settings, STORED_IN)
    return settings.store.ledger is not None or (state / LEDGER).is_file()


def server_address(settings: Settings) -> str:
    """The address of a ledger that is on a server."""
    require_trusted(settings)
    address = settings.store.ledger
    if address is None:
        raise ConfigError(
            "no ledger on a server is named",
            hint='set ledger = "postgresql://…" in holdfast.toml, or HOLDFAST_LEDGER',
        )
    if not is_address(address):
        raise refuse_address()
    return address


def is_on_server(settings: Settings) -> bool:
    """Whether the ledger is on a server that the user named: no folder can have brought it."""
    require_trusted(settings, STORED_IN)
    return settings.store.ledger is not None


def document_path(settings: Settings, path: Path) -> tuple[Path, str]:
    """The store that knows a document, and the document as its ledger names it, from the root."""
    state = state_of(settings, path if path.exists() else None)
    root, resolved = state.resolve().parent, path.resolve()
    return state, resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()


def in_use(state: Path) -> bool:
    """Whether a writer holds the store just now."""
    return is_held(state)


def ledger_stamp(state: Path) -> tuple[tuple[int, int] | None, ...]:
    """What changes when a ledger's file is written: the sizes and times of it and of its log, which comes and
    goes.
    """
    return tuple(_facts(state / name) for name in (LEDGER, f"{LEDGER}-wal"))


def _facts(file: Path) -> tuple[int, int] | None:
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_size, facts.st_mtime_ns


_listeners: list[Callable[[str], None]] = []
_said: set[str] = set()


def listen(listener: Callable[[str], None]) -> None:
    """Send every sentence there from now on, and nowhere else."""
    _listeners[:] = [listener]
    _said.clear()


def notice(text: str) -> None:
    """Say something."""
    if _listeners:
        _listeners[0](text)
        return
    import logging  # noqa: PLC0415 # lazy: it is rarely needed

    logging.getLogger("holdfast").warning("%s", text)


def notice_once(text: str) -> None:
    """Say something, unless whoever listens has heard it."""
    if text not in _said:
        _said.add(text)
        notice(text)
