"""The search index of a state folder, up to date with its ledger.

1. It lies beside the ledger as `search.db`. Whoever asks brings it up to date first; who mirrors or forgets
   does so where there is one: who never searches pays nothing. Who cannot wait has it built elsewhere, and
   searches what is there (`jobs.served_stores`).
2. One that is damaged is deleted and built anew. Where nothing can be written, it is built in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import HoldfastError, LedgerError
from holdfast.jobs.places import in_use

if TYPE_CHECKING:
    from holdfast.jobs.session import Store
    from holdfast.storage.sqlite.search_index import SearchIndex


INDEX: Final = "search.db"
_SOON_READ: Final = 64
"""Observations that are read while somebody waits."""
FEW: Final = 4096
"""Observations of a ledger whose pages are looked through while somebody waits: which of them are gone."""
Tell = Callable[[int, int], None]


class IndexHolder:
    """The index of an open store, opened when it is first asked for, and up to date whenever it is. With
    `build_later` it is that only where little is missing; what takes longer is left to that. While somebody
    writes, one that was built once answers as it was left: the run that writes brings it up to date at its
    end.
    """

    def __init__(
        self,
        store: Store,
        max_bytes: int,
        tell: Tell | None = None,
        *,
        file: Path | None = None,
        build_later: Callable[[], None] | None = None,
    ) -> None:
        self._store = store
        self._max_bytes = max_bytes
        self._tell = tell
        self._file = file or store.state / INDEX
        self._build_later = build_later
        self._index: SearchIndex | None = None

    def __call__(self) -> SearchIndex:
        """The index."""
        try:
            return self._up_to_date()
        except LedgerError as error:
            if str(self._file) not in error.message:
                raise
        self.close()
        remove_index(self._file.parent)
        return self._up_to_date()

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _up_to_date(self) -> SearchIndex:
        if self._index is None:
            from holdfast.jobs.indexing import open_index  # noqa: PLC0415 - imported when it is used

            self._index = open_index(self._file)
        if self._build_later is None or self._is_soon_done(self._index):
            from holdfast.jobs.indexing import bring_up_to_date  # noqa: PLC0415 - imported when it is used

            bring_up_to_date(self._index, self._store, self._max_bytes, self._tell)
        elif self._index.mark() is None or not in_use(self._store.state):
            self._build_later()
        return self._index

    def _is_soon_done(self, index: SearchIndex) -> bool:
        """Whether it is brought up to date so soon that nobody notices."""
        mark, built = self._store.ledger.sections.mark(), index.mark()
        if built is not None and in_use(self._store.state):
            return False
        return mark == built or (mark.observed <= FEW and mark.missing(built) <= _SOON_READ)


def keep_index(store: Store, max_bytes: int) -> None:
    """Bring the index of a store up to date, where there is one. What it lacks, the next search adds."""
    if (store.state / INDEX).is_file():
        with suppress(HoldfastError), closing(IndexHolder(store, max_bytes)) as holder:
            holder()


@contextmanager
def index_to_forget(state: Path) -> Iterator[SearchIndex | None]:
    """The index, where there is one that works; one that does not is deleted: nothing may stay in it."""
    if not (state / INDEX).is_file():
        yield None
        return
    try:
        from holdfast.jobs.indexing import open_index  # noqa: PLC0415 - imported when it is used

        index = open_index(state / INDEX)
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
