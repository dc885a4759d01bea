"""Stores to be asked: a `Reader` over the ledger and the archive that the settings name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holdfast.core.base.errors import UNREADABLE, LedgerError, UsageError
from holdfast.core.base.figures import counted
from holdfast.core.base.shown_text import printable
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.mirror_place import MirrorPlace, place_of
from holdfast.jobs.places import in_use, state_of
from holdfast.jobs.session import Session, read_store
from holdfast.jobs.store_on_disk import StoreOnDisk
from holdfast.questions.log.runs import KNOWS_NONE, mirror_labels
from holdfast.questions.reader import Reader

if TYPE_CHECKING:
    from holdfast.jobs.index_holder import Tell
    from holdfast.jobs.served_stores import IndexBuilder
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.sqlite.search_index import SearchIndex


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
    """The store that the settings name, or the nearest one upward; `tell` learns how far a search
    index is that has to be built.
    """
    with _in_words(), read_store(settings, state) as session:
        yield reader_of(session, tell)


@contextmanager
def open_served(settings: Settings, state: Path, builder: IndexBuilder) -> Iterator[Reader]:
    """A store for one request: where its search index lacks much, that is built beside."""
    with _in_words(), read_store(settings, state) as session:
        yield reader_of(session, builder=builder)


@contextmanager
def open_mirror(folder: str | PathLike[str] | None, settings: Settings) -> Iterator[MirrorReader]:
    """A mirror by its folder; where none is named, the one that somebody stands in, or the only one that the
    store knows (STA-6).
    """
    given = place_of(Path(folder), settings) if folder is not None else None
    state = given.state if given else state_of(settings)
    with _in_words(), read_store(settings, state) as session:
        place = _known_mirror(session.ledger, given) if given else _nearest_mirror(session.ledger, state)
        yield MirrorReader(place, reader_of(session))


def _known_mirror(ledger: Ledger, place: MirrorPlace) -> MirrorPlace:
    if next(ledger.runs.latest_first(label=place.label), None) is not None:
        return place
    folders = _mirror_folders(ledger, place.state)
    raise UsageError(f"{place.state} has no mirror {place.folder}", hint=_choice(folders) or KNOWS_NONE)


def _nearest_mirror(ledger: Ledger, state: Path) -> MirrorPlace:
    folders, here = _mirror_folders(ledger, state), Path.cwd().resolve()
    found = next((folder for folder in (here, *here.parents) if folder in folders), None)
    if found is None and len(folders) == 1:
        found = next(iter(folders))
    if found is None:
        what = f"{state} has {counted(len(folders), 'mirror')}"
        raise UsageError(what, hint=_choice(folders) or KNOWS_NONE)
    return MirrorPlace(found, state, folders[found])


def _mirror_folders(ledger: Ledger, state: Path) -> dict[Path, str]:
    """Where the mirrors of a ledger lie, and what it calls them."""
    root = state.resolve().parent
    return {(root / label).resolve(): label for label in sorted(mirror_labels(ledger))}


def _choice(folders: Iterable[Path]) -> str:
    names = "\n".join(f"    {os.path.relpath(folder)}" for folder in folders)
    return f"choose one:\n{names}" if names else ""


@contextmanager
def _in_words() -> Iterator[None]:
    """A row that something else altered cannot be read: say that, and what to do about it."""
    try:
        yield
    except UnicodeEncodeError as error:  # nothing in a ledger has such a name
        raise UsageError(f"{printable(error.object)} is not UTF-8") from error
    except UNREADABLE as error:
        raise LedgerError(
            f"a row of the ledger cannot be read: {error}",
            hint="`holdfast verify` says more, `holdfast store rebuild` makes the ledger from the archive",
        ) from error


def reader_of(session: Session, tell: Tell | None = None, builder: IndexBuilder | None = None) -> Reader:
    """Every question, bound to an open store."""
    return Reader(
        session.ledger,
        lambda: session.archive,
        session.policy,
        session.options,
        lambda: not in_use(session.state),
        partial(search_index, session, tell, builder),
        StoreOnDisk(session),
    )


def search_index(session: Session, tell: Tell | None, builder: IndexBuilder | None) -> SearchIndex:
    """The search index, up to date. Where a builder is there, nobody waits while it is built."""
    holder = session.index
    holder.tell = tell
    if builder is not None:
        holder.file, holder.build_later = builder.file, builder.start
    return holder()
