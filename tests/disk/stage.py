"""A process in which commands of `holdfast` are run, each in a fork of its own: nothing is imported again.

    stage.run(["mirror", …], folder)                      → status, words, changes
    stage.run(["mirror", …], folder, kill_before=17)      killed with -9 before its 17th change

What pages become is made in the process itself: workers write nothing, and starting them takes longer than
all the rest. A mirror of eight pages takes 0.09 s here; in a process of its own 0.7 s, under `strace` 1.1 s.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pickle
import pkgutil
import struct
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import holdfast
from disk.recording import Change, Recorder
from holdfast.faces.cli.main import main

__all__ = ["Here", "Ran", "Stage", "modules_of_commands"]


@dataclass(frozen=True)
class Ran:
    """What a command came to; killed by a signal: `status` is negative."""

    status: int
    out: str = ""
    err: str = ""
    changes: tuple[Change, ...] = ()


class Stage:
    """The process that forks."""

    def __enter__(self) -> Stage:
        paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOLDFAST_ALLOW_PRIVATE": "true"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", "from disk.stage import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **paths},
        )
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def run(self, words, folder, *, kill_before=None, records=True, without=None) -> Ran:
        """Run a command in a folder, which is what is recorded. `without` a function (`module:name`): it does
        nothing.
        """
        given = [str(word) for word in words], str(folder), kill_before, records, without
        return self.call("disk.stage", "command", *given)

    def call(self, module: str, function: str, *values):
        """The result of any function, made in a fork."""
        _send(self._process.stdin, (module, function, values))
        answer = _receive(self._process.stdout)
        if isinstance(answer, int):
            return Ran(answer)
        if isinstance(answer, str):
            raise RuntimeError(answer)
        return answer[0]


def _send(pipe, value) -> None:
    data = pickle.dumps(value)
    pipe.write(struct.pack("!I", len(data)) + data)
    pipe.flush()


def _receive(pipe):
    head = pipe.read(4)
    return pickle.loads(pipe.read(struct.unpack("!I", head)[0])) if head else None


def serve() -> None:
    """Fork for each call that comes in."""
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    _import_all()
    while (call := _receive(asked)) is not None:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _answer(call, writing)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(child, 0)
        _send(answers, pickle.loads(data) if data else -os.WTERMSIG(status))


def _answer(call, writing: int) -> None:
    module, name, values = call
    try:
        answer = (getattr(importlib.import_module(module), name)(*values),)
    except BaseException:  # noqa: BLE001 - whoever asked shall see it
        answer = traceback.format_exc()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(pickle.dumps(answer))
    os._exit(0)


def command(words: list[str], folder: str, kill_before, records: bool, without) -> Ran:
    """A command in this process, recorded."""
    os.chdir(folder)
    if without is not None:
        module, _, name = without.partition(":")
        owner, _, name = name.rpartition(".")
        found = importlib.import_module(module)
        setattr(getattr(found, owner) if owner else found, name, lambda *_: None)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    recorder = Recorder(Path(folder).resolve(), kill_before)
    watched = recorder.installed() if records else contextlib.nullcontext()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), watched:
        status = main(words)
    texts = (stream.buffer.getvalue().decode() for stream in (out, err))
    return Ran(int(status), *texts, tuple(recorder.changes))


class Here:
    """The workers' calls, in this process."""

    def __init__(self, *_) -> None:
        pass

    def start(self, *_, **__) -> None:
        pass

    async def run(self, function, *values, common=()):
        return function(*values, *common)

    def close(self) -> None:
        pass


def modules_of_commands() -> list[str]:
    """What commands import while they run, but for faces that are servers."""
    names = [room.name for room in pkgutil.walk_packages(holdfast.__path__, "holdfast.")]
    return [
        name
        for name in names
        if name != "holdfast.__main__"
        and (not name.startswith("holdfast.faces.") or name.startswith("holdfast.faces.cli"))
    ]


def _import_all() -> None:
    for name in modules_of_commands():
        importlib.import_module(name)
    importlib.import_module("holdfast.jobs.workers").Workers = Here
