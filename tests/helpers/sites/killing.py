"""A command that is killed before one of the changes it makes: to names, to bytes of files, to the ledger.

    for step in range(1, changes_of(words) + 1):
        with a_copy():
            run_until(words, step)

The command runs in a process of its own, forked from one that has imported it and does nothing else, and ends
there as `kill -9` ends it: nothing is cleaned up, nothing is flushed. Changes are counted in the order in
which they are made. What workers do it does itself: they change nothing.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

from disk.stage import Here, modules_of_commands
from holdfast import jobs
from holdfast.faces.cli.main import main
from holdfast.storage.sqlite import sqlite_file

_CHANGES = ("rename", "replace", "unlink", "rmdir", "mkdir", "write", "ftruncate", "link")
KILLED = 9
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(modules_of_commands())


def run_until(words: Sequence[object], step: int | None, log: Path | None = None) -> int:
    """Run a command that is killed before its change number `step`; its exit status, 9 if it was killed."""
    return _in_a_process(words, step, log)


def run_until_call(words: Sequence[object], where: str, name: str, call: int) -> int:
    """Run a command that is killed at a call of a function of a class (`module:Class`), by its number."""
    child = _FORKS.Process(target=_run_dying, args=([str(word) for word in words], where, name, call))
    child.start()
    child.join()
    return child.exitcode or 0


def run_refused(words: Sequence[object], step: int, code: int, log: Path) -> tuple[int, str]:
    """Run a command to whose files every change from number `step` on is refused with an error of the system;
    its exit status, and what it said.
    """
    return _in_a_process(words, step, log, code), log.read_text()


def changes_of(words: Sequence[object], log: Path) -> int:
    """Run a command to its end; how many changes it made."""
    assert run_until(words, None, log) == 0
    return int(log.read_text())


def _in_a_process(words: Sequence[object], step: int | None, *more: object) -> int:
    child = _FORKS.Process(target=_run, args=([str(word) for word in words], step, *more))
    child.start()
    child.join()
    return child.exitcode or 0


def _run(words: Sequence[object], step: int | None, log: Path | None, code: int | None = None) -> None:
    status = 3
    try:
        count, one = [0], threading.Lock()

        def change() -> None:
            with one:
                count[0] += 1
                if code is not None and step is not None and count[0] >= step:
                    raise OSError(code, os.strerror(code))
                if code is None and count[0] == step:
                    os._exit(KILLED)

        jobs.workers.Workers = Here
        for name in _CHANGES:
            setattr(os, name, _counted(getattr(os, name), change, name))
        if code is None:
            _count_commits(change)
        null = os.open(os.devnull, os.O_WRONLY)
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if code is not None and log else null
        os.dup2(null, 1)
        os.dup2(said, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        status = _main(words)
        if log is not None and code is None:
            log.write_text(str(count[0]))
    finally:
        os._exit(status)


def _run_dying(words: Sequence[object], where: str, name: str, call: int) -> None:
    status = 3
    try:
        jobs.workers.Workers = Here
        module, _, owner = where.partition(":")
        target, count = getattr(importlib.import_module(module), owner), [0]
        real = getattr(target, name)

        def dying(*values: object, **named: object) -> object:
            count[0] += 1
            if count[0] == call:
                os._exit(KILLED)
            return real(*values, **named)

        setattr(target, name, dying)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = _main(words)
    finally:
        os._exit(status)


def _main(words: Sequence[object]) -> int:
    try:
        return main([str(word) for word in words])
    except BaseException:  # noqa: BLE001 - whatever ends it is what is looked for
        traceback.print_exc()
        return 99
    finally:
        sys.stderr.flush()


def _counted(real, change, name):  # type: ignore[no-untyped-def]
    def call(*values, **named):  # type: ignore[no-untyped-def]
        if name != "write" or Path(f"/proc/self/fd/{values[0]}").is_file():
            change()
        return real(*values, **named)

    return call


def _count_commits(change) -> None:  # type: ignore[no-untyped-def]
    real = sqlite_file._connect

    def connected(*values, **named):  # type: ignore[no-untyped-def]
        made = real(*values, **named)
        made.set_commit_hook(lambda: change() or False)
        return made

    sqlite_file._connect = connected
