"""The `Ledger` port over a relational database: its parts, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from holdfast.core.lineage.chapters import ChapterLines
from holdfast.core.lineage.ledger_values import Finding
from holdfast.core.lineage.lineage import RecordRef, Verdict
from holdfast.storage.ledger.archive_table import ArchiveTable
from holdfast.storage.ledger.chapter_rows import ChapterTable
from holdfast.storage.ledger.citation_table import CitationTable
from holdfast.storage.ledger.connection import LedgerSession, PlaceRegister, Places
from holdfast.storage.ledger.frontier_table import FrontierTable
from holdfast.storage.ledger.history_table import HistoryTable
from holdfast.storage.ledger.join_table import JoinTable
from holdfast.storage.ledger.joining import Joining
from holdfast.storage.ledger.outbox_table import OutboxTable
from holdfast.storage.ledger.page_table import PageTable
from holdfast.storage.ledger.removals import ForgettingTable
from holdfast.storage.ledger.restoring import Arrived, Restoring, Rows, There
from holdfast.storage.ledger.run_table import RunTable
from holdfast.storage.ledger.section_table import SectionTable
from holdfast.storage.ledger.writing import Writing

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database


class Ledger:
    """What is known, by its parts. Not for two threads at once; `close` ends its use."""

    def __init__(self, db: Database, register: PlaceRegister) -> None:
        self._db = db
        self._session = session = LedgerSession(db, Places(register))
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

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Verdict | None, ...]:
        """Write a batch, whole or not at all; the verdicts are decided inside (LIN-6). Durable on return."""
        return self._writing.commit(run_id, findings, at)

    def restore(
        self, chapters: Iterable[Rows], store_id: str, there: Callable[[RecordRef], There], at: datetime
    ) -> Arrived:
        """Put chapters back into a ledger that is empty."""
        return Restoring(self._session, there, at).put(chapters, store_id)

    def join(
        self,
        other: Ledger,
        moved: Mapping[str, RecordRef | None],
        named: Callable[[str], str],
        at: datetime,
        files: Iterable[str] = (),
    ) -> Arrived:
        """Take another ledger in, run by run; `moved` says where the archive has its captures now."""
        names = (*other.chapters.runs_in_order(), *other.chapters.others())
        rows = (chain.from_iterable(map(ChapterLines.by_column, other.chapters.lines(n))) for n in names)
        return Joining(self._session, moved, named, at).take(rows, other.archived.store_id(), files)

    def close(self) -> None:
        """Close the database."""
        self._db.close()
