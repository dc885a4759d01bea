"""The chapters of one store put back into an empty ledger (STA-7).

Runs, captures, items and observations keep their numbers; URLs, recipes, labels and files are known by their
names. All is one transaction. Where the archive lost a chapter, the others are put back without the rows that
refer to it: its captures are read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import Enum
from typing import Any, Final, NamedTuple

from holdfast.adapters.sql.archive_rows import KNOW_STORE
from holdfast.adapters.sql.chapter_rows import AS_KEPT, Rows, as_it_is, place_told
from holdfast.adapters.sql.database import Row
from holdfast.adapters.sql.kept import recount_brought
from holdfast.adapters.sql.named_rows import recipe_number
from holdfast.adapters.sql.rows import marks, micros, recipe_of
from holdfast.adapters.sql.session import Session
from holdfast.core.lineage import RecordRef

__all__ = ["Restored", "Restoring", "There"]

_PLAIN: Final = (
    "run_progress", "item", "section", "edge", "observation", "link", "frontier", "alternate", "page",
    "alias", "absence", "tombstone", "lost_capture", "document", "citation", "cited_place", "event",
)  # fmt: skip


_DANGLING: Final = (
    "INSERT INTO forgetting (permit) VALUES (1)",
    "DELETE FROM item WHERE capture_seq NOT IN (SELECT capture_seq FROM capture)",
    """DELETE FROM observation WHERE capture_seq NOT IN (SELECT capture_seq FROM capture)
    OR item_seq NOT IN (SELECT item_seq FROM item)""",
    "DELETE FROM observation WHERE links_of NOT IN (SELECT observation_id FROM observation)",
    """DELETE FROM item WHERE NOT EXISTS (
    SELECT 1 FROM observation o WHERE o.capture_seq = item.capture_seq AND o.item_seq = item.item_seq)""",
    "DELETE FROM observation WHERE item_seq NOT IN (SELECT item_seq FROM item)",
    "DELETE FROM link WHERE observation_id NOT IN (SELECT observation_id FROM observation)",
    "DELETE FROM section WHERE item_seq NOT IN (SELECT item_seq FROM item)",
    """DELETE FROM edge WHERE source_seq NOT IN (SELECT item_seq FROM item)
    OR target_seq NOT IN (SELECT item_seq FROM item)""",
    """DELETE FROM page WHERE item_seq NOT IN (SELECT item_seq FROM item)
    OR links_of NOT IN (SELECT observation_id FROM observation)""",
    "DELETE FROM lost_capture WHERE capture_seq NOT IN (SELECT capture_seq FROM capture)",
    "DELETE FROM forgetting",
)


class There(Enum):
    """Whether an archive has a record: whole, damaged, or not even the file."""

    WHOLE = "whole"
    DAMAGED = "damaged"
    NEVER = "never"


class Restored(NamedTuple):
    """How much was put back. The archive does not have captures that are `lost`; what `unshown` ones showed
    stood in a chapter that it lost.
    """

    runs: int
    captures: int
    items: int
    lost: int
    unshown: frozenset[str] = frozenset()


class Restoring:
    """Chapters on their way into a ledger. `there` says whether the archive has a record; what it has not is
    noted as lost `at` a time.
    """

    def __init__(self, session: Session, there: Callable[[RecordRef], There], at: datetime) -> None:
        self._session, self._db = session, session.db
        self._there, self._at = there, at
        self._urls: set[int] = set()
        self._named: dict[tuple[str, str], int] = {}
        self._recipe = 0
        self._counts = {"run": 0, "capture": 0, "item": 0, "lost": 0}

    def put(self, chapters: Iterable[Rows], store_id: str) -> Restored:
        """Write chapters, runs first; whole or not at all. `store_id` is what the archive's files name."""
        db = self._db
        with self._session.filling():
            db.execute("UPDATE store SET store_id = $1 WHERE is_own = 1", (store_id,))
            for rows in chapters:
                self._put_chapter(rows)
            before = self._observed()
            for sql in _DANGLING:
                db.execute(sql)
            unshown = before - self._observed()
            recount_brought(db)
        counts = self._counts
        return Restored(counts["run"], counts["capture"], counts["item"], counts["lost"], frozenset(unshown))

    def _observed(self) -> set[str]:
        """The captures that show something."""
        sql = "SELECT c.capture_id FROM observation o JOIN capture c USING (capture_seq)"
        return {row[0].hex() for row in self._db.rows(sql)}

    def _put_chapter(self, rows: Rows) -> None:
        tables: dict[str, list[Mapping[str, Any]]] = {}
        for table, row in rows:
            tables.setdefault(table, []).append(row)
        self._learn_urls(tables.pop("url", ()), tables.pop("web_key", ()))
        for row in tables.pop("run", ()):
            self._put_run(row)
        for row in tables.pop("capture", ()):
            self._put_capture(row)
        for row in tables.pop("store", ()):
            self._db.execute(KNOW_STORE, (row["store_id"],))
        for row in tables.pop("purge_count", ()):
            self._db.execute("UPDATE purge_count SET purges = $1", (row["purges"],))
        for row in tables.pop("join_key", ()):
            self._db.execute("UPDATE join_key SET version = $1", (row["version"],))
        for table in _PLAIN:
            self._put_rows(table, tables.get(table, ()))

    def _learn_urls(self, urls: Iterable[Mapping[str, Any]], keys: Iterable[Mapping[str, Any]]) -> None:
        web = {row["url_id"]: row["web_key"] for row in keys}
        new: list[Row] = []
        for row in urls:
            number, url = row["url_id"], row["url"]
            if number not in self._urls:
                place = place_told(url, web.get(number))
                keys_ = (bytes.fromhex(place.key), bytes.fromhex(place.web_key))
                new.append((number, *keys_, place.host, url))
                self._urls.add(number)
        hosts = self._session.places.host_numbers({row[3] for row in new})
        rows = [(*row[:3], hosts[row[3]], row[4]) for row in new]
        self._db.append("url", "url_id, url_key, web_key, host_id, url", rows)

    def _put_run(self, row: Mapping[str, Any]) -> None:
        self._recipe = recipe_number(self._db, recipe_of(row["version"]), row["identity_digest"])
        values = {
            "run_seq": row["run_seq"],
            "run_id": row["run_id"],
            "job": row["job"],
            "recipe_id": self._recipe,
            "label_id": self._label(row["label"]),
            "started_at": row["started_at"],
            "reprocessing_of": row["reprocessing_of"],
        }
        self._insert("run", [values])
        self._counts["run"] += 1

    def _put_capture(self, row: Mapping[str, Any]) -> None:
        values = self._values({name: row[name] for name in row if not name.startswith("file")})
        said = RecordRef(row["file"], row["file_offset"], row["file_length"]) if row["file"] else None
        there = self._there(said) if said else There.NEVER
        kept = said if there is not There.NEVER else None
        place = (self._file(kept.file), kept.offset, kept.length) if kept else (None, None, None)
        self._insert(
            "capture", [values | dict(zip(("file_id", "file_offset", "file_length"), place, strict=True))]
        )
        self._counts["capture"] += 1
        if said and there is not There.WHOLE:
            self._insert(
                "lost_capture", [{"capture_seq": values["capture_seq"], "noted_at": micros(self._at)}]
            )
            self._counts["lost"] += 1

    def _put_rows(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        made = [self._values(row) for row in rows]
        if table in ("item", "observation"):
            made = [{**row, "recipe_id": self._recipe} for row in made]
        if table == "citation":
            hosts = "SELECT host_id FROM url WHERE url_id = $1"
            made = [{**row, "host_id": self._db.number(hosts, (row["url_id"],))} for row in made]
        self._insert(table, made)
        if table == "item":
            self._counts["item"] += len(made)

    def _values(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row with the numbers and names of this ledger."""
        made: dict[str, Any] = {}
        for column, value in row.items():
            if column == "label":
                made["label_id"] = self._label(value)
            elif value is None:
                made[column] = None
            else:
                made[column] = AS_KEPT.get(column, as_it_is)(value)
        return made

    def _label(self, name: str) -> int:
        return self._known("label", name)

    def _file(self, name: str) -> int:
        return self._known("archive_file", name)

    def _known(self, table: str, name: str) -> int:
        """The number of a label or a file by its name; written where it is new."""
        if (table, name) not in self._named:
            column, more, value = (
                ("label_id", "", "") if table == "label" else ("file_id", ", committed_end", ", 0")
            )
            sql = f"INSERT INTO {table} (name{more}) VALUES ($1{value}) ON CONFLICT (name) DO NOTHING"
            self._db.execute(sql, (name,))
            self._named[table, name] = self._db.number(
                f"SELECT {column} FROM {table} WHERE name = $1", (name,)
            )
        return self._named[table, name]

    def _insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        if rows:
            columns = ", ".join(rows[0])
            values: list[Row] = [tuple(row.values()) for row in rows]
            if table != "lost_capture":
                self._db.append(table, columns, values)
                return
            sql = f"INSERT INTO {table} ({columns}) VALUES ({marks(len(rows[0]))}) ON CONFLICT DO NOTHING"
            self._db.execute_many(sql, values)
