"""The chapters of another ledger taken into this one (STA-6).

1. Runs, captures, items and observations keep their ids and get numbers of this ledger; URLs, recipes, labels
   and files are known by their names. What is here already, by its id, stays: so a second time adds nothing,
   and what the other ledger learned since then comes in.
2. Of two rows about one file or one cited place the later one counts.
3. Documents and their citations stay out: their paths are those of another root, and the next `check` reads
   them.
4. Captures and runs are placed among those that are here by their stamps, once; that changes neither order
   (LIN-10): one that is stamped earlier than the one before it in its own store counts as of that one's time.
5. All is one transaction; a thousand rows are held at a time, and the numbers of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from holdfast.core.lineage.chapters import CITATIONS, MIRROR, RUN, STORE
from holdfast.core.lineage.lineage import RecordRef
from holdfast.storage.ledger.columns import COMMIT_END, KNOW_STORE, marks, micros, recipe_of
from holdfast.storage.ledger.connection import LedgerSession, label_number, recipe_number
from holdfast.storage.ledger.kept_sums import recount_brought
from holdfast.storage.ledger.restoring import AS_KEPT, Arrived, Rows, as_it_is, in_groups, place_told
from holdfast.storage.ledger.run_table import run_rank
from holdfast.storage.ledger.writing import capture_rank

Values = dict[str, Any]
_SEQUENCES: Final = {
    "run_seq": "run",
    "capture_seq": "capture",
    "item_seq": "item",
    "observation_id": "observation",
}
_REFERS: Final = {
    "run_seq": "run_seq",
    "capture_seq": "capture_seq",
    "item_seq": "item_seq",
    "source_seq": "item_seq",
    "target_seq": "item_seq",
    "observation_id": "observation_id",
    "links_of": "observation_id",
    "url_id": "url_id",
    "target_id": "url_id",
}
"""Which number a column holds."""
_BELONGS: Final = {
    "section": ("item_seq", "item_seq"),
    "edge": ("source_seq", "item_seq"),
    "link": ("observation_id", "observation_id"),
}
"""Rows of these come in with the new rows that they belong to: by which column, and the number of what."""
_MOVING: Final = frozenset(
    ("run_progress", "page", "alias", "absence", "tombstone", "lost_capture", "cited_place", "event")
)
_NEWER_PAGE: Final = """
DELETE FROM page WHERE label_id = $1 AND (url_id = $2 OR path = $3) AND fetched_at <= $4
"""
_RANK: Final = "SELECT rank, stamp FROM capture WHERE capture_seq = $1"
_PAGES_LEFT: Final = "SELECT count(*) FROM page WHERE label_id = $1 AND (url_id = $2 OR path = $3)"


class Joining:
    """Chapters on their way in. `moved` says where the archive has the captures that are new here, `named`
    what a label of the other ledger is called here; what the archive could not read is noted as lost `at` a
    time.
    """

    def __init__(
        self,
        session: LedgerSession,
        moved: Mapping[str, RecordRef | None],
        named: Callable[[str], str],
        at: datetime,
    ) -> None:
        self._session, self._db = session, session.db
        self._moved, self._named, self._at = moved, named, at
        self._numbers: dict[str, dict[int, int]] = {column: {} for column in (*_SEQUENCES, "url_id")}
        self._next: dict[str, int] = {}
        self._new: dict[str, set[int]] = {column: set() for column in _SEQUENCES}
        self._told_stamps: dict[tuple[str, int], int] = {}
        self._latest: dict[int | None, int] = {}
        self._recipe = 0
        self._lost = 0

    def take(self, chapters: Iterable[Rows], store_id: str, files: Iterable[str]) -> Arrived:
        """Write chapters, runs first and in their order; whole or not at all. `files` of the archive, which
        were only written for this, are needed from now on.
        """
        with self._session.filling():
            self._db.execute(KNOW_STORE, (store_id,))
            for column, table in _SEQUENCES.items():
                self._next[column] = self._db.number(f"SELECT max({column}) FROM {table}") + 1
            for rows in chapters:
                self._take_chapter(rows)
            ends: dict[str, int] = {}
            for ref in self._moved.values():
                if ref is not None:
                    ends[ref.file] = max(ends.get(ref.file, 0), ref.offset + ref.length)
            self._db.execute_many(COMMIT_END, list(ends.items()))
            self._db.execute_many("DELETE FROM spare_file WHERE name = $1", [(name,) for name in files])
            recount_brought(self._db, all_runs=True)
            self._session.touch(STORE)
        new = self._new
        return Arrived(len(new["run_seq"]), len(new["capture_seq"]), len(new["item_seq"]), self._lost)

    def _take_chapter(self, rows: Rows) -> None:
        """A group of rows after the other, as chapters tell them: what is named before what names it. URLs
        of a chapter are held until their keys are told.
        """
        urls: dict[int, str] = {}
        for table, group in in_groups(rows):
            if table == "url":
                urls |= {row["url_id"]: row["url"] for row in group}
            elif table == "web_key":
                self._learn_urls({row["url_id"]: (urls.pop(row["url_id"]), row["web_key"]) for row in group})
            else:
                if urls:  # without a key
                    self._learn_urls({number: (url, None) for number, url in urls.items()})
                    urls.clear()
                self._take_group(table, group)

    def _take_group(self, table: str, group: list[Mapping[str, Any]]) -> None:
        match table:
            case "run_rank" | "rank":
                column = "run_seq" if table == "run_rank" else "capture_seq"
                self._told_stamps |= {(column, row[column]): row["stamp"] for row in group}
            case "run":
                self._each(self._take_run, group)
            case "capture":
                self._each(self._take_capture, group)
            case "item":
                for row in group:
                    self._take_by_id("item", "item_seq", "item_id", row, recipe_id=self._recipe)
            case "observation":
                self._each(self._take_observation, group)
            case "section" | "edge" | "link":
                column, own = _BELONGS[table]
                new = self._new[own]
                self._append(table, (row for row in map(self._values, group) if row[column] in new))
            case "frontier" | "alternate":
                self._append(table, map(self._values, group))
            case _ if table in _MOVING:
                self._take_what_moves(table, [self._values(row) for row in group])

    def _take_what_moves(self, table: str, group: list[Values]) -> None:
        """Rows that are not written once: of two about one thing the later counts."""
        match table:
            case "run_progress":
                self._each(self._take_progress, group)
            case "page":
                self._each(self._take_page, group)
            case "alias" | "absence" | "tombstone" | "lost_capture":
                self._append(table, group, if_new=True)
            case "cited_place":
                self._each(self._take_cited, group)
            case "event":
                self._each(self._take_event, group)

    @staticmethod
    def _each(take: Callable[[Any], None], group: Iterable[Any]) -> None:
        for row in group:
            take(row)

    def _learn_urls(self, told: Mapping[int, tuple[str, str | None]]) -> None:
        places = {number: place_told(*url_and_key) for number, url_and_key in told.items()}
        here = self._session.places.numbers(places.values())
        self._numbers["url_id"] |= {number: here[place.key] for number, place in places.items()}

    def _take_run(self, row: Mapping[str, Any]) -> None:
        self._recipe = recipe_number(self._db, recipe_of(row["version"]), row["identity_digest"])
        label = self._label(row["label"])
        values = {"job": row["job"], "recipe_id": self._recipe, "label_id": label}
        values |= {name: row[name] for name in ("run_seq", "run_id", "started_at", "reprocessing_of")}
        stamp = self._stamp("run_seq", row, row["started_at"], None)
        values["rank"], values["stamp"] = run_rank(self._db, stamp)
        seq = self._take_by_id("run", "run_seq", "run_id", values)
        for table in ("frontier", "alternate"):
            self._db.execute(f"DELETE FROM {table} WHERE run_seq = $1", (seq,))
        self._session.touch(RUN + row["run_id"])

    def _take_progress(self, row: Values) -> None:
        self._db.execute("DELETE FROM run_progress WHERE run_seq = $1", (row["run_seq"],))
        self._append("run_progress", [row])

    def _take_capture(self, row: Mapping[str, Any]) -> None:
        ref = self._moved.get(row["capture_id"])
        values = {name: row[name] for name in row if not name.startswith("file")}
        values |= {"file_id": None, "file_offset": None, "file_length": None}
        if ref is not None:
            values |= {"file_id": self._file(ref.file), "file_offset": ref.offset, "file_length": ref.length}
        url_id = self._numbers["url_id"][row["url_id"]]
        stamp = self._stamp("capture_seq", row, row["fetched_at"], url_id)
        values["rank"], values["stamp"] = capture_rank(self._db, url_id, stamp)
        before = len(self._new["capture_seq"])
        seq = self._take_by_id("capture", "capture_seq", "capture_id", values)
        if len(self._new["capture_seq"]) > before and row["file"] and ref is None:
            self._append("lost_capture", [{"capture_seq": seq, "noted_at": micros(self._at)}], if_new=True)
            self._lost += 1

    def _take_observation(self, row: Mapping[str, Any]) -> None:
        capture = self._numbers["capture_seq"][row["capture_seq"]]
        sql = "SELECT observation_id FROM observation WHERE capture_seq = $1 AND recipe_id = $2"
        known = self._db.row(sql, (capture, self._recipe))
        rank, stamp = self._db.row(_RANK, (capture,)) or (0, 0)
        more = {"recipe_id": self._recipe, "rank": rank, "stamp": stamp}
        self._take_numbered("observation", "observation_id", known, {**row, **more})

    def _stamp(self, column: str, row: Mapping[str, Any], own: int, url_id: int | None) -> int:
        """By which stamp a row is placed; runs are of no URL."""
        told = self._told_stamps.get((column, row[column]))
        latest = self._latest[url_id] = max(told or own, self._latest.get(url_id, 0))
        return told or latest

    def _take_by_id(self, table: str, column: str, name: str, row: Mapping[str, Any], **more: int) -> int:
        """A row that is known by an id; its number here."""
        value = AS_KEPT.get(name, as_it_is)(row[name])
        known = self._db.row(f"SELECT {column} FROM {table} WHERE {name} = $1", (value,))
        return self._take_numbered(table, column, known, {**row, **more})

    def _take_numbered(
        self, table: str, column: str, known: tuple[Any, ...] | None, row: Mapping[str, Any]
    ) -> int:
        if known is not None:
            self._numbers[column][row[column]] = known[0]
            return int(known[0])
        number = self._next[column]
        self._next[column] += 1
        self._numbers[column][row[column]] = number
        self._new[column].add(number)
        self._append(table, [self._values(row)])
        return number

    def _take_page(self, row: Values) -> None:
        where = (row["label_id"], row["url_id"], row["path"])
        self._db.execute(_NEWER_PAGE, (*where, row["fetched_at"]))
        if not self._db.number(_PAGES_LEFT, where):
            self._append("page", [row])

    def _take_cited(self, row: Values) -> None:
        sql = "DELETE FROM cited_place WHERE web_key = $1 AND coalesce(checked_at, 0) < $2"
        self._db.execute(sql, (row["web_key"], row["checked_at"] or 0))
        self._append("cited_place", [row], if_new=True)
        self._session.touch(CITATIONS)

    def _take_event(self, row: Values) -> None:
        sql = "SELECT count(*) FROM event WHERE at = $1 AND kind = $2 AND url_id = $3"
        if not self._db.number(sql, (row["at"], row["kind"], row["url_id"])):
            self._append("event", [row])

    def _values(self, row: Mapping[str, Any]) -> Values:
        """A row with the numbers and names of this ledger."""
        made: Values = {}
        for column, value in row.items():
            if column == "label":
                made["label_id"] = self._label(value)
            elif value is None:
                made[column] = None
            elif column in _REFERS:
                made[column] = self._numbers[_REFERS[column]][value]
            else:
                made[column] = AS_KEPT.get(column, as_it_is)(value)
        return made

    def _label(self, name: str) -> int:
        label = self._named(name)
        self._session.touch(MIRROR + label)
        return label_number(self._db, label)

    def _file(self, name: str) -> int:
        sql = "INSERT INTO archive_file (name, committed_end) VALUES ($1, 0) ON CONFLICT (name) DO NOTHING"
        self._db.execute(sql, (name,))
        return self._db.number("SELECT file_id FROM archive_file WHERE name = $1", (name,))

    def _append(self, table: str, rows: Iterable[Values], *, if_new: bool = False) -> None:
        rows = list(rows)
        if rows:
            columns, values = ", ".join(rows[0]), [tuple(row.values()) for row in rows]
            if not if_new:
                self._db.append(table, columns, values)
                return
            sql = f"INSERT INTO {table} ({columns}) VALUES ({marks(len(rows[0]))}) ON CONFLICT DO NOTHING"
            self._db.execute_many(sql, values)
