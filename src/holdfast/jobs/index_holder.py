"""The search index of a store, up to date with its ledger.

1. It lies beside the ledger as `search.db`. Whoever asks brings it up to date first; who mirrors or forgets
   does so where there is one: who never searches pays nothing. Who cannot wait has it built elsewhere, and
   searches what is there (`jobs.served_stores`).
2. One that is damaged is deleted and built anew. Where nothing can be written, it is built in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import LedgerError
from holdfast.jobs.indexing import bring_up_to_date, open_index
from holdfast.jobs.places import INDEX, in_use

if TYPE_CHECKING:
    from holdfast.jobs.session import Session
    from holdfast.storage.sqlite.search_index import SearchIndex

_SOON_READ: Final = 64
"""Observations that are read while somebody waits."""
FEW: Final = 4096
"""Observations of a ledger whose pages are looked through while somebody waits: which of them are gone."""
Tell = Callable[[int, int], None]


class IndexHolder:
    """The index of an open store, opened when it is first asked for, and up to date whenever it is; `tell`
    learns how far it is. With `build_later` it is that only where little is missing; what takes longer is
    left to that. While somebody writes, one that was built once answers as it was left: the run that writes
    brings it up to date at its end.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.file = session.state / INDEX
        self.tell: Tell | None = None
        self.build_later: Callable[[], None] | None = None
        self._index: SearchIndex | None = None

    def __call__(self) -> SearchIndex:
        """The index."""
        try:
            return self._up_to_date()
        except LedgerError as error:
            if str(self.file) not in error.message:
                raise
        self.close()
        remove_index(self.file.parent)
        return self._up_to_date()

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _up_to_date(self) -> SearchIndex:
        if self._index is None:
            self._index = open_index(self.file)
        if self.build_later is None or self._is_soon_done(self._index):
            bring_up_to_date(self._index, self._session, self.tell)
        elif self._index.mark() is None or not in_use(self._session.state):
            self.build_later()
        return self._index

    def _is_soon_done(self, index: SearchIndex) -> bool:
        """Whether it is brought up to date so soon that nobody notices."""
        mark, built = self._session.ledger.sections.mark(), index.mark()
        if built is not None and in_use(self._session.state):
            return False
        return mark == built or (mark.observed <= FEW and mark.missing(built) <= _SOON_READ)


@contextmanager
def index_to_forget(state: Path) -> Iterator[SearchIndex | None]:
    """The index, where there is one that works; one that does not is deleted: nothing may stay in it."""
    if not (state / INDEX).is_file():
        yield None
        return
    try:
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
