"""The state folders that are served, each under a name of its own, opened anew for every request.

A reader is for one thread, and a connection that is open for one request sees one state of the ledger while a
mirror or a track goes on writing: nothing is shared between requests.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import field
from pathlib import Path
from typing import Final

from holdfast.adapters.state_folder import find_state, has_history, named_state, states_below
from holdfast.core.errors import UsageError
from holdfast.core.settings import Settings
from holdfast.core.settings.reach import STORED_IN, require_trusted
from holdfast.core.values import dataclass
from holdfast.questions.reader import Reader
from holdfast.wiring.index_building import IndexBuilder
from holdfast.wiring.reading import open_served, served_index
from holdfast.wiring.searching import FEW
from holdfast.wiring.settings import load_settings
from holdfast.wiring.states import in_use, ledger_stamp
from holdfast.wiring.store import read_store

__all__ = ["ServedState", "served_states"]

_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class ServedState:
    """A state folder: the name it has in addresses, where it is, the settings that hold there, who builds its
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
        with read_store(self.settings, self.state) as store:
            if store.ledger.sections.mark().observed > FEW:
                with closing(served_index(store, self.settings, self.builder)) as index:
                    index()

    def close(self) -> None:
        """End what runs for it."""
        self.builder.close()


def served_states(folders: Iterable[Path], environment: Mapping[str, str]) -> tuple[ServedState, ...]:
    """The state folders of these folders: each one's own, else all below it, else the nearest above."""
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
