"""What looks after a mirror that exists: its folder, its state, its name in the ledger, opened together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.state_folder import mirror_state
from holdfast.core.errors import MirrorError, UsageError
from holdfast.core.settings import Settings
from holdfast.wiring import Store, open_store, read_store

if TYPE_CHECKING:
    from holdfast.distill import DistillOptions

__all__ = ["Place", "distill_options", "place_of", "read_mirror", "write_mirror"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mirror lies, where its state is, and what the ledger calls it."""

    folder: Path
    state: Path
    label: str


def place_of(folder: Path, settings: Settings) -> Place:
    """A mirror by its folder. A folder without a state of its own or above is no mirror."""
    state = Path(settings.store.state) if settings.store.state else mirror_state(folder)
    if not (state / "ledger.db").is_file():
        raise MirrorError(
            f"{folder} is no mirror: there is no ledger in {state}",
            hint="`holdfast mirror SOURCE -o DIR` makes one; --state names a state folder elsewhere",
        )
    output, root = folder.resolve(), state.resolve().parent
    inside = output.is_relative_to(root)
    return Place(folder, state, output.relative_to(root).as_posix() if inside else output.as_posix())


@contextmanager
def read_mirror(place: Place, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, to ask."""
    with read_store(settings, place.state) as store:
        _require_runs(store, place)
        yield store


@contextmanager
def write_mirror(place: Place, purpose: str, settings: Settings) -> Iterator[Store]:
    """A mirror's ledger and archive, as their one writer."""
    with open_store(place.state, purpose, settings) as store:
        _require_runs(store, place)
        yield store


def distill_options(settings: Settings) -> DistillOptions:
    """How Markdown is made."""
    from holdfast.distill import DistillOptions  # noqa: PLC0415 # lazy: the parser

    return DistillOptions(full=settings.mirror.content == "full", max_bytes=settings.distill.max_page_bytes)


def _require_runs(store: Store, place: Place) -> None:
    if next(store.ledger.runs(label=place.label), None) is None:
        known = sorted({record.run.label for record in store.ledger.runs()})
        raise UsageError(
            f"the ledger in {place.state} knows no mirror {place.label!r}",
            hint=f"it knows {', '.join(map(repr, known))}" if known else "it knows none",
        )
