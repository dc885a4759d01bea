"""The `Mirror` port of a run that writes no folder (CLU-4): what it remembers is on the ledger's server.

1. Files of the mirror's own (`_processed.txt`, `_manifest.json`, …) are kept; pages are not: `restore` makes
   them anywhere from ledger and archive, with the same bytes.
2. A page counts as being as the ledger says: there is nothing between the ledger and a file.
3. Each write is fenced like those of the ledger: a run that lost its lease writes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.long_lists import RowsInMemory

if TYPE_CHECKING:
    from holdfast.storage.postgres.postgres_server import PostgresDatabase

_ROOM: Final = 1 << 50
_ADD: Final = """
INSERT INTO kept_file (label, path, part, data)
SELECT $1, $2, coalesce(max(part), 0) + 1, $3 FROM kept_file WHERE label = $1 AND path = $2
"""
_OF: Final = "FROM kept_file WHERE label = $1 AND path = $2"


class KeptFiles:
    """A mirror's own files, by path."""

    def __init__(self, db: PostgresDatabase, label: str) -> None:
        self._db, self._label = db, label
        self._turn = threading.Lock()  # the run's thread writes pages, its loop the progress

    def write(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Replace a file."""
        if _is_kept(path):
            data = content if isinstance(content, bytes) else b"".join(content)
            with self._turn, self._db.writing():
                self._db.execute(f"DELETE {_OF}", (self._label, path))
                self._db.execute(_ADD, (self._label, path, data))

    def write_all(
        self,
        files: Mapping[str, bytes | Iterable[bytes]],
        times: Mapping[str, float] | None = None,  # noqa: ARG002 - the port has it
    ) -> dict[str, str]:
        """Replace files; nothing is refused."""
        for path, content in files.items():
            self.write(path, content)
        return {}

    put_all = write_all

    def settle(self) -> None:
        """What was written is durable with its transaction."""

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file."""
        if _is_kept(path):
            with self._turn, self._db.writing():
                self._db.execute(_ADD, (self._label, path, data))

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes."""
        self.write(path, (self.read(path) or b"")[:size])

    def move(self, path: str, new: str) -> None:
        """Give a file another name."""
        with self._turn, self._db.writing():
            self._db.execute(f"DELETE {_OF}", (self._label, new))
            sql = "UPDATE kept_file SET path = $1 WHERE label = $2 AND path = $3"
            self._db.execute(sql, (new, self._label, path))

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where it is not kept."""
        with self._turn:
            parts = [row[0] for row in self._db.rows(f"SELECT data {_OF} ORDER BY part", (self._label, path))]
        return b"".join(parts) if parts else None

    def pieces(self, path: str) -> Iterator[bytes]:
        """A file's bytes."""
        yield self.read(path) or b""

    def holds(self, path: str, sha256: str) -> bool:  # noqa: ARG002 - the port has it
        """Whether a page is as the ledger says: it is nowhere else."""
        return True

    def time_of(self, path: str) -> datetime | None:  # noqa: ARG002 - the port has it
        """Kept files have no time of their own."""
        return None

    def has(self, path: str) -> bool:
        """Whether a file is kept."""
        with self._turn:
            return self._db.row(f"SELECT 1 {_OF} LIMIT 1", (self._label, path)) is not None

    def remove(self, path: str) -> None:
        """Remove a file."""
        if _is_kept(path):
            with self._turn, self._db.writing():
                self._db.execute(f"DELETE {_OF}", (self._label, path))

    def walk(self) -> Iterator[str]:
        """Every kept file's path, sorted."""
        sql = "SELECT DISTINCT path FROM kept_file WHERE label = $1 ORDER BY path"
        yield from [row[0] for row in self._db.rows(sql, (self._label,))]

    def rows(self) -> RowsInMemory:
        """Room for sorting."""
        return RowsInMemory()

    def free_bytes(self) -> int:
        """Room is the server's care."""
        return _ROOM

    def folds_names(self) -> bool:
        """Names are kept as they are."""
        return False

    def close(self) -> None:
        """Let go of the server."""
        self._db.close()


def _is_kept(path: str) -> bool:
    return path.startswith("_") and "/" not in path
