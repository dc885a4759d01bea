"""Where state lives, and who may write to it (STA-1).

    DIR/.holdfast/              state of a mirror whose folder stands under no `holdfast.toml`
    ROOT/.holdfast/             state of tracked documents, and of mirrors under that root
        ledger.db
        archive/
        lock                    held by one writer; names its holder

ROOT is the nearest folder upward with a `holdfast.toml`, else the version-control root, else the folder
given. Query commands search upward for a state folder. The lock is the operating system's (`flock`), so
a holder that died holds nothing; the file's text only says who it is.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.core.errors import LockedError, UsageError

__all__ = [
    "CONFIG_FILE",
    "STATE_NAME",
    "find_config",
    "find_root",
    "find_state",
    "is_held",
    "lock",
    "mirror_state",
]

CONFIG_FILE = "holdfast.toml"
STATE_NAME = ".holdfast"
_VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")


def find_config(start: Path) -> Path | None:
    """The nearest `holdfast.toml` upward from a folder."""
    return next((f for d in _upward(start) if (f := d / CONFIG_FILE).is_file()), None)


def find_root(start: Path) -> Path:
    """The root of tracked documents."""
    config = find_config(start)
    if config:
        return config.parent
    versioned = (d for d in _upward(start) if any((d / name).exists() for name in _VERSION_CONTROL))
    return next(versioned, _folder(start))


def mirror_state(output: Path) -> Path:
    """The state folder of a mirror: its root's where there is a `holdfast.toml`, else its own."""
    config = find_config(output)
    return (config.parent if config else output.resolve()) / STATE_NAME


def find_state(start: Path) -> Path:
    """The nearest existing state folder upward, for commands that only ask."""
    found = next((s for d in _upward(start) if (s := d / STATE_NAME).is_dir()), None)
    if found is None:
        raise UsageError(
            f"there is no {STATE_NAME} folder here or in any folder above {_folder(start)}",
            hint="run the command in a mirror or a tracked folder, or name the state folder with --state",
        )
    return found


@contextmanager
def lock(state: Path, purpose: str) -> Iterator[None]:
    """Hold a state folder as its one writer, or say who does."""
    state.mkdir(parents=True, exist_ok=True)
    handle = os.open(state / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError(
                f"{state} is in use by {_holder(os.pread(handle, 4096, 0))}",
                hint="wait for it to end, or use another folder",
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps({"pid": os.getpid(), "command": purpose}).encode(), 0)
        yield
    finally:
        os.close(handle)


def is_held(state: Path) -> bool:
    """Whether somebody holds a state folder just now."""
    try:
        handle = os.open(state / "lock", os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _holder(text: bytes) -> str:
    try:
        holder = json.loads(text)
        return f"process {holder['pid']} (holdfast {holder['command']})"
    except (ValueError, KeyError, TypeError):
        return "another process"


def _upward(start: Path) -> Iterator[Path]:
    folder = _folder(start)
    yield folder
    yield from folder.parents


def _folder(start: Path) -> Path:
    resolved = start.resolve()
    return resolved.parent if resolved.is_file() else resolved
