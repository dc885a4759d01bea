"""What operating systems and Pythons do in ways of their own: flags of files, durable names, locks, links.

1. A flag that a system does not have is nothing there.
2. Names in a folder are made durable where a folder can be opened and synced; Windows keeps a journal of
   names by itself.
3. A lock is the system's own (`flock`), so a holder that died holds nothing. Where there is no `flock`, it is
   SQLite's on a file beside it, which uses what that system has instead.
4. Links that form a ring are an `OSError`. A Python before 3.13 calls them a `RuntimeError`, a later one
   takes a link of the ring for a name that is free.
"""

from __future__ import annotations

import errno
import os
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import Final

from holdfast.core.errors import FailedError, HoldfastError, NoSpaceError

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    _HAS_FLOCK = False
else:
    _HAS_FLOCK = True

__all__ = ["NEW_FILE", "NOT_FOLLOWED", "cannot_write", "followed", "lock_file", "sync_folder"]

NOT_FOLLOWED: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""A file is opened as it is, for us alone: no symlink is followed, no child inherits it."""
NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOT_FOLLOWED


def followed(path: Path) -> Path:
    """Where a path leads, behind its links, whether something is there or not."""
    try:
        found = path.resolve()
        is_ring = found.is_symlink()
    except RuntimeError:
        is_ring = True
    if is_ring:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found


def cannot_write(path: Path, error: OSError) -> HoldfastError:
    """Why a file was not written, in words."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return NoSpaceError(f"there is no room for {path}", hint="make room and start again")
    return FailedError(f"cannot write {path}: {error.strerror}")


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock_file(handle: int, path: Path, *, shared: bool) -> AbstractContextManager[object]:
    """Lock an open file, as long as the handle and what is returned are open; BlockingIOError where another
    holds it.
    """
    if not _HAS_FLOCK:
        return _lock_by_sqlite(path.with_name(path.name + ".db"), shared=shared)
    fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    return nullcontext()


def _lock_by_sqlite(path: Path, *, shared: bool) -> AbstractContextManager[object]:
    import apsw  # noqa: PLC0415 # lazy: identity alone does without it

    connection = apsw.Connection(str(path))
    try:
        connection.execute("BEGIN" if shared else "BEGIN EXCLUSIVE")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except apsw.BusyError as error:
        connection.close()
        raise BlockingIOError from error
    return closing(connection)
