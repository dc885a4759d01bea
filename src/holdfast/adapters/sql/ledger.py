"""The `Ledger` port over a relational database: its parts, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain

from holdfast.adapters.sql.archived import ArchiveTable
from holdfast.adapters.sql.chapter_rows import Rows
from holdfast.adapters.sql.chapters import ChapterTable
from holdfast.adapters.sql.citations import CitationTable
from holdfast.adapters.sql.database import Database
from holdfast.adapters.sql.forgetting import ForgettingTable
from holdfast.adapters.sql.frontier import FrontierTable
from holdfast.adapters.sql.history import HistoryTable
from holdfast.adapters.sql.joining import Joined, Joining
from holdfast.adapters.sql.joins import JoinTable
from holdfast.adapters.sql.outbox import OutboxTable
from holdfast.adapters.sql.pages import PageTable
from holdfast.adapters.sql.places import PlaceRegister, Places
from holdfast.adapters.sql.restoring import Restored, Restoring, There
from holdfast.adapters.sql.runs import RunTable
from holdfast.adapters.sql.sections import SectionTable
from holdfast.adapters.sql.session import Session
from holdfast.adapters.sql.writing import Writing
from holdfast.core.chapters import ChapterLines
from holdfast.core.ledger import Committed, Finding
from holdfast.core.lineage import RecordRef

__all__ = ["SqlLedger"]


class SqlLedger:
    """What is known, in one database. Not for two threads at once."""

    def __init__(self, db: Database, register: PlaceRegister) -> None:
        self._db = db
        self._session = session = Session(db, Places(register))
        self.runs = RunTable(session)
        self.frontier = FrontierTable(session)
        self.pages = PageTable(session)
        self.history = HistoryTable(session)
        self.sections = SectionTable(session)
        self.archived = ArchiveTable(session)
        self.citations = CitationTable(session)
        self.forgetting = ForgettingTable(session)
        self.outbox = OutboxTable(session)
        self.joins = JoinTable(session)
        self.chapters = ChapterTable(session)
        self._writing = Writing(session)

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        return self._writing.commit(run_id, findings, at)

    def restore(
        self, chapters: Iterable[Rows], store_id: str, there: Callable[[RecordRef], There], at: datetime
    ) -> Restored:
        """Put chapters back into a ledger that is empty."""
        return Restoring(self._session, there, at).put(chapters, store_id)

    def join(
        self,
        other: SqlLedger,
        moved: Mapping[str, RecordRef | None],
        named: Callable[[str], str],
        at: datetime,
        files: Iterable[str] = (),
    ) -> Joined:
        """Take another ledger in, run by run; `moved` says where the archive has its captures now."""
        names = (*other.chapters.runs_in_order(), *other.chapters.others())
        rows = (chain.from_iterable(map(ChapterLines.by_column, other.chapters.lines(n))) for n in names)
        return Joining(self._session, moved, named, at).take(rows, other.archived.store_id(), files)

    def close(self) -> None:
        """Close the database."""
        self._db.close()
