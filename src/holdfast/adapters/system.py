"""What operating systems and Pythons do in ways of their own: flags of files, durable names, locks, links.

1. A flag that a system does not have is nothing there.
2. Names in a folder are made durable where a folder can be opened and synced; Windows keeps a journal of
   names by itself.
3. A lock is the system's own (`flock`), so a holder that died holds nothing. Where there is no `flock`, it
   is SQLite's on a file beside it, which uses what that system has instead.
4. Links that form a ring are an `OSError`. A Python before 3.13 calls them a `RuntimeError`, a later one
   takes a link of the ring for a name that is free.

Here are the machine's clock, too, and the user's own files, with errors in words.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from holdfast.core.base.errors import ConfigError, FailedError, HoldfastError, NoSpaceError, UsageError

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    _HAS_FLOCK = False
else:
    _HAS_FLOCK = True

NOT_FOLLOWED: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""A file is opened as it is, for us alone: no symlink is followed, no child inherits it."""
NOT_WAITING: Final = getattr(os, "O_NONBLOCK", 0)
"""A pipe that lies where a file should is opened, and found empty; without this, whoever opens it waits."""
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


class SystemClock:
    """The `Clock` port, for real."""

    def now(self) -> datetime:
        """The time of day, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that only grow."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait without blocking others."""
        import asyncio  # noqa: PLC0415 # lazy: who only asks for the time has no loop

        await asyncio.sleep(seconds)


def open_file(path: Path) -> int:
    """A handle to read a file, behind any links. A folder, a pipe, a device or a socket is an `OSError`: a
    folder that was unpacked may hold one, and nobody may ever write to it.
    """
    flags = os.O_RDONLY | NOT_WAITING | (NOT_FOLLOWED & ~getattr(os, "O_NOFOLLOW", 0))
    handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EISDIR, "it is not a file", str(path))
    return handle


def read_text(path: Path, what: str) -> str:
    """The text of a UTF-8 file of settings; `what` is how an error calls it."""
    try:
        with os.fdopen(open_file(path), encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{what} {path}: not UTF-8 at byte {error.start}") from error
    except OSError as error:
        raise ConfigError(f"{what} {path}: {error.strerror}") from error


def read_bytes(path: Path, what: str) -> bytes:
    """The bytes of what the user typed, which may be a pipe; `what` is how an error calls it."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FailedError(f"{what} {path}: {error.strerror}") from error


def replaceable(path: Path) -> Path:
    """The file that a name stands for, behind any links: another may take its name. That of a device or a
    pipe no file may take, for it would be gone for everybody.
    """
    try:
        file = followed(path)
        if file.is_file() or not file.exists():
            return file
    except OSError as error:
        raise cannot_write(path, error) from error
    what = "a folder" if file.is_dir() else "a device or a pipe"
    raise UsageError(f"cannot write {path}: it is {what}", hint="name a file")


def write_text(path: Path, text: str) -> None:
    """Replace a UTF-8 file atomically: what is there after a power cut is whole, the old text or the new."""
    path = replaceable(path)
    draft = path.with_name(f".{path.name}.holdfast-draft")
    try:
        draft.unlink(missing_ok=True)
        with draft.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
