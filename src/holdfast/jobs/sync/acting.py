"""What `serve` may start and write when it was allowed to: updates of mirrors, runs of tracking, ignores.

1. A run is a process of its own, with the words that a person would type, in the folder whose settings
   hold. Of one store one run at a time is started here.
2. A mirror that holdfast.toml names is updated by that name. Of another one the sources are known from its
   manifest, and so is what it remembers beside them.
3. What is tracked is what was tracked: the folders and files at the top that the ledger knows documents of.

Runs that can be started, and those that were, are values, with JSON for `holdfast serve --allow-actions`.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.programs import SILENT, BackgroundCommand, SaidSoFar
from holdfast.adapters.system import SystemClock
from holdfast.core.base.errors import ExitStatus, LockedError, UsageError
from holdfast.core.base.json_shape import (
    BOOLEAN,
    COUNT,
    DATE_TIME,
    INTEGER,
    TEXT,
    Schema,
    array,
    at,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.documents.ignore_file import OWN_IGNORES
from holdfast.core.findings.ignore import UrlIgnore, read_url_ignores, with_url_ignore
from holdfast.core.lineage.lineage import Job
from holdfast.core.mirror.remembered import remembered_by
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Url, parse_url
from holdfast.jobs.load_settings import config_file, load_settings_file
from holdfast.jobs.mirror_place import manifest_in
from holdfast.jobs.session import read_store
from holdfast.jobs.trust import is_own

if TYPE_CHECKING:
    from holdfast.jobs.served_stores import ServedState

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


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that was started here. `status` is its exit status once it ended."""

    number: int
    about: str
    command: str
    started_at: datetime
    said: SaidSoFar = SILENT
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


_STARTED: Final = record(
    number=COUNT,
    about=TEXT,
    command=TEXT,
    state=one_of(("running", "stopping", "finished", "stopped", "failed")),
    status=optional(INTEGER),
    started_at=DATE_TIME,
    done=at(lambda run: run.said.progress[0] if run.said.progress else None, optional(COUNT)),
    total=at(lambda run: run.said.progress[1] if run.said.progress else None, optional(COUNT)),
)

ACTION: Final = Schema(
    "action",
    "A run that was started by `holdfast serve --allow-actions`, and the last lines that it said.",
    record(run=at(lambda run: run, _STARTED), lines=at("said.lines", array(TEXT))),
)

ACTIONS: Final = Schema(
    "actions",
    "The runs that `holdfast serve --allow-actions` can start, and those it started, the latest first.",
    record(
        startable=array(
            record(
                name=TEXT,
                job=one_of(Job),
                about=TEXT,
                command=at("words", array(TEXT)),
                needs_consent=BOOLEAN,
                why_not=TEXT,
            )
        ),
        started=array(_STARTED),
    ),
)


_KEPT: Final = 20
_SECRET: Final = "HOLDFAST_TOKEN"


def startable_runs(
    served: ServedState, labels: Sequence[str], documents: Sequence[str]
) -> tuple[StartableRun, ...]:
    """The runs of a store that can be started; `labels` are its mirrors', `documents` are tracked."""
    named = _named_runs(served)
    known = {run.name for run in named}
    lone = [label for label in labels if f"mirror:{_folder(served, label)}" not in known]
    found = (*named, *(_lone_updates(served, lone) if lone else ()))
    return (*found, _track(served, documents)) if documents else found


def _named_runs(served: ServedState) -> tuple[StartableRun, ...]:
    """The jobs of the settings file that write to this store."""
    config = config_file(served.root)
    if config is None:
        return ()
    jobs, runs = load_settings_file(served.root, served.environment).jobs, []
    for name, keys in sorted(jobs.get("mirror", {}).items()):
        folder = (config.parent / str(keys.get("output", name))).resolve()
        if served.root in (config.parent, folder):
            words = ("mirror", name, "--update", "--store", str(served.state))
            runs.append(StartableRun(f"mirror:{folder}", Job.MIRROR, f"Update the mirror {name}", words))
    for name in sorted(jobs.get("check", {})) if config.parent == served.root else ():
        words = ("check", "--job", name, "--store", str(served.state))
        consent = not served.settings.check.asking.fetch_external_urls
        runs.append(StartableRun(f"track:{name}", Job.TRACK, f"Track {name}", words, consent))
    return tuple(runs)


def _lone_updates(served: ServedState, labels: Sequence[str]) -> Iterator[StartableRun]:
    with read_store(served.settings, served.state) as session:
        store_id = session.store_id
    for label in labels:
        folder = _folder(served, label)
        name, memory = f"mirror:{folder}", remembered_by(manifest_in(folder))
        about = f"Update the mirror {served.root.name if label == '.' else label}"
        if not can_be_asked(memory.sources):
            why = "its manifest names no source on the web; name the mirror in holdfast.toml"
            yield StartableRun(name, Job.MIRROR, about, why_not=why)
        elif not is_own(served.settings, store_id, memory):
            why = (
                f"you did not make this mirror; `holdfast config trust` in {served.root} shows and allows it"
            )
            yield StartableRun(name, Job.MIRROR, about, why_not=why)
        else:
            words = ("mirror", *memory.sources, "-o", str(folder), "--update", "--store", str(served.state))
            yield StartableRun(name, Job.MIRROR, about, words)


def _folder(served: ServedState, label: str) -> Path:
    return (served.root / label).resolve()


def can_be_asked(sources: Sequence[str]) -> bool:
    """Whether each source of a mirror is an address that can be asked as it is."""
    urls = [url for text in sources if isinstance(url := parse_url(text), Url) and "[redacted]" not in text]
    return bool(urls) and len(urls) == len(sources) and all(url.scheme in ("http", "https") for url in urls)


_NO_DOCUMENT: Final = ("", ".", "..")
"""What a ledger may say that was altered, and that would lead out of its folder."""


def _track(served: ServedState, documents: Sequence[str]) -> StartableRun:
    tops = dict.fromkeys(path.partition("/")[0] for path in documents)
    there = [f"./{top}" for top in tops if top not in _NO_DOCUMENT and (served.root / top).exists()]
    consent = not served.settings.check.asking.fetch_external_urls
    words = ("check", *there, "--store", str(served.state))
    about = f"Check the documents in {served.root.name}"
    return StartableRun("track", Job.TRACK, about, words, consent)


class RunStarter:
    """Starts runs, and knows those it started."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {name: value for name, value in environment.items() if name != _SECRET}
        self._environment["PYTHONUNBUFFERED"] = "1"
        self._lock = Lock()
        self._number = 0
        self._started: dict[int, tuple[ServedState, StartedRun, BackgroundCommand]] = {}

    def start(self, served: ServedState, run: StartableRun, *, consent: bool) -> int:
        """Start a run; its number here."""
        if run.why_not:
            raise UsageError(f"{run.about}: {run.why_not}")
        words = [*run.words]
        if run.job is Job.TRACK and run.needs_consent:
            words.append("--fetch-urls" if consent else "--offline")
        with self._lock:
            for other, _, command in self._started.values():
                if other.state == served.state and command.status is None:
                    raise LockedError(f"a run of {served.name} is under way", hint="wait for it, or stop it")
            self._number += 1
            said = shlex.join(["holdfast", *map(shown, words)])
            begun = StartedRun(self._number, run.about, said, SystemClock().now())
            config = config_file(served.root)
            folder = config.parent if config else served.root
            command = BackgroundCommand(
                [sys.executable, "-P", "-m", "holdfast", *words], folder, self._environment
            )
            self._started[self._number] = (served, begun, command)
            ended = [n for n, (_, _, each) in self._started.items() if each.status is not None]
            for number in ended[:-_KEPT]:
                del self._started[number]
            return self._number

    def run(self, served: ServedState, number: int) -> StartedRun:
        """A run that was started here, as it is now."""
        _, begun, command = self._of(served, number)
        return _now(begun, command)

    def runs(self, served: ServedState) -> tuple[StartedRun, ...]:
        """The runs of a store that were started here, the latest first."""
        with self._lock:
            own = [found for found in self._started.values() if found[0].state == served.state]
        return tuple(_now(begun, command) for _, begun, command in reversed(own))

    def stop(self, served: ServedState, number: int) -> None:
        """Ask a run to stop."""
        self._of(served, number)[2].stop()

    def close(self) -> None:
        """End what runs."""
        with self._lock:
            running = [command for _, _, command in self._started.values() if command.status is None]
        for command in running:
            command.stop()
        for command in running:
            command.close()

    def _of(self, served: ServedState, number: int) -> tuple[ServedState, StartedRun, BackgroundCommand]:
        with self._lock:
            found = self._started.get(number)
        if found is None or found[0].state != served.state:
            raise UsageError(f"no run {number} was started here")
        return found


def _now(begun: StartedRun, command: BackgroundCommand) -> StartedRun:
    status = command.status  # first: what was said before it ended is there then
    return replace(begun, said=command.said(), status=status, is_stopping=command.is_stopping)


def ignore_url(served: ServedState, url: str, reason: str, until: date | None) -> None:
    """Write into the root's ignore file that a cited URL does not count; the next run of tracking obeys."""
    folder = DocumentFolder(served.root)
    text = (folder.read(OWN_IGNORES) or b"").decode("utf-8", "surrogateescape")
    try:
        made = with_url_ignore(text, url, reason, until)
    except ValueError as error:
        raise UsageError(str(error), hint="a reason is some words on one line") from None
    folder.write(OWN_IGNORES, made.encode("utf-8", "surrogateescape"))


def url_ignores_of(served: ServedState) -> tuple[UrlIgnore, ...]:
    """The cited URLs that the root's ignore file names just now."""
    text = (DocumentFolder(served.root).read(OWN_IGNORES) or b"").decode("utf-8", "replace")
    return read_url_ignores(text)[0]
