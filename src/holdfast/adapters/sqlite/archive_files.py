"""What the ledger knows of the archive's files: how far each is committed, which are spare, whose."""

from __future__ import annotations

from holdfast.adapters.sqlite.connection import Database

__all__ = ["ArchiveFiles"]


class ArchiveFiles:
    """The tables `store`, `archive_file` and `spare_file`."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @property
    def store_id(self) -> str:
        """What this ledger's own archive files name."""
        row = self._db.row("SELECT store_id FROM store WHERE is_own = 1")
        return str(row[0]) if row else ""

    def ends(self) -> dict[str, int]:
        """How far each file is committed."""
        return dict(self._db.rows("SELECT name, committed_end FROM archive_file"))

    def spare(self) -> tuple[str, ...]:
        """Files whose every record that is needed is elsewhere."""
        return tuple(row[0] for row in self._db.rows("SELECT name FROM spare_file ORDER BY name"))

    def spare_is_gone(self) -> None:
        """The spare files have been deleted."""
        if self._db.number("SELECT count(*) FROM spare_file"):
            with self._db.writing():
                self._db.execute("DELETE FROM spare_file")
