"""What an agent may do where whoever started the server agreed to it: start a run, follow it, stop it.

A run is what a person would start from the page of `holdfast serve`: an update of a mirror that is there, or
a check of what tracked documents cite. Nothing else can be started, and no address can be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from holdfast import wiring
from holdfast.core.answers.acting import StartableRun, StartedRun
from holdfast.core.errors import UsageError
from holdfast.core.shown_text import harmless

__all__ = ["ACTIONS", "AgentActions"]

Plain = dict[str, Any]
_LINES: Final = 20
ACTIONS: Final = {
    "runs": (
        "What can be started here (`startable`: updates of mirrors, checks of cited links), and how the runs "
        "that were started are going: state, progress, last lines. Look here again until `state` is not "
        "`running`."
    ),
    "start": (
        "Start a run that `runs` lists, by its `source` and `run`. An update asks the mirrored site for what "
        "changed. A check reads the documents; it asks the cited URLs only with `ask_urls`. It goes on by "
        "itself: this answers at once with its `number`."
    ),
    "stop": "Stop a run that was started here, by its `source` and `number`; what it has is kept.",
}
"""What each of these tools is for, as agents read it."""


class AgentActions:
    """Who starts runs for an agent."""

    def __init__(self, sources: Sequence[wiring.serving.ServedState], runs: wiring.acting.RunStarter) -> None:
        self._sources = {source.name: source for source in sources}
        self._runs = runs

    def runs(self) -> Plain:
        """What can be started, and what was."""
        return {
            "startable": [
                _startable(source.name, run)
                for source in self._sources.values()
                for run in _startable_runs(source)
            ],
            "started": [
                _started(source.name, run)
                for source in self._sources.values()
                for run in self._runs.runs(source)
            ],
        }

    def start(self, source: str, run: str, *, ask_urls: bool = False) -> Plain:
        """Start a run."""
        served = self._source(source)
        for known in _startable_runs(served):
            if known.name == run:
                number = self._runs.start(served, known, consent=ask_urls)
                return _started(source, self._runs.run(served, number))
        raise UsageError(f"there is no run {run[:200]!r} to start", hint="`runs` lists what can be started")

    def stop(self, source: str, number: int) -> Plain:
        """Stop a run."""
        served = self._source(source)
        self._runs.stop(served, number)
        return _started(source, self._runs.run(served, number))

    def _source(self, name: str) -> wiring.serving.ServedState:
        if name not in self._sources:
            raise UsageError(
                f"there is no source {name[:80]!r}", hint=f"there are: {', '.join(self._sources)}"
            )
        return self._sources[name]


def _startable_runs(source: wiring.serving.ServedState) -> tuple[StartableRun, ...]:
    with source.open() as reader:
        labels = [mirror.label for mirror in reader.mirrors()]
        return wiring.acting.startable_runs(source, labels, reader.documents())


def _startable(source: str, run: StartableRun) -> Plain:
    return {
        "source": source,
        "run": run.name,
        "about": run.about,
        "asks_urls_only_with_ask_urls": run.needs_consent,
        "why_not": run.why_not or None,
    }


def _started(source: str, run: StartedRun) -> Plain:
    return {
        "source": source,
        "number": run.number,
        "about": run.about,
        "command": run.command,
        "started_at": run.started_at.isoformat(timespec="seconds"),
        "state": run.state,
        "exit_status": run.status,
        "progress": list(run.said.progress) if run.said.progress else None,
        "last_lines": [harmless(line) for line in run.said.lines[-_LINES:]],
    }
