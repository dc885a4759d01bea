"""Other programs: a command of the user's own, and commands of our own that run beside us.

Of a command of our own that runs beside us the last lines are kept, and it can be asked to stop:

1. It has a session of its own: a Ctrl-C in the terminal is for us, and whoever ends us ends it (`close`).
2. Asked once it finishes what is in flight, asked again it stops at once (SIGINT, as from a terminal).
3. Whatever it says, a bounded number of lines of bounded length is kept.
"""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Final, NamedTuple

from holdfast.core.base.errors import FailedError, UsageError

_COUNTER: Final = re.compile(r"\[(\d{1,9})/(\d{1,9})\]|(\d{1,9})/(\d{1,9}) asked\b")


class SaidSoFar(NamedTuple):
    """What a run has said: its last lines, the number of the first of them, and how far it is (done, of)."""

    lines: tuple[str, ...] = ()
    first: int = 0
    progress: tuple[int, int] | None = None


SILENT: Final = SaidSoFar()


def run_progress(line: str) -> tuple[int, int] | None:
    """How far a run is by a line of its own: `[3/20] …` of a mirror, `12/40 asked` of a track."""
    match = _COUNTER.match(line)
    if match is None:
        return None
    done, total = (number for number in match.groups() if number is not None)
    return int(done), int(total)


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


_LINES: Final = 400
_LINE_BYTES: Final = 2000
_RUN_PATIENCE: Final = 20.0
"""Seconds that a command has to finish what is in flight, and again to stop at once."""


class BackgroundCommand:
    """A process that was started."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise FailedError(f"the run cannot be started: {error.strerror}") from error
        self._lock = Lock()
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._said = 0
        self._progress: tuple[int, int] | None = None
        self._status: int | None = None
        self.is_stopping = False
        self._reader = Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs, or while it is still heard."""
        with self._lock:
            return self._status

    def said(self) -> SaidSoFar:
        """What it said."""
        with self._lock:
            return SaidSoFar(tuple(self._lines), self._said - len(self._lines), self._progress)

    def stop(self) -> None:
        """Ask it to stop."""
        self.is_stopping = True
        self._signal(signal.SIGINT)

    def close(self) -> None:
        """End it, in order where it lets us."""
        for ask in (signal.SIGINT, signal.SIGINT, signal.SIGKILL):
            if self._process.poll() is not None:
                break
            self.is_stopping = True
            self._signal(ask)
            try:
                self._process.wait(_RUN_PATIENCE)
            except subprocess.TimeoutExpired:
                continue
        self._reader.join(_RUN_PATIENCE)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)

    def _read(self, stream: IO[bytes] | None) -> None:
        """Every line as it comes; a longer one in pieces."""
        if stream is not None:
            with stream:
                while line := stream.readline(_LINE_BYTES):
                    self._hear(line.decode("utf-8", "replace").rstrip("\r\n"))
        status = self._process.wait()
        with self._lock:
            self._status = status

    def _hear(self, line: str) -> None:
        with self._lock:
            self._lines.append(line)
            self._said += 1
            self._progress = run_progress(line) or self._progress
