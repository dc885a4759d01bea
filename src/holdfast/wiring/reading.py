"""State folders to be asked: a `Reader` over the ledger and the archive that the settings name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.distill_options import distill_options
from holdfast.core.errors import UNREADABLE, LedgerError
from holdfast.core.settings import Settings
from holdfast.questions.mirrors import require_mirror
from holdfast.questions.reader import Reader
from holdfast.wiring.searching import IndexHolder, Tell
from holdfast.wiring.settings import join_policy
from holdfast.wiring.states import MirrorPlace, in_use, place_of
from holdfast.wiring.store import Store, read_store

if TYPE_CHECKING:
    from holdfast.wiring.index_building import IndexBuilder

__all__ = ["MirrorReader", "open_mirror", "open_reader", "open_served", "reader_of", "served_index"]


class MirrorReader(NamedTuple):
    """A mirror, open to be asked: where it lies, what the ledger calls it, and who answers."""

    place: MirrorPlace
    reader: Reader

    @property
    def label(self) -> str:
        """What the ledger calls it."""
        return self.place.label


@contextmanager
def open_reader(settings: Settings, state: Path | None = None, tell: Tell | None = None) -> Iterator[Reader]:
    """The state folder that the settings name, or the nearest one upward; `tell` learns how far a search
    index is that has to be built.
    """
    with (
        _in_words(),
        read_store(settings, state) as store,
        closing(_index(store, settings, tell)) as index,
    ):
        yield reader_of(store, settings, index)


@contextmanager
def open_served(settings: Settings, state: Path, builder: IndexBuilder) -> Iterator[Reader]:
    """A state folder for one request: where its search index lacks much, that is built beside."""
    with (
        _in_words(),
        read_store(settings, state) as store,
        closing(served_index(store, settings, builder)) as index,
    ):
        yield reader_of(store, settings, index)


def served_index(store: Store, settings: Settings, builder: IndexBuilder) -> IndexHolder:
    """The search index of a served state folder: nobody waits while it is built."""
    largest = settings.distill.max_page_bytes
    return IndexHolder(store, largest, file=builder.file, build_later=builder.start)


@contextmanager
def open_mirror(folder: Path, settings: Settings) -> Iterator[MirrorReader]:
    """A mirror by its folder; an error where the ledger does not know it."""
    place = place_of(folder, settings)
    with _in_words(), read_store(settings, place.state) as store:
        require_mirror(store.ledger, place.label)
        with closing(_index(store, settings)) as index:
            yield MirrorReader(place, reader_of(store, settings, index))


@contextmanager
def _in_words() -> Iterator[None]:
    """A row that something else altered cannot be read: say that, and what to do about it."""
    try:
        yield
    except UNREADABLE as error:
        raise LedgerError(
            f"a row of the ledger cannot be read: {error}",
            hint="`holdfast verify` says more, `holdfast db rebuild` makes the ledger anew from the archive",
        ) from error


def _index(store: Store, settings: Settings, tell: Tell | None = None) -> IndexHolder:
    return IndexHolder(store, settings.distill.max_page_bytes, tell)


def reader_of(store: Store, settings: Settings, index: IndexHolder) -> Reader:
    """Every question, bound to an open store."""
    policy, options = join_policy(settings, store.ledger.joins.version()), distill_options(settings)
    return Reader(store.ledger, store.archive, policy, options, lambda: not in_use(store.state), index)
