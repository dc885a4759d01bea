"""Jobs that run when they are due, one at a time (TRK-10), and the service that keeps them running.

1. When a job begins is written down before it begins, and when it ended after: a restart finds both.
2. The clock is looked at every minute at least: a machine that slept finds what is due when it wakes.
3. A job that fails is told and is due again at its time. Findings are not a failure.
4. What is due is decided in `core/settings/schedule`.
5. A systemd unit or a cron line for a folder keeps `holdfast sync --watch` running.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from holdfast.adapters.ports import Clock, Event, Observer
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.values import dataclass
from holdfast.core.settings.schedule import JobRuns, Schedule, due_jobs, next_run

_LONGEST: Final = timedelta(minutes=1)
_WELL: Final = (ExitStatus.SUCCESS, ExitStatus.FINDINGS)
_NEVER: Final = JobRuns()


class JobPlace(Protocol):
    """Where jobs run, and where it is recorded when they did."""

    def runs(self) -> Mapping[str, JobRuns]:
        """Read when each job last began and ended."""
        ...

    def write(self, runs: Mapping[str, JobRuns]) -> None:
        """Write when each job last began and ended. Durable on return."""
        ...

    async def run(self, name: str) -> int:
        """Run a job; its exit status."""
        ...


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Runs what is due; `turn` is entered for each job, so that nothing else uses its state meanwhile."""

    jobs: Mapping[str, Schedule]
    place: JobPlace
    clock: Clock
    observer: Observer
    turn: Callable[[], AbstractAsyncContextManager[object]] = nullcontext

    async def run_due(self) -> int:
        """Run what is due now, once each; how many jobs failed."""
        failed = 0
        for name in self._due():
            failed += await self._run(name)
        return failed

    async def keep_running(self) -> None:
        """Run what is due, for good."""
        while True:
            wait = self._wait()
            if wait > 0:
                await self.clock.sleep(wait)
            else:
                for name in self._due()[:1]:
                    await self._run(name)
                self.say_next()

    def say_next(self) -> None:
        """Tell which job is next, and when."""
        if self.jobs:
            moment, name = self.upcoming()[0]
            self._tell("next", job=name, at=moment)

    def upcoming(self) -> list[tuple[datetime, str]]:
        """When each job is due, the next one first."""
        runs, now = self.place.runs(), self._now()
        return sorted(
            (next_run(name, schedule, runs.get(name, _NEVER), now), name)
            for name, schedule in self.jobs.items()
        )

    def _due(self) -> list[str]:
        return due_jobs(self.jobs, self.place.runs(), self._now())

    def _wait(self) -> float:
        """Seconds until a job is due; none where one is."""
        if not self.jobs:
            return _LONGEST.total_seconds()
        until = self.upcoming()[0][0] - self._now()
        return min(until, _LONGEST).total_seconds()

    async def _run(self, name: str) -> bool:
        """Run a job; whether it failed."""
        async with self.turn():
            self._tell("begins", job=name)
            self._note(name, begun=self._now())
            status = await self.place.run(name)
            self._note(name, ended=self._now())
            self._tell("ended", job=name, status=status, failed=status not in _WELL)
        return status not in _WELL

    def _note(self, name: str, **moments: datetime) -> None:
        runs = dict(self.place.runs())
        runs[name] = replace(runs.get(name, _NEVER), **moments)
        self.place.write(runs)

    def _now(self) -> datetime:
        """Quiet hours are those of the machine's own time."""
        return self.clock.now().astimezone()

    def _tell(self, name: str, **facts: object) -> None:
        self.observer.notice(Event(name, tuple(facts.items())))


def service_unit(folder: str, program: Sequence[str]) -> str:
    """The unit that runs a program in a folder; the cron line is a comment below it."""
    in_unit = " ".join(f'"{word}"' if " " in word else word for word in (*program, "--watch")).replace(
        "%", "%%"
    )
    watched = folder.replace("%", "%%")
    in_cron = f"cd {shlex.quote(folder)} && {shlex.join(program)} --due".replace("%", "\\%")
    return f"""\
# ~/.config/systemd/user/holdfast-sync.service
[Unit]
Description=Holdfast watches {watched}
After=network-online.target

[Service]
WorkingDirectory={watched}
ExecStart={in_unit}
KillMode=mixed
Restart=on-failure
RestartSec=60

[Install]
WantedBy=default.target

# or, without a service, a line for `crontab -e`:
# */15 * * * * {in_cron}
"""
