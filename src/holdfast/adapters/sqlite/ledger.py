"""The `Ledger` port on one SQLite file: its parts, put together, and how the file is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from holdfast.adapters.sqlite.archived import ArchiveTable
from holdfast.adapters.sqlite.chapters import ChapterTable
from holdfast.adapters.sqlite.citations import CitationTable
from holdfast.adapters.sqlite.connection import Database, make_private
from holdfast.adapters.sqlite.forgetting import ForgettingTable
from holdfast.adapters.sqlite.frontier import FrontierTable
from holdfast.adapters.sqlite.history import HistoryTable
from holdfast.adapters.sqlite.joins import JoinTable
from holdfast.adapters.sqlite.migrations import applied, ensure_current, migrate, steps
from holdfast.adapters.sqlite.pages import PageTable
from holdfast.adapters.sqlite.restoring import Restored, Restoring, Rows, There
from holdfast.adapters.sqlite.runs import RunTable
from holdfast.adapters.sqlite.sections import SectionTable
from holdfast.adapters.sqlite.session import Session
from holdfast.adapters.sqlite.writing import Writing
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import Committed, Finding
from holdfast.core.lineage import RecordRef

__all__ = ["SqliteLedger", "copy_ledger", "migrate_file", "open_ledger"]


class SqliteLedger:
    """What is known, in one file. Not for two threads at once."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._session = session = Session(db)
        self.runs = RunTable(session)
        self.frontier = FrontierTable(session)
        self.pages = PageTable(session)
        self.history = HistoryTable(session)
        self.sections = SectionTable(session)
        self.archived = ArchiveTable(session)
        self.citations = CitationTable(session)
        self.forgetting = ForgettingTable(session)
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

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def open_ledger(path: Path, now: datetime, *, read_only: bool = False) -> SqliteLedger:
    """A ledger, made where there is none (unless read only); an older or newer schema is refused."""
    if read_only and not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    if not read_only:
        make_private(path)
    db = Database(path, read_only=read_only)
    try:
        ensure_current(db, now)
    except BaseException:
        db.close()
        raise
    return SqliteLedger(db)


def migrate_file(path: Path, now: datetime) -> tuple[int, int, Path | None]:
    """Bring a file's schema up to date: the schema it had, the one it has, the copy that was kept."""
    if not path.exists():
        raise LedgerError(f"there is no ledger at {path}")
    db = Database(path)
    try:
        before = applied(db)
        copy = migrate(db, now)
    finally:
        db.close()
    return before, len(steps()), copy


def copy_ledger(ledger: Path, copy: Path) -> dict[str, int]:
    """The ledger as it is at one moment; how far each archive file is committed in it."""
    db = Database(ledger, read_only=True)
    try:
        db.execute("PRAGMA query_only = OFF")  # it is the copy that is written
        db.execute("VACUUM INTO ?", (str(copy),))
    finally:
        db.close()
    copy.chmod(0o600)
    with copy.open("rb") as file:
        os.fsync(file.fileno())
    db = Database(copy, read_only=True)
    try:
        return dict(db.rows("SELECT name, committed_end FROM archive_file"))
    finally:
        db.close()
        for tail in ("-wal", "-shm"):
            copy.with_name(copy.name + tail).unlink(missing_ok=True)
