"""SQLite's changes to files: a VFS around its own, for `Recorder`."""

from __future__ import annotations

import os
from pathlib import Path

import apsw

from disk.recording import Change, Recorder

__all__ = ["recording_vfs"]

_OWN = "unix"
_LOGS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


def recording_vfs(recorder: Recorder) -> apsw.VFS:
    """A VFS that notes what happens, for every file that is opened from now on."""

    class Recording(apsw.VFS):
        def __init__(self):
            super().__init__("recording", _OWN, makedefault=True)

        def xOpen(self, name, flags):  # noqa: N802 - apsw's names, here and below
            path = name.filename() if isinstance(name, apsw.URIFilename) else name
            own = recorder.below(path) if path else None
            if own is None:
                return _Patient(_OWN, name, flags)
            if os.path.lexists(path):
                return _Recorded(recorder, name, flags)
            return recorder.make("create", own, lambda: _Recorded(recorder, name, flags))

        def xDelete(self, path, syncs_folder):  # noqa: N802
            own = recorder.below(path)
            with recorder.lock:
                if own is not None and os.path.lexists(path):
                    recorder.change(Change("unlink", path=own))
                super().xDelete(path, syncs_folder)
            if own is not None and syncs_folder:
                recorder.sync(Path(path).parent.stat().st_ino, lambda: None)

    return Recording()


class _Patient(apsw.VFSFile):
    def xLock(self, level):  # noqa: N802
        try:
            super().xLock(level)
        except apsw.IOError:  # a file that is only read; SQLite goes on without, apsw would not
            raise apsw.BusyError from None


class _Recorded(_Patient):
    def __init__(self, recorder, name, flags):
        self._recorder = recorder
        self._path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self._syncs_folder = bool(flags[0] & _LOGS)
        super().__init__(_OWN, name, flags)
        self._inode = self._path.stat().st_ino

    def xWrite(self, data, offset):  # noqa: N802
        data, write = bytes(data), super().xWrite
        with self._recorder.lock:
            change = Change("write", self._inode, at=offset, data=data)
            self._recorder.change(change, lambda: write(data[: len(data) // 2], offset))
            return write(data, offset)

    def xTruncate(self, size):  # noqa: N802
        with self._recorder.lock:
            self._recorder.change(Change("cut", self._inode, at=size))
            return super().xTruncate(size)

    def xSync(self, flags):  # noqa: N802
        sync = super().xSync
        self._recorder.sync(self._inode, lambda: sync(flags))
        if self._syncs_folder:  # what SQLite does for a log at its first sync (os_unix.c, unixSync)
            self._syncs_folder = False
            self._recorder.sync(self._path.parent.stat().st_ino, lambda: None)
