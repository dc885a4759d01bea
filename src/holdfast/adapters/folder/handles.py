"""The way to a file below a root, through open handles that follow no symlink (PATH-7); and durability.

1. The way goes folder by folder. A symlink planted before or during the run is met as what it is, and
   refused with its name. A name that climbs (`..`) is refused, too. Where a folder is made, the folder
   above it has `grown`: its names are to be synced. Files of a batch lie side by side: each of their
   folders is opened once, from the one around them all.
2. What was written becomes durable each file by itself, or a whole filesystem at once. `syncfs` makes
   everything durable that was written before it, names and bytes, in one wait: for a hundred small files a
   quarter of the time of as many `fsync`. It is used where it is known to hold: on Linux, on filesystems
   that write what they have to a disk of their own. A filesystem in user space is not told of it, one on
   the network need not be; there, and everywhere else, each file is synced, and each folder.
3. All bytes go into an open file in few calls.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from holdfast.adapters.system import NOT_FOLLOWED, NOT_WAITING, sync_folder
from holdfast.core.base.errors import FailedError

OWN = ".holdfast"
_HAS_HANDLES = os.open in os.supports_dir_fd
_NO_NAMES = frozenset(("", ".", ".."))
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
            return os.open(name, flags | NOT_FOLLOWED | NOT_WAITING, 0o666, dir_fd=parent)
        finally:
            os.close(parent)

    def open_parent(self, path: str, *, create: bool = False) -> int:
        """A handle on the folder that holds `path`, reached without following anything."""
        *folders, _ = _parts_of(path)
        handle = os.dup(self.root)
        for number in range(1, len(folders) + 1):
            try:
                inner, _ = self.enter(handle, folders[:number], create=create)
            finally:
                os.close(handle)
            handle = inner
        return handle

    def enter(
        self, handle: int, folders: Sequence[str], *, create: bool, is_likely_new: bool = False
    ) -> tuple[int, bool]:
        """A handle on the last of these folders, in that of the one before, and whether it was made now. What
        is likely new is made before it is looked for.
        """
        try:
            is_new = is_likely_new and self._make(handle, folders)
            found, is_new_now = self._enter(handle, folders, create=create)
            return found, is_new or is_new_now
        except OSError as error:
            error.filename = "/".join(folders)
            raise

    def _enter(self, handle: int, folders: Sequence[str], *, create: bool) -> tuple[int, bool]:
        part = folders[-1]
        try:
            return os.open(part, _FOLDER, dir_fd=handle), False
        except FileNotFoundError:
            if not create:
                raise
            is_new = self._make(handle, folders)
            return self._enter(handle, folders, create=False)[0], is_new  # a symlink may have been quicker
        except NotADirectoryError as error:
            if stat.S_ISLNK(os.stat(part, dir_fd=handle, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "a symlink", part) from error
            raise

    def _make(self, handle: int, folders: Sequence[str]) -> bool:
        """Whether the last of these folders was not there, and is made now."""
        self.grown.add("/".join(folders[:-1]))
        try:
            os.mkdir(folders[-1], 0o700 if folders[0] == OWN else 0o777, dir_fd=handle)  # our own is private
        except FileExistsError:
            return False
        return True

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


class BatchFolders:
    """The folders that files of a batch lie in, made where they are not there. `new` are those that were made
    for it and hold nothing else, `elsewhere` those on another filesystem than the root.
    """

    def __init__(self, handles: FolderHandles) -> None:
        self._handles = handles
        self._device = os.fstat(handles.root).st_dev
        self._around, self._around_handle = "", os.dup(handles.root)
        self._makes = False
        self.opened: dict[str, int] = {}
        self.new: set[str] = set()
        self.elsewhere: set[str] = set()

    def close(self) -> None:
        """Close all of them."""
        for handle in (*self.opened.values(), self._around_handle):
            os.close(handle)

    def open_parent(self, path: str) -> None:
        """Open the folder that holds `path`, if it is not open."""
        folder, _, name = path.rpartition("/")
        if folder in self.opened and name not in _NO_NAMES:
            return
        *folders, _ = _parts_of(path)
        if not folders:
            self.opened[folder] = os.dup(self._handles.root)
            return
        if (around := "/".join(folders[:-1])) != self._around:
            handle = self._handles.open_parent(folder, create=True)
            os.close(self._around_handle)
            self._around, self._around_handle = around, handle
        self.opened[folder], is_new = self._handles.enter(
            self._around_handle, folders, create=True, is_likely_new=self._makes
        )
        self._makes = is_new  # in a new mirror most folders are, in one that is updated few
        if is_new:
            self.new.add(folder)
        if os.fstat(self.opened[folder]).st_dev != self._device:
            self.elsewhere.add(folder)


def _parts_of(path: str) -> list[str]:
    parts = path.split("/")
    if not _NO_NAMES.isdisjoint(parts):
        raise OSError(errno.EINVAL, "the name leaves the folder", path)
    return parts


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


_LOCAL: Final = frozenset(
    (
        0xEF53,  # ext2, ext3, ext4
        0x58465342,  # XFS
        0x9123683E,  # Btrfs
        0xF2F52010,  # F2FS
        0x01021994,  # tmpfs
    )
)


class Loose:
    """Files and folders that were changed and are not durable yet; noted on one thread, taken on another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def note(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """These are to be synced."""
        with self._lock:
            self._files.update(files)
            self._folders.update(folders)

    def take(self) -> tuple[set[str], set[str]]:
        """All that was noted before; whoever takes it syncs it."""
        with self._lock:
            taken = self._files, self._folders
            self._files, self._folders = set(), set()
        return taken


def can_sync_at_once(handle: int) -> bool:
    """Whether `syncfs` holds for what lies on the filesystem of an open folder."""
    if sys.platform != "linux":
        return False
    facts = ctypes.create_string_buffer(256)
    if struct.calcsize("l") != 8 or ctypes.CDLL(None).fstatfs(handle, facts) != 0:
        return False
    (kind,) = struct.unpack_from("l", facts)
    return kind in _LOCAL


def sync_at_once(handle: int) -> None:
    """Everything on the filesystem of an open folder is durable when this returns."""
    if ctypes.CDLL(None, use_errno=True).syncfs(handle) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def sync_all(handles: Sequence[int]) -> None:
    """Sync files; where the system can be told, all begin to be written before the first is waited for."""
    if len(handles) > 1 and hasattr(os, "posix_fadvise"):
        for handle in handles:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    for handle in handles:
        os.fsync(handle)


BLOCK = 1 << 16


def fill(handle: int, content: bytes | Iterable[bytes], time: float | None) -> None:
    """Write a file's content, and when it was last modified, if that is known."""
    for block in (content,) if isinstance(content, bytes) else _blocks(content):
        write_whole(handle, block)
    if time is not None:
        os.utime(handle, (time, time))


def _blocks(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are worth a call."""
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) >= BLOCK:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def write_whole(handle: int, data: bytes) -> None:
    """Write until nothing is left."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
