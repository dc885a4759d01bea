"""The way to a file below a root: folder by folder, through open handles that follow no symlink (PATH-7).

A symlink planted before or during the run is met as what it is, and refused with its name. A name that climbs
(`..`) is refused, too. Where a folder is made, the folder above it has `grown`: its names are to be synced.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from holdfast.adapters.system import NOT_FOLLOWED, sync_folder
from holdfast.core.errors import FailedError

__all__ = ["OWN", "FolderHandles", "exists", "is_file_or_nothing", "make_durably"]

OWN = ".holdfast"
_HAS_HANDLES = os.open in os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | NOT_FOLLOWED


class FolderHandles:
    """Handles on what lies below a root."""

    def __init__(self, root: Path) -> None:
        if not _HAS_HANDLES:
            raise FailedError(
                "this system cannot open files from a folder's handle, by which mirrors are written",
                hint="canon, path, convert and track work here; mirror on Linux, on macOS or in WSL",
            )
        self.root = os.open(root, _FOLDER)
        self.grown: set[str] = set()

    def close(self) -> None:
        """Let go of the root."""
        os.close(self.root)

    def open(self, path: str, flags: int, *, create: bool = False) -> int:
        """A handle on a file."""
        parent = self.open_parent(path, create=create)
        try:
            name = path.rpartition("/")[2]
            return os.open(name, flags | NOT_FOLLOWED, 0o666, dir_fd=parent)
        finally:
            os.close(parent)

    def open_parent(self, path: str, *, create: bool = False) -> int:
        """A handle on the folder that holds `path`, reached without following anything."""
        handle = os.dup(self.root)
        *folders, name = path.split("/")
        if not name or any(part in ("", ".", "..") for part in (*folders, name)):
            os.close(handle)
            raise OSError(errno.EINVAL, "the name leaves the folder", path)
        for number in range(1, len(folders) + 1):
            try:
                inner = self._enter(handle, folders[:number], create=create)
            except OSError as error:
                error.filename = "/".join(folders[:number])
                raise
            finally:
                os.close(handle)
            handle = inner
        return handle

    def _enter(self, handle: int, folders: Sequence[str], *, create: bool) -> int:
        """A handle on the last of these folders, in that of the one before; our own is private."""
        part = folders[-1]
        try:
            return os.open(part, _FOLDER, dir_fd=handle)
        except FileNotFoundError:
            if not create:
                raise
            with suppress(FileExistsError):
                os.mkdir(part, 0o700 if folders[0] == OWN else 0o777, dir_fd=handle)
            self.grown.add("/".join(folders[:-1]))
            return self._enter(handle, folders, create=False)  # a symlink may have been quicker
        except NotADirectoryError as error:
            if stat.S_ISLNK(os.stat(part, dir_fd=handle, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "a symlink", part) from error
            raise

    @contextmanager
    def parent(self, path: str) -> Iterator[tuple[int | None, str]]:
        """A handle on the folder that holds `path`, or None where there is none, and the name in it."""
        try:
            handle = self.open_parent(path)
        except (FileNotFoundError, NotADirectoryError):
            yield None, ""
            return
        try:
            yield handle, path.rpartition("/")[2]
        finally:
            os.close(handle)


def make_durably(folder: Path) -> None:
    """A folder and those it lies in, the name of each made durable."""
    if folder.is_dir():
        return
    make_durably(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def is_file_or_nothing(name: str, parent: int) -> bool:
    """Whether a folder has a file of that name, which can be replaced; anything else there is an error."""
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "a symlink", name)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR, "not a regular file", name)
    return True


def exists(name: str, parent: int) -> bool:
    """Whether a folder has that name; a symlink is there, wherever it leads."""
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
