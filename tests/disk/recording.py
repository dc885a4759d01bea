"""Every change that a process makes to a folder, in order: writes, names, syncs.

    with Recorder(root).installed():
        main(["mirror", …])

1. Python's doors to the disk (`os`, file objects), one of Holdfast's own (`syncfs`) and those of SQLite
   (`disk.sqlite`) are replaced by ones that note what they do. Nothing is compiled, nothing traced: a run
   takes as long as ever, and a process that was forked needs no start. A write that was missed would show:
   `SimulatedDisk` replays the notes, and the result must be the folder. A sync that was missed can only
   raise an alarm.
2. A change is noted before it is made, a sync after it, with what it covers: what was noted when it began.
3. `kill_before` ends the process with -9 before its nth change; a write is torn in the middle before that.
4. SQLite's own shared memory (`-shm`) is not noted: it means nothing after a crash.
"""

from __future__ import annotations

import builtins
import fcntl
import io
import os
import signal
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from holdfast.adapters.folder import folder as mirror_folder

__all__ = ["Change", "Recorder"]

_WRITING = os.O_WRONLY | os.O_RDWR


class Change(NamedTuple):
    """`kind` is create, mkdir, write, cut, sync, sync_all, rename, link, unlink or rmdir. A file or folder is
    known by its inode, a name by its path below the root. A sync covers the changes before the one at `at`.
    """

    kind: str
    inode: int = 0
    path: str = ""
    to: str = ""
    at: int = 0
    data: bytes = b""


class Recorder:
    """Notes what happens below a folder."""

    def __init__(self, root: Path, kill_before: int | None = None) -> None:
        self.root = root
        self.changes: list[Change] = []
        self.lock = threading.RLock()
        self.os = {name: getattr(os, name) for name in _DOORS}
        self._kill_before = kill_before
        self._count = 0

    @contextmanager
    def installed(self):
        """Note everything while the block runs."""
        from disk.sqlite import recording_vfs  # noqa: PLC0415 - which knows this module

        opened, at_once = io.open, mirror_folder.sync_at_once
        vfs = recording_vfs(self)
        try:
            for name, door in _DOORS.items():
                setattr(os, name, _through(self, door))
            io.open = builtins.open = _file_opener(self, opened)
            mirror_folder.sync_at_once = lambda handle: self.sync(0, lambda: at_once(handle))
            yield self
        finally:
            mirror_folder.sync_at_once = at_once
            io.open = builtins.open = opened
            for name, function in self.os.items():
                setattr(os, name, function)
            vfs.unregister()

    def change(self, change: Change, tear=None) -> None:
        """Something is about to change; whoever is to die dies here."""
        with self.lock:
            self._count += 1
            if self._count == self._kill_before:
                if tear is not None:
                    tear()
                os.kill(os.getpid(), signal.SIGKILL)
            self.changes.append(change)

    def make(self, kind: str, path: str, act):
        """Something new: its inode is known once it is there, and nobody else runs until it is noted."""
        with self.lock:
            self.change(Change(kind, path=path))
            made = act()
            self.changes[-1] = Change(kind, self.at(path).lstat().st_ino, path)
        return made

    def sync(self, inode: int, wait) -> None:
        """Something is made durable; everything, where no inode is named."""
        before = len(self.changes)
        wait()
        with self.lock:
            self.changes.append(Change("sync" if inode else "sync_all", inode, at=before))

    def at(self, own: str) -> Path:
        return self.root / own

    def below(self, path, folder: int | None = None) -> str | None:
        """A path below the root, of a path or of a name in an open folder; None for what lies elsewhere."""
        found = Path(os.fsdecode(path))
        if folder is not None and not found.is_absolute():
            found = Path(f"/proc/self/fd/{folder}").readlink() / found
        found = Path(os.path.abspath(found))  # noqa: PTH100 - a symlink is itself
        if found.name.endswith("-shm") or not found.is_relative_to(self.root):
            return None
        return found.relative_to(self.root).as_posix()

    def inode_below(self, handle: int) -> int:
        """The inode of an open file or folder below the root; 0 for what lies elsewhere."""
        path = str(Path(f"/proc/self/fd/{handle}").readlink()).removesuffix(" (deleted)")
        return os.fstat(handle).st_ino if self.below(path) is not None else 0


def _through(recorder: Recorder, door):
    def call(*values, **named):
        return door(recorder, *values, **named)

    return call


def _open(rec: Recorder, path, flags, mode=0o777, *, dir_fd=None):
    own = rec.below(path, dir_fd) if flags & (_WRITING | os.O_CREAT) else None

    def act():
        return rec.os["open"](path, flags & ~os.O_TRUNC if own else flags, mode, dir_fd=dir_fd)

    with rec.lock:
        if own is not None and flags & os.O_CREAT and not os.path.lexists(rec.at(own)):
            return rec.make("create", own, act)
        handle = act()
        if own is not None and flags & os.O_TRUNC:
            _ftruncate(rec, handle, 0)
        return handle


def _write(rec: Recorder, handle, data):
    def write(piece):
        return rec.os["write"](handle, piece)

    if not (inode := rec.inode_below(handle)):
        return write(data)
    with rec.lock:
        appends = fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_APPEND
        start = os.fstat(handle).st_size if appends else os.lseek(handle, 0, os.SEEK_CUR)
        data = bytes(data)
        rec.change(Change("write", inode, at=start, data=data), lambda: write(data[: len(data) // 2]))
        return write(data)


def _pwrite(rec: Recorder, handle, data, offset):
    def write(piece):
        return rec.os["pwrite"](handle, piece, offset)

    if not (inode := rec.inode_below(handle)):
        return write(data)
    with rec.lock:
        data = bytes(data)
        rec.change(Change("write", inode, at=offset, data=data), lambda: write(data[: len(data) // 2]))
        return write(data)


def _ftruncate(rec: Recorder, handle, size):
    with rec.lock:
        if inode := rec.inode_below(handle):
            rec.change(Change("cut", inode, at=size))
        return rec.os["ftruncate"](handle, size)


def _truncate(rec: Recorder, path, size):
    with rec.lock:
        if rec.below(path) is not None:
            rec.change(Change("cut", Path(path).stat().st_ino, at=size))
        return rec.os["truncate"](path, size)


def _syncer(name: str):
    def sync(rec: Recorder, handle):
        if inode := rec.inode_below(handle):
            rec.sync(inode, lambda: rec.os[name](handle))
        else:
            rec.os[name](handle)

    return sync


def _renamer(name: str, kind: str):
    def rename(rec: Recorder, path, to, *, src_dir_fd=None, dst_dir_fd=None):
        old, new = rec.below(path, src_dir_fd), rec.below(to, dst_dir_fd)
        with rec.lock:
            if old is not None and new is not None:
                rec.at(old).lstat()  # what fails changes nothing
                rec.change(Change(kind, path=old, to=new))
            return rec.os[name](path, to, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    return rename


def _remover(name: str, kind: str):
    def remove(rec: Recorder, path, *, dir_fd=None):
        own = rec.below(path, dir_fd)
        with rec.lock:
            if own is not None and _can_go(rec.at(own), kind):
                rec.change(Change(kind, path=own))
            return rec.os[name](path, dir_fd=dir_fd)

    return remove


def _can_go(path: Path, kind: str) -> bool:
    if kind == "rmdir":
        return path.is_dir() and not any(path.iterdir())
    return os.path.lexists(path) and not path.is_dir()


def _mkdir(rec: Recorder, path, mode=0o777, *, dir_fd=None):
    def act():
        return rec.os["mkdir"](path, mode, dir_fd=dir_fd)

    own = rec.below(path, dir_fd)
    with rec.lock:
        if own is None or os.path.lexists(rec.at(own)) or not rec.at(own).parent.is_dir():
            return act()
        return rec.make("mkdir", own, act)


_DOORS = {
    "open": _open,
    "write": _write,
    "pwrite": _pwrite,
    "ftruncate": _ftruncate,
    "truncate": _truncate,
    "fsync": _syncer("fsync"),
    "fdatasync": _syncer("fdatasync"),
    "rename": _renamer("rename", "rename"),
    "replace": _renamer("replace", "rename"),
    "link": _renamer("link", "link"),
    "unlink": _remover("unlink", "unlink"),
    "remove": _remover("remove", "unlink"),
    "rmdir": _remover("rmdir", "rmdir"),
    "mkdir": _mkdir,
}


class _File(io.FileIO):
    """A file object's own writes."""

    def write(self, data):
        return os.write(self.fileno(), data)

    def truncate(self, size=None):
        size = self.tell() if size is None else size
        os.ftruncate(self.fileno(), size)
        return size


def _file_opener(rec: Recorder, opened):
    """`open`, for files below the root that are written."""

    def open_file(file, mode="r", *values, **named):
        ours = rec.inode_below(file) if isinstance(file, int) else rec.below(file) is not None
        if not (ours and set(mode) & set("wax+")):
            return opened(file, mode, *values, **named)
        raw = _File(file, mode.replace("b", ""), opener=os.open)
        buffered = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, named.get("encoding", "utf-8"))

    return open_file
