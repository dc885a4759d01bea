"""Runs that can be started from elsewhere than a terminal, and those that were."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, NamedTuple

from holdfast.core.errors import ExitStatus
from holdfast.core.lineage import Job
from holdfast.core.values import dataclass

__all__ = ["ActionList", "SaidSoFar", "StartableRun", "StartedRun", "run_progress"]

_COUNTER: Final = re.compile(r"\[(\d{1,9})/(\d{1,9})\]|(\d{1,9})/(\d{1,9}) asked\b")
_GOOD: Final = (ExitStatus.SUCCESS, ExitStatus.FINDINGS)


@dataclass(frozen=True, slots=True)
class StartableRun:
    """A run that can be started: what it is called, the words of the command, and what it is about; `why_not`
    where it cannot be. `needs_consent`: it asks the network only if whoever starts it agrees.
    """

    name: str
    job: Job
    about: str
    words: tuple[str, ...] = ()
    needs_consent: bool = False
    why_not: str = ""


class SaidSoFar(NamedTuple):
    """What a run has said: its last lines, the number of the first of them, and how far it is (done, of)."""

    lines: tuple[str, ...] = ()
    first: int = 0
    progress: tuple[int, int] | None = None


_SILENT: Final = SaidSoFar()


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that was started here. `status` is its exit status once it ended."""

    number: int
    about: str
    command: str
    started_at: datetime
    said: SaidSoFar = _SILENT
    status: int | None = None
    is_stopping: bool = False

    @property
    def state(self) -> str:
        """Where it stands, in a word."""
        if self.status is None:
            return "stopping" if self.is_stopping else "running"
        if self.status in _GOOD:
            return "finished"
        return "stopped" if self.is_stopping or self.status == ExitStatus.INTERRUPTED else "failed"


@dataclass(frozen=True, slots=True)
class ActionList:
    """What can be started, and what was, the latest first."""

    startable: tuple[StartableRun, ...]
    started: tuple[StartedRun, ...]


def run_progress(line: str) -> tuple[int, int] | None:
    """How far a run is by a line of its own: `[3/20] …` of a mirror, `12/40 asked` of a track."""
    match = _COUNTER.match(line)
    if match is None:
        return None
    done, total = (number for number in match.groups() if number is not None)
    return int(done), int(total)
