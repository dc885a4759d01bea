"""Where state lives, how it is found, and who may write to it (STA-1, STA-6).

    DIR/.holdfast/              state of a mirror that stands under no root
    ROOT/.holdfast/             state of checked documents, and of mirrors under that root
        ledger.db
        archive/
        search.db               the search index, once somebody searched; made anew where it is missing
        lock                    held by one writer; names its holder (`lock.db`: where there is no `flock`)

1. ROOT is the nearest folder upward with a `holdfast.toml`, else the version-control root, else the folder
   given.
2. A mirror goes on with the history it has: its own, else that of the nearest store upward that knows
   it. A new mirror joins the root's state where there is a `holdfast.toml`, or documents that are checked;
   else it has its own.
3. A question goes to the nearest history upward; else to the one below, if there is one; else whoever asks
   chooses from the list.
4. A ledger on a server is named by its address, in the settings.
5. The lock is the operating system's, so a holder that died holds nothing; the file's text only says who it
   is.

Nothing in a store may be a symlink, nor the folder itself: what somebody else planted (in a repository
that was cloned) leads nowhere (SEC-8). What is made here is private to its owner, and its name is durable.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.adapters.system import NOT_FOLLOWED, followed, lock_file, sync_folder
from holdfast.core.base.errors import ConfigError, FailedError, LockedError, NoSpaceError, UsageError
from holdfast.core.base.plain_data import read_json
from holdfast.core.base.shown_text import is_utf8, printable

CONFIG_FILE = "holdfast.toml"
STATE_NAME = ".holdfast"
KEPT_NAME = ".holdfast.adopted"
"""A store whose history is in that of its root now."""
_REAL = "remove it if you did not make it; --store names a store elsewhere"
_MAY_NOT = (errno.EROFS, errno.EACCES, errno.EPERM)
_DEEP, _WIDE = 4, 2000
MOST_LOOKED_AT: Final = 5_000
"""Entries of folders that a look for stores reads."""
_PASSED_OVER: Final = frozenset(("node_modules", "__pycache__", "venv", "site-packages"))
_VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")


def find_config(start: Path) -> Path | None:
    """The nearest `holdfast.toml` upward from a folder."""
    return next((f for d in _upward(start) if (f := d / CONFIG_FILE).is_file()), None)


def find_root(start: Path) -> Path:
    """The root of checked documents."""
    config = find_config(start)
    if config:
        return config.parent
    versioned = (d for d in _upward(start) if any((d / name).exists() for name in _VERSION_CONTROL))
    return next(versioned, _folder(start))


def mirror_state(output: Path, knows: Callable[[Path, str], bool] = lambda _state, _label: False) -> Path:
    """The store of a mirror; `knows` says whether a store has a history under a label."""
    output = followed(output)
    own = output / STATE_NAME
    if has_history(own):
        return own
    above = [state for folder in output.parents if has_history(state := folder / STATE_NAME)]
    for state in above:
        if knows(state, output.relative_to(state.parent).as_posix()):
            return state
    config = find_config(output)
    if config:
        return config.parent / STATE_NAME
    root = find_root(output.parent) / STATE_NAME
    return root if root in above and _is_ours(root) else own


def root_state(folder: Path) -> Path | None:
    """The store of the root above a mirror, whether it is there yet or not; None without a root."""
    folder = followed(folder)
    above = [state for parent in folder.parents if has_history(state := parent / STATE_NAME)]
    config = find_config(folder.parent)
    if config:
        return config.parent / STATE_NAME
    return next((state for state in above if _is_ours(state)), None)


def find_state(start: Path) -> Path:
    """The store that a question is for: the nearest upward, else the one below."""
    found = next((s for d in _upward(start) if has_history(s := d / STATE_NAME)), None)
    if found is not None:
        return found
    below = states_below(start)
    if len(below) == 1:
        return below[0]
    if below:
        names = "\n".join(f"    --store {os.path.relpath(state.parent)}" for state in below)
        what = f"there are {len(below)} histories below {_folder(start)}"
        raise UsageError(what, hint=f"choose one:\n{names}")
    raise UsageError(
        f"there is no {STATE_NAME} folder in {_folder(start)}, above it or below it",
        hint="run the command in a mirror or a checked folder, or name one with --store",
    )


def named_state(given: Path) -> Path:
    """The store that somebody named: itself, or the folder that has it."""
    given = followed(given)
    inner = given / STATE_NAME
    return inner if not has_history(given) and has_history(inner) else given


def has_history(state: Path) -> bool:
    """Whether a folder holds a ledger, or an archive that one can be made of."""
    return any(os.path.lexists(state / name) for name in ("ledger.db", "archive"))


def states_below(start: Path) -> list[Path]:
    """The stores below a folder, a few levels deep: enough for `docs/mirrors/site`."""
    found: list[Path] = []
    level = [_folder(start)]
    for _ in range(_DEEP):
        inner = []
        for folder in level:
            with suppress(OSError), os.scandir(folder) as entries:
                inner += [
                    Path(entry.path)
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and entry.name[0] not in "._"
                ]
        found += [state for folder in inner if has_history(state := folder / STATE_NAME)]
        level = [folder for folder in sorted(inner)[:_WIDE] if not has_history(folder / STATE_NAME)]
    return sorted(found)


class StoresFound(NamedTuple):
    """The stores that a question in a folder is for: the nearest at or above it first, then those below, by
    path. Where the look met its bound there may be more.
    """

    stores: tuple[Path, ...]
    met_bound: bool = False


def stores_around(start: Path, most: int = MOST_LOOKED_AT) -> StoresFound:
    """Look for stores (CLI-2). Below, level by level: hidden folders, those that programs fill, symlinks and
    the pages of a mirror are passed over, and after so many entries the look ends.
    """
    above = next((s for d in _upward(start) if has_history(s := d / STATE_NAME)), None)
    below: list[Path] = []
    level, left = [_folder(start)], most
    while level and left >= 0:
        inner: list[Path] = []
        for folder in level:
            entries = [] if _has_manifest(folder) else _entries(folder, left + 1)
            left -= len(entries)
            inner += [folder / entry.name for entry in entries if _may_hold_stores(entry)]
            if left < 0:
                break
        below += [state for folder in inner if has_history(state := folder / STATE_NAME)]
        level = sorted(inner)
    return StoresFound((*([above] if above else []), *sorted(below)), met_bound=left < 0)


def _entries(folder: Path, most: int) -> list[os.DirEntry[str]]:
    """What a folder holds, so many of it; nothing where it may not be read."""
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _has_manifest(folder: Path) -> bool:
    return (folder / "_manifest.json").is_file()


def _may_hold_stores(entry: os.DirEntry[str]) -> bool:
    """Whether to go on below an entry of a folder."""
    is_hidden = entry.name.startswith(".") or entry.name in _PASSED_OVER
    return not is_hidden and entry.is_dir(follow_symlinks=False)


def _is_ours(state: Path) -> bool:
    """Whether a store belongs to whoever runs this: in a shared folder it may be another's."""
    return not hasattr(os, "getuid") or state.stat().st_uid == os.getuid()


def check_state(state: Path) -> None:
    """Refuse a store that is a symlink, or has in it what is no file, or lies where no ledger can."""
    require_utf8(state, "a ledger")
    for folder in (state, state / "archive", state / "archive" / "orphans"):
        if folder.is_symlink():
            raise FailedError(f"{folder} is a symlink; it is not followed", hint=_REAL)
        if not folder.is_dir():
            continue
        with in_words(folder), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    raise FailedError(f"{entry.path} is a symlink; it is not followed", hint=_REAL)
                if not (entry.is_file() or entry.is_dir()):
                    raise FailedError(
                        f"{entry.path} is neither a file nor a folder; it is not opened", hint=_REAL
                    )


def require_utf8(folder: Path, what: str) -> None:
    """Refuse a folder for what a ledger would call by its name."""
    if not is_utf8(str(folder.absolute())):
        raise UsageError(
            f"{what} cannot lie in {printable(str(folder))}: the name is not UTF-8",
            hint="give the folder another name",
        )


def make_state(state: Path) -> None:
    """A store, made where there is none."""
    require_utf8(state, "a ledger")
    with in_words(state):
        _make(state, 0o700)
    check_state(state)


@contextmanager
def lock(state: Path, purpose: str) -> Iterator[None]:
    """Hold a store as its one writer, or say who does."""
    make_state(state)
    with in_words(state / "lock"):
        handle = os.open(state / "lock", os.O_RDWR | os.O_CREAT | NOT_FOLLOWED, 0o600)
    try:
        try:
            held = lock_file(handle, state / "lock", shared=False)
        except BlockingIOError:
            raise LockedError(
                f"{state} is in use by {_holder(os.read(handle, 4096))}",
                hint="wait for it to end, or use another folder",
            ) from None
        with held:
            with in_words(state / "lock"):
                os.ftruncate(handle, 0)
                os.write(handle, json.dumps({"pid": os.getpid(), "command": purpose}).encode())
            yield
    finally:
        os.close(handle)


def is_held(state: Path) -> bool:
    """Whether somebody holds a store just now."""
    try:
        with in_words(state / "lock"):
            handle = os.open(state / "lock", os.O_RDONLY | NOT_FOLLOWED)
    except FailedError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return False
        raise
    try:
        with lock_file(handle, state / "lock", shared=True):
            return False
    except BlockingIOError:
        return True
    finally:
        os.close(handle)


def _make(folder: Path, mode: int = 0o777) -> None:
    """A folder and those it lies in, each name durable."""
    if folder.is_dir():
        return
    _make(folder.parent)
    with suppress(FileExistsError):
        folder.mkdir(mode)
    sync_folder(folder.parent)


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """The operating system's errors as errors that say what to do."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise FailedError(f"{path} is a symlink; it is not followed", hint=_REAL) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NoSpaceError(f"there is no room for {path}", hint="make room and start again") from error
        reads = "`--store` names a store that may be written" if error.errno in _MAY_NOT else None
        raise FailedError(f"{path} cannot be used: {error.strerror}", hint=reads) from error


def _holder(text: bytes) -> str:
    try:
        holder = read_json(text)
        return f"process {holder['pid']} (holdfast {holder['command']})"
    except (ValueError, KeyError, TypeError):
        return "another process"


def _upward(start: Path) -> Iterator[Path]:
    folder = _folder(start)
    yield folder
    yield from folder.parents


def _folder(start: Path) -> Path:
    resolved = followed(start)
    return resolved.parent if resolved.is_file() else resolved


SCHEMES: Final = ("postgresql://", "postgres://")


def is_address(text: str) -> bool:
    """Whether a text names a ledger on a server, not a file."""
    return text.startswith(SCHEMES)


def refuse_address() -> ConfigError:
    """An address that cannot be read. It is not repeated: nobody knows where in it the password is."""
    return ConfigError(
        "the ledger's address cannot be read",
        hint="it looks like postgresql://user@host:5432/database; write : / @ ? # in a password as %XX",
    )
