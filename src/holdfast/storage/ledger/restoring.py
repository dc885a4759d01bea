"""Chapters of a store put back into an empty ledger (STA-7); and all rows of a ledger copied to another.

1. Rows come as the archive tells them: JSON has no words for some values, and a URL is named by its text.
2. Runs, captures, items and observations keep their numbers; URLs, recipes, labels and files are known by
   their names. All is one transaction; a thousand rows are held at a time. Where the archive lost a
   chapter, the others are put back without the rows that refer to it: its captures are read anew.
3. A copy goes into a ledger that is empty, whatever databases the two are in. What is read is one moment of
   the source; what is written is one transaction: all of it, or nothing.
4. Copied rows keep their numbers, so nothing that names a row by its number has to be told.
5. Not copied: which steps of its schema a database has, counts that it keeps by itself, and tables that
   only one kind of database has (work in hand, which is of no use elsewhere). The chapter that tells of
   those steps is due again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from enum import Enum
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from holdfast.core.base.errors import LedgerError, UsageError
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.lineage.chapters import STORE
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.links.citing import unsupported_key
from holdfast.core.url.url import Place
from holdfast.core.web.rank import own_rank
from holdfast.storage.ledger.columns import KNOW_STORE, marks, micros, recipe_of
from holdfast.storage.ledger.connection import LedgerSession, recipe_number
from holdfast.storage.ledger.kept_sums import KEPT_BY_DATABASE, recount_brought

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Database, Row

Rows = Iterable[tuple[str, Mapping[str, Any]]]
"""Rows of a chapter, each with its table."""

_GROUP: Final = 1_000

AS_KEPT: Final[Mapping[str, Callable[[Any], Any]]] = {
    "capture_id": bytes.fromhex,
    "payload_sha256": bytes.fromhex,
    "item_id": bytes.fromhex,
    "content_sha256": bytes.fromhex,
    "links_digest": bytes.fromhex,
    "parent": bytes.fromhex,
    "web_key": bytes.fromhex,
    "content": bytes.fromhex,
    "nofollow": bool,
    "listed": bool,
    "ignored": bool,
}
"""Columns that lines of JSON have no words for."""


def in_groups(rows: Rows) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Rows of a chapter, those of one table that follow each other together, a thousand at a time."""
    for table, some in groupby(rows, key=itemgetter(0)):
        while group := [row for _, row in islice(some, _GROUP)]:
            yield table, group


def place_told(url: str, web_key: str | None) -> Place:
    """A URL of a chapter; one without a canonical form is known by another key."""
    key = UrlKey(web_key) if web_key and web_key == unsupported_key(url) else url_key(url)
    return Place(url, key, UrlKey(web_key or key))


def as_it_is(value: Any) -> Any:  # whatever JSON has
    """A value that JSON has words for."""
    return value


_PLAIN: Final = (
    "run_progress", "item", "section", "edge", "observation", "link", "frontier", "alternate", "page",
    "alias", "absence", "tombstone", "lost_capture", "document", "citation", "cited_place", "event",
)  # fmt: skip


_THERE: Final = "SELECT url_id FROM url WHERE url_id IN ({})"
# A key that is that of the URL itself was not told yet, or is.
_UNTOLD: Final = "SELECT url_id, url, url_key FROM url WHERE url_id IN ({}) AND url_key = web_key"
_UNSHOWN: Final = """
SELECT c.capture_id FROM shown s CROSS JOIN capture c WHERE c.capture_seq = s.capture_seq
AND NOT EXISTS (SELECT 1 FROM observation o WHERE o.capture_seq = c.capture_seq)
"""
_DANGLING: Final = (
    "CREATE TEMP TABLE shown AS SELECT DISTINCT capture_seq FROM observation",
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


class Arrived(NamedTuple):
    """How much came into a ledger that was not in it. The archive does not have captures that are `lost`;
    what `unshown` ones showed stood in a chapter that it lost.
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

    def __init__(self, session: LedgerSession, there: Callable[[RecordRef], There], at: datetime) -> None:
        self._session, self._db = session, session.db
        self._there, self._at = there, at
        self._named: dict[tuple[str, str], int] = {}
        self._recipe = 0
        self._ranks: dict[str, dict[int, tuple[int, int]]] = {"capture_seq": {}, "run_seq": {}}
        self._counts = {"run": 0, "capture": 0, "item": 0, "lost": 0}

    def put(self, chapters: Iterable[Rows], store_id: str) -> Arrived:
        """Write chapters, runs first; whole or not at all. `store_id` is what the archive's files name."""
        db = self._db
        with self._session.filling():
            db.execute("UPDATE store SET store_id = $1 WHERE is_own = 1", (store_id,))
            for rows in chapters:
                self._put_chapter(rows)
            for sql in _DANGLING:
                db.execute(sql)
            unshown = frozenset(row[0].hex() for row in db.rows(_UNSHOWN))
            db.execute("DROP TABLE shown")
            recount_brought(db)
        counts = self._counts
        return Arrived(counts["run"], counts["capture"], counts["item"], counts["lost"], unshown)

    def _put_chapter(self, rows: Rows) -> None:
        """A group of rows after the other: runs before their items, URLs before their keys, as chapters tell
        them.
        """
        for ranks in self._ranks.values():
            ranks.clear()
        for table, group in in_groups(rows):
            match table:
                case "rank" | "run_rank":
                    column = "capture_seq" if table == "rank" else "run_seq"
                    self._ranks[column] |= {row[column]: (row["rank"], row["stamp"]) for row in group}
                case "url":
                    self._learn_urls({row["url_id"]: row["url"] for row in group})
                case "web_key":
                    self._learn_keys({row["url_id"]: row["web_key"] for row in group})
                case "run" | "capture" | "store" | "purge_count" | "join_key":
                    for row in group:
                        self._put_one(table, row)
                case _ if table in _PLAIN:
                    self._put_rows(table, group)

    def _put_one(self, table: str, row: Mapping[str, Any]) -> None:
        match table:
            case "run":
                self._put_run(row)
            case "capture":
                self._put_capture(row)
            case "store":
                self._db.execute(KNOW_STORE, (row["store_id"],))
            case "purge_count":
                self._db.execute("UPDATE purge_count SET purges = $1", (row["purges"],))
            case "join_key":
                self._db.execute("UPDATE join_key SET version = $1", (row["version"],))

    def _learn_urls(self, urls: Mapping[int, str]) -> None:
        """URLs that no other chapter told of; their keys come after them."""
        there = {row[0] for row in self._db.rows_for(_THERE, [(number,) for number in urls])}
        places = {number: place_told(url, None) for number, url in urls.items() if number not in there}
        hosts = self._session.places.host_numbers({place.host for place in places.values()})
        rows = [
            (number, bytes.fromhex(place.key), bytes.fromhex(place.key), hosts[place.host], place.url)
            for number, place in places.items()
        ]
        self._db.append("url", "url_id, url_key, web_key, host_id, url", rows)

    def _learn_keys(self, keys: Mapping[int, str]) -> None:
        told: list[Row] = []
        for number, url, key in self._db.rows_for(_UNTOLD, [(number,) for number in keys]):
            place = place_told(url, keys[number])
            own, web = bytes.fromhex(place.key), bytes.fromhex(place.web_key)
            if (own, web) != (key, key):
                told.append((own, web, number))
        self._db.execute_many("UPDATE url SET url_key = $1, web_key = $2 WHERE url_id = $3", told)

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
        values["rank"], values["stamp"] = self._ranks["run_seq"].get(row["run_seq"], (None, 0))
        self._insert("run", [values])
        self._counts["run"] += 1

    def _put_capture(self, row: Mapping[str, Any]) -> None:
        values = self._values({name: row[name] for name in row if not name.startswith("file")})
        said = RecordRef(row["file"], row["file_offset"], row["file_length"]) if row["file"] else None
        there = self._there(said) if said else There.NEVER
        kept = said if there is not There.NEVER else None
        place = (self._file(kept.file), kept.offset, kept.length) if kept else (None, None, None)
        values |= self._ranked(values["capture_seq"])
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
        if table == "observation":
            made = [{**row, **self._ranked(row["capture_seq"])} for row in made]
        if table == "citation":
            hosts = "SELECT host_id FROM url WHERE url_id = $1"
            made = [{**row, "host_id": self._db.number(hosts, (row["url_id"],))} for row in made]
        self._insert(table, made)
        if table == "item":
            self._counts["item"] += len(made)

    def _ranked(self, number: int) -> dict[str, int]:
        """The place of a capture: that of its number, where nothing else is told."""
        rank, stamp = self._ranks["capture_seq"].get(number, own_rank(number))
        return {"rank": rank, "stamp": stamp}

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


_OWN: Final = frozenset({"migration"}) | KEPT_BY_DATABASE
_AT_ONCE: Final = 5_000


def copy_rows(source: Database, target: Database, seen: Callable[[str, int], object]) -> int:
    """Copy; how many rows there are. `seen` is told the table and how many rows of it are done."""
    there = target.tables()
    total = 0
    with source.snapshot(), target.filling():
        require_empty(target)
        for table, columns in source.tables().items():
            if table in _OWN or table not in there:
                continue
            if set(columns) != set(there[table]):
                raise LedgerError(f"{source.name} and {target.name} have other columns of {table}")
            if target.row(f"SELECT 1 FROM {table} LIMIT 1"):  # rows that an empty ledger is made with
                target.execute(f"DELETE FROM {table}")
            names = ", ".join(columns)
            rows = source.stream(f"SELECT {names} FROM {table}")
            while batch := list(islice(rows, _AT_ONCE)):
                target.append(table, names, batch)
                total += len(batch)
                seen(table, total)
        target.execute("UPDATE chapter SET is_current = 0 WHERE name = $1", (STORE,))
    return total


def require_empty(target: Database) -> None:
    """Refuse a ledger that has rows. Whatever one knows, it knows of a URL, a run or a document."""
    for table in ("url", "run", "document"):
        if target.row(f"SELECT 1 FROM {table} LIMIT 1"):
            raise UsageError(
                f"the ledger {target.name} is not empty",
                hint="name a database, or a folder, that has no ledger yet",
            )
