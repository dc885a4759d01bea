"""Other programs: a command of the user's own, and git for the time of a revision."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Final

from holdfast.core.errors import FailedError, UsageError

__all__ = ["hand_to_command", "revision_time", "run_command", "stream_through"]

_PATIENCE: Final = 60.0
"""Seconds that a command may take with a message."""


def run_command(
    command: str, *, given: bytes, variables: Mapping[str, str], environment: Mapping[str, str]
) -> int:
    """Run a command with words on its standard input; its exit status. No shell reads it."""
    words = _words(command)
    try:
        done = subprocess.run(words, input=given, env={**environment, **variables}, check=False)
    except OSError as error:
        raise _cannot_run(words[0], error) from error
    return done.returncode


def hand_to_command(command: str, given: bytes, environment: Mapping[str, str]) -> str:
    """Give a message to a command; empty once it ended well, else what went wrong. What it prints goes to
    standard error: standard output is for data.
    """
    try:
        words = _words(command)
        done = subprocess.run(
            words, input=given, stdout=2, env=dict(environment), check=False, timeout=_PATIENCE
        )
    except UsageError as error:
        return error.message
    except subprocess.TimeoutExpired:
        return f"the command took longer than {_PATIENCE:g} s"
    except OSError as error:
        return f"the command cannot be run: {error.strerror}"
    return f"the command ended with status {done.returncode}" if done.returncode else ""


def stream_through(command: str, lines: Iterator[bytes], environment: Mapping[str, str]) -> Iterator[bytes]:
    """Give a program lines on its standard input, and yield those of its standard output as they come. No
    shell reads the command. It has to end well: an export that lacks records must not look whole.
    """
    words = _words(command)
    try:
        program = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(environment)
        )
    except OSError as error:
        raise _cannot_run(words[0], error) from error
    given, said = program.stdin, program.stdout
    if given is None or said is None:
        raise RuntimeError("a program without its pipes")
    trouble: list[BaseException] = []

    def feed() -> None:
        try:
            with suppress(BrokenPipeError), given:
                given.writelines(lines)
        except BaseException as error:  # noqa: BLE001 - it is raised where the lines are read
            trouble.append(error)

    feeder = Thread(target=feed, daemon=True)
    feeder.start()
    try:
        yield from said
        feeder.join()
    finally:
        said.close()
        if program.poll() is None and feeder.is_alive():
            program.kill()
        status = program.wait()
        feeder.join()
    if trouble:
        raise trouble[0]
    if status:
        raise FailedError(
            f"the command {words[0]!r} ended with status {status}", hint="its own words say why"
        )


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}") from error
    if not words:
        raise UsageError("the command is empty")
    return words


def _cannot_run(word: str, error: OSError) -> UsageError:
    return UsageError(
        f"the command {word!r} cannot be run: {error.strerror}",
        hint="name a program and its arguments; for a shell, write: sh -c '…'",
    )


def revision_time(folder: Path, revision: str) -> datetime | None:
    """When a git revision was committed; None where there is no such revision, or no git."""
    words = [
        "git",
        "-C",
        str(folder),
        "show",
        "-s",
        "--format=%cI",
        "--end-of-options",
        f"{revision}^{{commit}}",
    ]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return datetime.fromisoformat(done.stdout.strip()) if done.returncode == 0 else None
