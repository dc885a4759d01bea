"""Stores served by name, and the search index of each, brought up to date beside the server.

1. A store that is served has a name of its own, and is opened anew for every request. A reader is
   for one thread, and a connection that is open for one request sees one state of the ledger while a mirror
   or a track goes on writing: nothing is shared between requests.
2. Who searches waits for a few pages, never for many: those are read by a process of its own, of low
   priority, so that neither the server nor a mirror is held up. Searches answer meanwhile from what is
   there.
3. What was read is kept group by group: a process that was ended goes on where it was, the next time.
4. Where nothing can be written beside the ledger, the index lies elsewhere until the server ends.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Final

from holdfast.adapters.programs import BackgroundCommand
from holdfast.core.base.errors import UsageError
from holdfast.core.base.values import dataclass
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.index_holder import FEW
from holdfast.jobs.load_settings import load_settings
from holdfast.jobs.places import INDEX, in_use, ledger_stamp
from holdfast.jobs.read_store import open_served, search_index
from holdfast.jobs.session import read_store
from holdfast.storage.state_folder import find_state, has_history, named_state, states_below

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ServedState:
    """A store: the name it has in addresses, where it is, the settings that hold there, who builds its
    search index, and the user's environment.
    """

    name: str
    state: Path
    settings: Settings
    builder: IndexBuilder
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """The folder that has it: the mirror, or the root of the documents."""
        return self.state.parent

    def stamp(self) -> tuple[object, ...]:
        """A value that changes whenever the ledger is written; of a ledger on a server, each second."""
        if self.settings.store.ledger is not None:
            return (int(time.time()),)
        return ledger_stamp(self.state)

    def is_written(self) -> bool:
        """Whether somebody writes to the ledger just now; of one on a server nobody here knows."""
        return self.settings.store.ledger is not None or in_use(self.state)

    @contextmanager
    def open(self) -> Iterator[Reader]:
        """Who answers, for one request."""
        with open_served(self.settings, self.state, self.builder) as reader:
            yield reader

    def prepare_search(self) -> None:
        """Begin to build a search index that takes long, before anybody asks."""
        with read_store(self.settings, self.state) as session:
            if session.ledger.sections.mark().observed > FEW:
                search_index(session, None, self.builder)

    def close(self) -> None:
        """End what runs for it."""
        self.builder.close()


def served_states(folders: Iterable[Path], environment: Mapping[str, str]) -> tuple[ServedState, ...]:
    """The stores of these folders: each one's own, else all below it, else the nearest above."""
    found: dict[Path, None] = {}
    for folder in folders:
        found |= dict.fromkeys(state.resolve() for state in _states_of(folder))
    served: dict[str, ServedState] = {}
    for state in found:
        name = _free_name(state.parent.name, served)
        settings = load_settings(state.parent, flags={}, environment=environment)
        require_trusted(settings, STORED_IN)
        served[name] = ServedState(name, state, settings, IndexBuilder(state, environment), environment)
    return tuple(served.values())


def _states_of(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    own = named_state(folder)
    if has_history(own):
        return [own]
    return [state for state in states_below(folder) if has_history(state)] or [find_state(folder)]


def _free_name(text: str, taken: Mapping[str, ServedState]) -> str:
    name = _NOT_A_NAME.sub("-", text).strip("-.") or "here"
    number, wanted = 1, name
    while wanted in taken:
        number += 1
        wanted = f"{name}-{number}"
    return wanted


_POLITE: Final = 10
_AGAIN: Final = 30.0
"""Seconds until one that failed is started again."""


class IndexBuilder:
    """Starts the process that builds the index of a store, one at a time."""

    def __init__(self, state: Path, environment: Mapping[str, str]) -> None:
        self._state = state
        self._environment = environment
        self._lock = Lock()
        self._process: BackgroundCommand | None = None
        self._began = 0.0
        self._elsewhere: TemporaryDirectory[str] | None = None

    @property
    def file(self) -> Path:
        """Where the index lies."""
        own = self._state / INDEX
        if os.access(own if own.exists() else self._state, os.W_OK):
            return own
        with self._lock:
            if self._elsewhere is None:
                self._elsewhere = TemporaryDirectory(prefix="holdfast-")
            return Path(self._elsewhere.name) / INDEX

    @property
    def status(self) -> int | None:
        """The exit status of the last process; None while it runs, or where none was started."""
        return self._process.status if self._process is not None else None

    def start(self) -> None:
        """Build it, unless that is being done, or failed just now."""
        file = self.file
        with self._lock:
            if self._process is not None and not self._may_start_again(self.status):
                return
            words = [sys.executable, "-P", "-m", __name__, str(self._state), str(file)]
            self._process = BackgroundCommand(words, self._state, self._environment)
            self._began = time.monotonic()

    def _may_start_again(self, status: int | None) -> bool:
        return status is not None and (status == 0 or time.monotonic() - self._began >= _AGAIN)

    def close(self) -> None:
        """End what runs; what lies elsewhere goes."""
        with self._lock:
            if self._process is not None:
                self._process.close()
            if self._elsewhere is not None:
                self._elsewhere.cleanup()
                self._elsewhere = None


def build(state: Path, file: Path, environment: Mapping[str, str]) -> None:
    """Bring the index in a file up to date with the ledger of a store."""
    settings = load_settings(state.parent, flags={}, environment=environment)
    with read_store(settings, state) as session:
        session.index.file = file
        session.index()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(_POLITE)
    with suppress(KeyboardInterrupt):
        build(Path(sys.argv[1]), Path(sys.argv[2]), os.environ)
