"""The mirror's folder on disk: atomic, durable, and never outside (PATH-7).

1. The root is resolved once, strictly. What lies below is reached as `handles` says: no symlink is
   followed.
2. A file is written to `.holdfast/tmp` and renamed into place: it is there whole, or not at all. What a
   killed run left in `tmp` is removed at the next start.
3. Files are written in batches, so that the disk may take them together. `write_all` returns when they are
   durable. `put_all` returns at once, and `settle` makes durable what was put before, on whatever thread:
   until then a power cut may leave such a file empty, or not there. A file that is there already is never
   replaced by one that is not durable yet: after a power cut it is the old one or the new one, whole.
4. What cannot be written for a reason of its own (a symlink, a file where a folder should be) is refused by
   itself; the rest of the batch goes on. A full disk ends the batch.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from holdfast.adapters.folder.handles import (
    BLOCK,
    OWN,
    BatchFolders,
    FolderHandles,
    Loose,
    can_sync_at_once,
    exists,
    fill,
    is_file_or_nothing,
    make_durably,
    sync_all,
    sync_at_once,
    write_whole,
)
from holdfast.adapters.folder.sorted_rows import RowsOnDisk
from holdfast.adapters.system import NEW_FILE
from holdfast.core.base.errors import MirrorError, NoSpaceError
from holdfast.core.base.hashing import content_hash

_OPEN_FILES = 64
"""Files of a batch that are open at once, and as many folders if each lies in one of its own: a limit of 256
for a process is the lowest in use.
"""
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class _Draft(NamedTuple):
    """A file in `tmp` that has no name of its own yet."""

    name: str
    handle: int


class Folder:
    """The `Mirror` port, on a real folder, for one writer.

    A folder that can simply be made again need not be durable file by file; one that is only looked at
    (`to_read`) may lie where nothing can be written.
    """

    def __init__(self, root: Path, *, durable: bool = True, to_read: bool = False) -> None:
        self._durable = durable
        try:
            if not to_read:
                make_durably(root.absolute())
            self.root = root.resolve(strict=True)
            self._handles = FolderHandles(self.root)
            self._tmp = -1 if to_read else self._clean_tmp()
        except OSError as error:
            _stop_if_full(error, root)
            raise MirrorError(f"{root} cannot be used as a mirror's folder: {_reason(error)}") from error
        self._count = 0
        self._loose = Loose()

    def close(self) -> None:
        """Close the handles."""
        if self._tmp >= 0:
            os.close(self._tmp)
        self._handles.close()

    def _clean_tmp(self) -> int:
        """A handle on the folder of drafts, without what a killed run left there."""
        handle = self._handles.open_parent(f"{OWN}/tmp/x", create=True)
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
        return self._in_batches(files, times or {}, at_once=True)

    def put_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """As `write_all`; what is new is durable after the next `settle` only."""
        return self._in_batches(files, times or {}, at_once=False)

    def settle(self) -> None:
        """What was put or appended before is durable when this returns; while it waits, more may be put."""
        files, folders = self._loose.take()
        with self._translated(""):
            if not self._durable or not (files or folders):
                return
            if can_sync_at_once(self._handles.root):
                sync_at_once(self._handles.root)
                return
            for path in sorted(files):
                self._sync(path)
            for folder in sorted(folders):
                self._sync_folder(folder)

    def _in_batches(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float], *, at_once: bool
    ) -> dict[str, str]:
        refused: dict[str, str] = {}
        paths = list(files)
        for start in range(0, len(paths), _OPEN_FILES):
            drafts: dict[str, _Draft] = {}
            try:
                with self._drafting():
                    for path in paths[start : start + _OPEN_FILES]:
                        drafts[path] = self._draft(files[path], times.get(path))
                refused |= self._put(drafts, at_once=at_once)
            finally:
                for draft in drafts.values():
                    os.close(draft.handle)
        return refused

    def _draft(self, content: bytes | Iterable[bytes], time: float | None) -> _Draft:
        self._count += 1
        name = f"{self._count}"
        handle = os.open(name, NEW_FILE, 0o666, dir_fd=self._tmp)
        try:
            fill(handle, content, time)
        except BaseException:
            os.close(handle)
            raise
        return _Draft(name, handle)

    def _put(self, drafts: Mapping[str, _Draft], *, at_once: bool) -> dict[str, str]:
        """Rename drafts into place; what was refused, and why, by path."""
        refused: dict[str, str] = {}
        with self._translated(""):
            folders = BatchFolders(self._handles)
        try:
            now = self._to_sync_now(drafts, folders, refused, at_once=at_once)
            with self._drafting():
                sync_all([drafts[path].handle for path in now])
            for path, draft in drafts.items():
                folder, _, name = path.rpartition("/")
                try:
                    if path not in refused:
                        os.rename(draft.name, name, src_dir_fd=self._tmp, dst_dir_fd=folders.opened[folder])
                except OSError as error:
                    _stop_if_full(error, self.root)
                    refused[path] = _reason(error)
                if path in refused:
                    with suppress(OSError):
                        os.unlink(draft.name, dir_fd=self._tmp)
            with self._translated(""):
                self._sync_or_note(drafts.keys() - refused.keys() - now, folders, at_once=at_once)
        finally:
            folders.close()
        return refused

    def _to_sync_now(
        self, drafts: Mapping[str, _Draft], folders: BatchFolders, refused: dict[str, str], *, at_once: bool
    ) -> set[str]:
        """The drafts that have to be durable before they get their names: all; or those that replace a file,
        and those that go to another filesystem. Opens the folders, and finds out what cannot be.
        """
        now = set()
        for path in drafts:
            folder, _, name = path.rpartition("/")
            try:
                folders.open_parent(path)
                replaces = folder not in folders.new and is_file_or_nothing(name, folders.opened[folder])
            except OSError as error:
                _stop_if_full(error, self.root)
                refused[path] = _reason(error)
                continue
            if self._durable and (at_once or replaces or folder in folders.elsewhere):
                now.add(path)
        return now

    def _sync_or_note(self, later: Iterable[str], folders: BatchFolders, *, at_once: bool) -> None:
        """Make the names of files durable, and those of the folders that were made for them; or see that
        `settle` does.
        """
        grown, self._handles.grown = self._handles.grown, set()
        if not at_once:
            self._loose.note(later, {*folders.opened, *grown})
        if self._durable:
            for folder in folders.opened if at_once else folders.elsewhere:
                os.fsync(folders.opened[folder])
            for folder in grown - folders.opened.keys() if at_once else ():
                self._sync_folder(folder)

    def _sync(self, path: str) -> None:
        """A file that was put; if it is gone, so is what had to be durable."""
        with suppress(FileNotFoundError):
            handle = self._handles.open(path, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def _sync_folder(self, folder: str) -> None:
        with self._handles.parent(f"{folder}/x" if folder else "x") as (handle, _):
            if handle is not None:
                os.fsync(handle)

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file that only grows; a torn tail is the reader's to drop."""
        with self._translated(path):
            handle = self._handles.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, create=True)
            try:
                write_whole(handle, data)
            finally:
                os.close(handle)
        self._loose.note((path,), (path.rpartition("/")[0],))

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes."""
        with self._translated(path):
            handle = self._handles.open(path, os.O_WRONLY)
            try:
                os.ftruncate(handle, size)
            finally:
                os.close(handle)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        file = _opened(self._handles, self.root, path)
        if file is None:
            return None
        with file:
            return file.read()

    def pieces(self, path: str) -> Iterator[bytes]:
        """A file's bytes a block at a time; none where there is no file."""
        if (file := _opened(self._handles, self.root, path)) is not None:
            with file:
                while piece := file.read(BLOCK):
                    yield piece

    def holds(self, path: str, sha256: str) -> bool:
        """Whether a page's file has this content."""
        data = self.read(path)
        return data is not None and content_hash(data) == sha256

    def time_of(self, path: str) -> datetime | None:
        """When a file was last modified, in UTC."""
        with _reading(self.root, path), self._handles.parent(path) as (parent, name):
            if parent is None or not exists(name, parent):
                return None
            return datetime.fromtimestamp(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mtime, UTC)

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        with _reading(self.root, path), self._handles.parent(path) as (parent, name):
            return parent is not None and exists(name, parent)

    def move(self, path: str, new: str) -> None:
        """Give a file another name in its folder, replacing what has it."""
        with self._translated(path), self._handles.parent(path) as (parent, name):
            os.rename(name, new.rpartition("/")[2], src_dir_fd=parent, dst_dir_fd=parent)

    def remove(self, path: str) -> None:
        """Remove a file, if it is there, and the folders it leaves empty."""
        with self._translated(path), self._handles.parent(path) as (parent, name):
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
            with self._handles.parent(folder) as (parent, name):
                try:
                    os.rmdir(name, dir_fd=parent)
                except OSError:
                    return
            folder = folder.rpartition("/")[0]

    def walk(self) -> Iterator[str]:
        """Every file's path, sorted; Holdfast's own folders left out, symlinks not followed."""
        yield from self._walk("")

    def rows(self) -> RowsOnDisk:
        """Room for sorting."""
        return RowsOnDisk()

    def free_bytes(self) -> int:
        """How much room is left for us on this disk."""
        found = os.fstatvfs(self._handles.root)
        return found.f_bavail * found.f_frsize

    def folds_names(self) -> bool:
        """Whether this filesystem takes `A` for `a`, or two Unicode forms of `ä` for one (PATH-6)."""
        with self._translated(f"{OWN}/tmp"):
            os.close(os.open("Probe-\u00e4", NEW_FILE, 0o600, dir_fd=self._tmp))
        try:
            return any(exists(name, self._tmp) for name in ("probe-\u00e4", "Probe-a\u0308"))
        finally:
            os.unlink("Probe-\u00e4", dir_fd=self._tmp)

    @contextmanager
    def _drafting(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _stop_if_full(error, self.root)
            raise MirrorError(f"{self.root / OWN / 'tmp'} cannot be written: {_reason(error)}") from error

    @contextmanager
    def _translated(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _stop_if_full(error, self.root)
            raise MirrorError(f"{self.root / path} was not changed: {_reason(error)}") from error

    def _walk(self, folder: str) -> Iterator[str]:
        handle = self._handles.open_parent(f"{folder}/x" if folder else "x")
        try:
            with os.scandir(handle) as found:
                entries = sorted((e.name, e.is_dir(follow_symlinks=False)) for e in found)
        finally:
            os.close(handle)
        for name, is_folder in entries:
            path = f"{folder}/{name}" if folder else name
            if is_folder and not path.startswith(OWN):
                yield from self._walk(path)
            elif not is_folder:
                yield path


def _opened(handles: FolderHandles, root: Path, path: str) -> BinaryIO | None:
    """A file to be read, or None where there is none."""
    with _reading(root, path), suppress(FileNotFoundError):
        return os.fdopen(handles.open(path, os.O_RDONLY), "rb")
    return None


@contextmanager
def _reading(root: Path, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MirrorError(f"{root / path} cannot be read: {_reason(error)}") from error


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
