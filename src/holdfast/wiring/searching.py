"""The search index of a state folder, up to date with its ledger.

1. It lies beside the ledger as `search.db`. Whoever asks brings it up to date first; who mirrors or forgets
   does so where there is one: who never searches pays nothing.
2. One that is damaged is deleted and built anew. Where nothing can be written, it is built in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import HoldfastError, LedgerError
from holdfast.wiring.store import Store

if TYPE_CHECKING:
    from holdfast.adapters.sqlite.search.index import SqliteSearch
    from holdfast.jobs.indexing import Sections

__all__ = ["IndexHolder", "index_to_forget", "keep_index", "remove_index"]

INDEX: Final = "search.db"
Tell = Callable[[int, int], None]


class IndexHolder:
    """The index of an open store, opened when it is first asked for, and up to date whenever it is."""

    def __init__(self, store: Store, max_bytes: int, tell: Tell | None = None) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._tell = tell
        self._index: SqliteSearch | None = None

    def __call__(self) -> SqliteSearch:
        """The index."""
        try:
            return self._up_to_date()
        except LedgerError as error:
            if str(self._store.state / INDEX) not in error.message:
                raise
        self.close()
        remove_index(self._store.state)
        return self._up_to_date()

    def close(self) -> None:
        """Let go of the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _up_to_date(self) -> SqliteSearch:
        from holdfast.jobs.indexing import catch_up  # noqa: PLC0415 # lazy: with the parsers, 300 ms

        store = self._store
        if self._index is None:
            self._index = _open(store.state / INDEX)
        tell = self._tell or (lambda _done, _total: None)
        catch_up(store.ledger, store.archive, self._index, _sections_within(self._max_bytes), tell)
        return self._index


def keep_index(store: Store, max_bytes: int) -> None:
    """Bring the index of a store up to date, where there is one. What it lacks, the next search adds."""
    if (store.state / INDEX).is_file():
        with suppress(HoldfastError), closing(IndexHolder(store, max_bytes)) as holder:
            holder()


@contextmanager
def index_to_forget(state: Path) -> Iterator[SqliteSearch | None]:
    """The index, where there is one that works; one that does not is deleted: nothing may stay in it."""
    if not (state / INDEX).is_file():
        yield None
        return
    try:
        index = _open(state / INDEX)
        index.mark()
    except LedgerError:
        remove_index(state)
        yield None
        return
    with closing(index):
        yield index


def remove_index(state: Path) -> None:
    """Delete an index; the next search builds it anew."""
    for name in (INDEX, f"{INDEX}-wal", f"{INDEX}-shm"):
        (state / name).unlink(missing_ok=True)


def _open(file: Path) -> SqliteSearch:
    from holdfast.adapters.sqlite.search.index import open_search  # noqa: PLC0415 # lazy: who searches pays

    writable = os.access(file if file.exists() else file.parent, os.W_OK)
    return open_search(file if writable else None)


def _sections_within(max_bytes: int) -> Sections:
    from holdfast.core.recipe import Recipe  # noqa: PLC0415 # lazy: as above
    from holdfast.distill import distill  # noqa: PLC0415 # lazy: the parsers

    recipe = Recipe.parse("http_snapshot_url_v1_text_v1")
    options = DistillOptions(outline=True, max_bytes=max_bytes)
    return lambda capture: distill(capture, recipe, options).outline
