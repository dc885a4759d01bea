"""The mirror's folder on disk: atomic, durable, and never outside (PATH-7).

1. The root is resolved once, strictly. From there every path is walked folder by folder through open
   directory handles that follow no symlink (`O_NOFOLLOW`), so a symlink planted before or during the
   run is met as what it is, and refused with its name. A name that climbs (`..`) is refused, too.
2. A file is written to `.holdfast/tmp`, synced, and renamed into place: it is there whole, or not at
   all. What a killed run left in `tmp` is removed at the next start.
3. Files are written in batches: all are written, then all synced, then renamed, then the folders synced.
   So the disk may take them together, which is a third of the time of taking them one by one.
   What cannot be written for a reason of its own (a symlink, a file where a folder should be) is
   refused by itself; the rest of the batch goes on. A full disk ends the batch.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from holdfast.core.errors import MirrorError, NoSpaceError

__all__ = ["Folder"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OWN = ".holdfast"
_OPEN_FILES = 128
"""Files of a batch that are open at once: a limit of 256 for a process is the lowest in use."""
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class Folder:
    """The `Mirror` port, on a real folder, for one writer.

    A folder that can simply be made again need not be durable file by file; one that is only looked at
    (`to_read`) may lie where nothing can be written.
    """

    def __init__(self, root: Path, *, durable: bool = True, to_read: bool = False) -> None:
        self._durable = durable
        self._grown: set[str] = set()
        try:
            if not to_read:
                _make_durably(root.absolute())
            self.root = root.resolve(strict=True)
            self._root = os.open(self.root, _FOLDER)
            self._tmp = -1 if to_read else self._clean_tmp()
        except OSError as error:
            _stop_if_full(error, root)
            raise MirrorError(f"{root} cannot be used as a mirror's folder: {_reason(error)}") from error
        self._count = 0

    def close(self) -> None:
        """Close the handles."""
        if self._tmp >= 0:
            os.close(self._tmp)
        os.close(self._root)

    def _clean_tmp(self) -> int:
        """A handle on the folder of drafts, without what a killed run left there."""
        handle = self._open_parent(f"{_OWN}/tmp/x", create=True)
        with os.scandir(handle) as left_behind:
            for entry in left_behind:
                os.unlink(entry.name, dir_fd=handle)
        return handle

    def write(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Replace one file atomically and durably; a refusal is an error."""
        for refusal in self.write_all({path: content}).values():
            raise MirrorError(f"{self.root / path} was not written: {refusal}")

    def write_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """Replace many files, with these modification times; what was refused, and why, by path."""
        refused: dict[str, str] = {}
        paths = list(files)
        for start in range(0, len(paths), _OPEN_FILES):
            batch = {path: files[path] for path in paths[start : start + _OPEN_FILES]}
            refused |= self._put(self._draft_all(batch, times or {}))
        return refused

    def _put(self, drafts: Mapping[str, str]) -> dict[str, str]:
        """Rename drafts into place; what was refused, and why, by path."""
        refused: dict[str, str] = {}
        parents: dict[str, int] = {}
        try:
            for path, draft in drafts.items():
                folder, _, name = path.rpartition("/")
                try:
                    if folder not in parents:
                        parents[folder] = self._open_parent(path, create=True)
                    _refuse_odd_target(name, parents[folder])
                    os.rename(draft, name, src_dir_fd=self._tmp, dst_dir_fd=parents[folder])
                except OSError as error:
                    _stop_if_full(error, self.root)
                    refused[path] = _reason(error)
                    with suppress(OSError):
                        os.unlink(draft, dir_fd=self._tmp)
            if self._durable:
                self._sync_folders(parents)
        finally:
            for handle in parents.values():
                os.close(handle)
        return refused

    def _sync_folders(self, parents: Mapping[str, int]) -> None:
        """Make the names of files durable, and those of the folders that were made for them."""
        with self._translated(""):
            for handle in parents.values():
                os.fsync(handle)
            for folder in self._grown - set(parents):
                handle = self._open_parent(f"{folder}/x" if folder else "x")
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        self._grown.clear()

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file that only grows; a torn tail is the reader's to drop."""
        with self._translated(path):
            handle = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, create=True)
            try:
                _write(handle, data)
            finally:
                os.close(handle)

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes."""
        with self._translated(path):
            handle = self._open(path, os.O_WRONLY)
            try:
                os.ftruncate(handle, size)
            finally:
                os.close(handle)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        try:
            handle = self._open(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise MirrorError(f"{self.root / path} cannot be read: {_reason(error)}") from error
        with os.fdopen(handle, "rb") as file:
            return file.read()

    def time_of(self, path: str) -> datetime | None:
        """When a file was last modified, in UTC."""
        with self._parent(path) as (parent, name):
            if parent is None or not _exists(name, parent):
                return None
            return datetime.fromtimestamp(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mtime, UTC)

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        with self._parent(path) as (parent, name):
            if parent is None:
                return False
            try:
                os.stat(name, dir_fd=parent, follow_symlinks=False)
            except FileNotFoundError:
                return False
            return True

    def move(self, path: str, new: str) -> None:
        """Give a file another name in its folder, replacing what has it."""
        with self._translated(path), self._parent(path) as (parent, name):
            os.rename(name, new.rpartition("/")[2], src_dir_fd=parent, dst_dir_fd=parent)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there, and the folders it leaves empty."""
        with self._translated(path), self._parent(path) as (parent, name):
            if parent is None:
                return
            try:
                os.unlink(name, dir_fd=parent)
            except FileNotFoundError:
                return
            if self._durable:
                os.fsync(parent)
        folder = path.rpartition("/")[0]
        while folder:
            with self._parent(folder) as (parent, name):
                try:
                    os.rmdir(name, dir_fd=parent)
                except OSError:
                    return
            folder = folder.rpartition("/")[0]

    def walk(self) -> Iterator[str]:
        """Every file's path, sorted; Holdfast's own folder left out, symlinks not followed."""
        yield from self._walk("")

    def free_bytes(self) -> int:
        """How much room is left for us on this disk."""
        found = os.fstatvfs(self._root)
        return found.f_bavail * found.f_frsize

    def folds_names(self) -> bool:
        """Whether this filesystem takes `A` for `a`, or two Unicode forms of `ä` for one (PATH-6)."""
        with self._translated(f"{_OWN}/tmp"):
            os.close(os.open("Probe-\u00e4", _NEW_FILE, 0o600, dir_fd=self._tmp))
        try:
            return any(_exists(name, self._tmp) for name in ("probe-\u00e4", "Probe-a\u0308"))
        finally:
            os.unlink("Probe-\u00e4", dir_fd=self._tmp)

    def _draft_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float]
    ) -> dict[str, str]:
        """Durable drafts of files, by path."""
        drafts: dict[str, str] = {}
        handles: list[int] = []
        try:
            for path, content in files.items():
                self._count += 1
                drafts[path] = name = f"{self._count}"
                handles.append(os.open(name, _NEW_FILE, 0o666, dir_fd=self._tmp))
                _fill(handles[-1], content, times.get(path))
            if self._durable:
                _sync_all(handles)
        except OSError as error:
            _stop_if_full(error, self.root)
            raise MirrorError(f"{self.root / _OWN / 'tmp'} cannot be written: {_reason(error)}") from error
        finally:
            for handle in handles:
                os.close(handle)
        return drafts

    def _open(self, path: str, flags: int, *, create: bool = False) -> int:
        parent = self._open_parent(path, create=create)
        try:
            name = path.rpartition("/")[2]
            return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666, dir_fd=parent)
        finally:
            os.close(parent)

    def _open_parent(self, path: str, *, create: bool = False) -> int:
        """A handle on the folder that holds `path`, reached without following anything."""
        handle = os.dup(self._root)
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
                os.mkdir(part, 0o700 if folders[0] == _OWN else 0o777, dir_fd=handle)
            self._grown.add("/".join(folders[:-1]))
            return self._enter(handle, folders, create=False)  # a symlink may have been quicker
        except NotADirectoryError as error:
            if stat.S_ISLNK(os.stat(part, dir_fd=handle, follow_symlinks=False).st_mode):
                raise OSError(errno.ELOOP, "a symlink", part) from error
            raise

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int | None, str]]:
        try:
            handle = self._open_parent(path)
        except (FileNotFoundError, NotADirectoryError):
            yield None, ""
            return
        try:
            yield handle, path.rpartition("/")[2]
        finally:
            os.close(handle)

    @contextmanager
    def _translated(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _stop_if_full(error, self.root)
            raise MirrorError(f"{self.root / path} was not changed: {_reason(error)}") from error

    def _walk(self, folder: str) -> Iterator[str]:
        handle = self._open_parent(f"{folder}/x" if folder else "x")
        try:
            with os.scandir(handle) as found:
                entries = sorted((e.name, e.is_dir(follow_symlinks=False)) for e in found)
        finally:
            os.close(handle)
        for name, is_folder in entries:
            path = f"{folder}/{name}" if folder else name
            if is_folder and path != _OWN:
                yield from self._walk(path)
            elif not is_folder:
                yield path


def _make_durably(folder: Path) -> None:
    """A folder and those it lies in, the name of each made durable."""
    if folder.is_dir():
        return
    _make_durably(folder.parent)
    folder.mkdir(exist_ok=True)
    handle = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(handle: int, content: bytes | Iterable[bytes], time: float | None) -> None:
    for piece in (content,) if isinstance(content, bytes) else content:
        _write(handle, piece)
    if time is not None:
        os.utime(handle, (time, time))


def _sync_all(handles: Sequence[int]) -> None:
    """Sync files; where the system can be told, all begin to be written before the first is waited for."""
    if len(handles) > 1 and hasattr(os, "posix_fadvise"):
        for handle in handles:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    for handle in handles:
        os.fsync(handle)


def _write(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _refuse_odd_target(name: str, parent: int) -> None:
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "a symlink", name)
    if not stat.S_ISREG(mode):
        raise OSError(errno.EISDIR, "no regular file", name)


def _exists(name: str, parent: int) -> bool:
    try:
        os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _stop_if_full(error: OSError, root: Path) -> None:
    if error.errno in _NO_SPACE:
        raise NoSpaceError(
            f"there is no room left on the disk of {root}",
            hint="make room and start the same command again: it goes on where it stopped",
        ) from error


def _reason(error: OSError) -> str:
    place = f" ({error.filename})" if isinstance(error.filename, str) else ""
    if error.errno == errno.ELOOP:
        return f"a symlink stands in the way{place}; it is not followed"
    if error.errno == errno.ENOTDIR:
        return f"a file stands where a folder should be{place}"
    return f"{error.strerror or error}{place}"
