"""A stranger's server that counts who comes, and ears for what a process opens, writes and starts."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MADE = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "os.chmod"}
STARTED = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.system"}
_ears: list = []


def _hear(event, values):
    for ear in tuple(_ears):
        ear(event, values)


sys.addaudithook(_hear)


class Listener:
    """A server of the stranger's on this machine: it takes every connection, counts it, and hangs up."""

    def __init__(self):
        self.came = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.came += 1
            connection.close()

    def close(self):
        self._socket.close()


class Guard:
    """What reached out: sockets that were connected but to the origins that the user named, names that were
    looked up, programs, and files outside the folders of the user's.
    """

    def __init__(self, inside, beside, ports):
        self.inside = [os.path.realpath(folder) for folder in inside]
        self.beside = os.path.realpath(beside)
        self.ports = ports
        self.reached = []

    def hear(self, event, values):
        if event in ("socket.connect", "socket.sendto"):
            address = values[1]
            if isinstance(address, tuple) and address[1] not in self.ports:
                self.reached.append((event, address))
        elif event in STARTED:
            self.reached.append((event, str(values[:2])))
        elif event == "open":
            self._file(event, values[0], is_written=bool((values[2] or 0) & WRITES))
        elif event in MADE:
            for path in values[:2]:
                self._file(event, path, is_written=True)

    def _file(self, event, path, *, is_written):
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if not isinstance(path, str | os.PathLike):
            return
        place = os.path.realpath(path)
        if _below(place, self.beside) or (
            is_written and not any(_below(place, folder) for folder in self.inside)
        ):
            self.reached.append((event, place))


def _below(place, folder):
    return place == folder or place.startswith(folder + os.sep)


@contextmanager
def guarded(inside, beside, ports=()):
    """What reaches out meanwhile. Nothing may be opened in `beside`, nothing written but in `inside`."""
    guard = Guard([*inside, "/dev", "/proc"], beside, ports)
    _ears.append(guard.hear)
    try:
        yield guard
    finally:
        _ears.remove(guard.hear)


def files_of(folder):
    """Every file of a folder, and what is in it."""
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(Path(folder).rglob("*")) if p.is_file()
    }
