"""The ledger's chapters: their rows as lines, and which of them the archive holds as they are.

Rows of a chapter are written in the order of their numbers, so that equal rows give equal lines, whatever
database they come from.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.lineage.chapters import (
    CITATIONS,
    MIRROR,
    RUN,
    STORE,
    ChapterLines,
    RefusedAddress,
    digest_of,
)
from holdfast.core.lineage.frontier_note import read_note
from holdfast.core.lineage.ledger_values import EntryState
from holdfast.storage.ledger.columns import COMMIT_END, KNOW_STORE

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Database, Row

_NOTE: Final = """
INSERT INTO chapter (name, digest, is_current) VALUES ($1, $2, 1)
ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, is_current = 1
"""
_REFUSED: Final = f"""
SELECT r.run_id, coalesce(f.fetch_url, u.url), f.detail
FROM run r CROSS JOIN frontier f JOIN url u ON u.url_id = f.url_id
WHERE r.run_id = $1 AND f.run_seq = r.run_seq AND f.state = '{EntryState.REFUSED}' ORDER BY f.entry_id
"""
_AT_ONCE: Final = 500
_BYTES: Final = frozenset(
    (
        "capture_id",
        "content",
        "content_sha256",
        "item_id",
        "links_digest",
        "parent",
        "payload_sha256",
        "web_key",
    )
)
"""Columns that hold bytes, in whatever table."""


class _Table(NamedTuple):
    """A table of a chapter. `values` give the columns; what they come from has the chapter's number as $1."""

    name: str
    columns: str
    values: str
    source: str

    def sql(self, *, as_json: bool) -> str:
        """All rows; `as_json`: each as the line that `as_lines` makes of it."""
        if not as_json:
            return f"SELECT {self.values} FROM {self.source}"
        pairs = zip(self.columns.split(), self.values.split(", "), strict=True)
        values = [f"nullif(lower(hex({value})), '')" if name in _BYTES else value for name, value in pairs]
        return f"SELECT json_array({', '.join(values)}) FROM {self.source}"


def _urls(of: str) -> tuple[_Table, _Table]:
    """The URLs that a chapter's rows name; the keys by which tables are joined stand apart, for they move."""
    source = f"url u WHERE u.url_id IN ({of}) ORDER BY u.url_id"
    return (
        _Table("url", "url_id url", "u.url_id, u.url", source),
        _Table("web_key", "url_id web_key", "u.url_id, u.web_key", source),
    )


# Of what is named several times, `IN` itself makes one.
_OF_RUN: Final = """
SELECT url_id FROM capture WHERE run_seq = $1 UNION ALL SELECT url_id FROM observation WHERE run_seq = $1
UNION ALL SELECT k.url_id FROM observation o JOIN link k USING (observation_id) WHERE o.run_seq = $1
UNION ALL SELECT url_id FROM frontier WHERE run_seq = $1
"""
_SEEN_BY_RUN: Final = """
SELECT capture_seq FROM capture WHERE run_seq = $1
UNION SELECT capture_seq FROM observation WHERE run_seq = $1
"""
_OF_MIRROR: Final = """
SELECT url_id FROM page WHERE label_id = $1 UNION ALL SELECT url_id FROM alias WHERE label_id = $1
UNION ALL SELECT target_id FROM alias WHERE label_id = $1
UNION ALL SELECT url_id FROM absence WHERE label_id = $1
"""
_OF_CITATIONS: Final = """
SELECT url_id FROM citation UNION ALL SELECT url_id FROM cited_place UNION ALL SELECT url_id FROM event
"""
_MADE: Final = "item_seq IN (SELECT item_seq FROM observation WHERE run_seq = $1) AND i.run_seq = $1"

# A rank is told only of what was brought: any other run or capture has the place that its number says.
_RUN_TABLES: Final = (
    _Table(
        "run_rank",
        "run_seq rank stamp",
        "run_seq, rank, stamp",
        "run WHERE run_seq = $1 AND rank IS NOT NULL",
    ),
    _Table(
        "run",
        "run_seq run_id job version identity_digest label started_at reprocessing_of",
        "r.run_seq, r.run_id, r.job, p.version, p.identity_digest, l.name, r.started_at, r.reprocessing_of",
        "run r JOIN recipe p USING (recipe_id) JOIN label l USING (label_id) WHERE r.run_seq = $1",
    ),
    _Table(
        "run_progress",
        "run_seq status updated_at ended_at seal summary",
        "run_seq, status, updated_at, ended_at, seal, summary",
        "run_progress WHERE run_seq = $1",
    ),
    *_urls(_OF_RUN),
    _Table(
        "rank",
        "capture_seq rank stamp",
        "c.capture_seq, c.rank, c.stamp",
        f"capture c WHERE c.capture_seq IN ({_SEEN_BY_RUN}) AND c.stamp <> 0 ORDER BY c.capture_seq",
    ),
    _Table(
        "capture",
        "capture_seq capture_id run_seq url_id requested_url final_url status fetched_at content_type etag"
        " last_modified payload_sha256 file file_offset file_length",
        "c.capture_seq, c.capture_id, c.run_seq, c.url_id, c.requested_url, c.final_url, c.status,"
        " c.fetched_at, c.content_type, c.etag, c.last_modified,"
        " c.payload_sha256, f.name, c.file_offset, c.file_length",
        "capture c LEFT JOIN archive_file f USING (file_id) WHERE c.run_seq = $1 ORDER BY c.capture_seq",
    ),
    _Table(
        "item",
        "item_seq item_id run_seq url_id capture_seq content_sha256 created_at title",
        "i.item_seq, i.item_id, i.run_seq, i.url_id, i.capture_seq, i.content_sha256, i.created_at, i.title",
        f"item i WHERE {_MADE} ORDER BY i.item_seq",
    ),
    _Table(
        "section",
        "item_seq anchor ord path name kind content",
        "s.item_seq, s.anchor, s.ord, s.path, s.name, s.kind, s.content",
        f"section s WHERE s.item_seq IN (SELECT item_seq FROM item i WHERE {_MADE})"
        " ORDER BY s.item_seq, s.ord",
    ),
    _Table(
        "edge",
        "source_seq kind target_seq metadata",
        "e.source_seq, e.kind, e.target_seq, e.metadata",
        f"edge e WHERE e.source_seq IN (SELECT item_seq FROM item i WHERE {_MADE})"
        " ORDER BY e.source_seq, e.kind, e.target_seq",
    ),
    _Table(
        "observation",
        "observation_id capture_seq run_seq url_id item_seq fetched_at links_digest links_of",
        "observation_id, capture_seq, run_seq, url_id, item_seq, fetched_at, links_digest, links_of",
        "observation WHERE run_seq = $1 ORDER BY observation_id",
    ),
    _Table(
        "link",
        "observation_id ord url_id href text kind nofollow",
        "k.observation_id, k.ord, k.url_id, k.href, k.text, k.kind, k.nofollow",
        "link k WHERE k.observation_id IN (SELECT observation_id FROM observation WHERE run_seq = $1)"
        " ORDER BY k.observation_id, k.ord",
    ),
    _Table(
        "frontier",
        "run_seq url_id state depth source position fetch_url listed lastmod parent detail attempts",
        "run_seq, url_id, state, depth, source, position, fetch_url, listed, lastmod, parent,"
        " detail, attempts",
        "frontier WHERE run_seq = $1 ORDER BY entry_id",
    ),
    _Table(
        "alternate",
        "run_seq url_id fetch_url",
        "run_seq, url_id, fetch_url",
        "alternate WHERE run_seq = $1 ORDER BY alternate_id",
    ),
)
_MIRROR_TABLES: Final = (
    _Table("label", "label", "name", "label WHERE label_id = $1"),
    *_urls(_OF_MIRROR),
    _Table(
        "page",
        "label url_id path title item_seq links_of file_sha256 size depth markdown_version warnings fetch_url"
        " status fetched_at content_type etag last_modified gone_at",
        "l.name, g.url_id, g.path, g.title, g.item_seq, g.links_of, g.file_sha256, g.size, g.depth,"
        " g.markdown_version, g.warnings, g.fetch_url, g.status, g.fetched_at, g.content_type, g.etag,"
        " g.last_modified, g.gone_at",
        "page g JOIN label l USING (label_id) WHERE g.label_id = $1 ORDER BY g.page_id",
    ),
    _Table(
        "alias",
        "label url_id target_id reason detail",
        "l.name, a.url_id, a.target_id, a.reason, a.detail",
        "alias a JOIN label l USING (label_id) WHERE a.label_id = $1 ORDER BY a.url_id",
    ),
    _Table(
        "absence",
        "label left_at url_id",
        "l.name, a.left_at, a.url_id",
        "absence a JOIN label l USING (label_id) WHERE a.label_id = $1 ORDER BY a.left_at, a.url_id",
    ),
)
_CITATION_TABLES: Final = (
    *_urls(_OF_CITATIONS),
    _Table(
        "document",
        "document_id path bid digest size mtime_ns read_at",
        "document_id, path, bid, digest, size, mtime_ns, read_at",
        "document WHERE $1 = 0 ORDER BY document_id",
    ),
    _Table(
        "citation",
        "document_id ord url_id fetch_url fragment raw text kind span_start span_end line col utf16_col"
        " ignored finding used_start used_line used_col used_utf16_col",
        "document_id, ord, url_id, fetch_url, fragment, raw, text, kind, span_start, span_end, line, col,"
        " utf16_col, ignored, finding, used_start, used_line, used_col, used_utf16_col",
        "citation WHERE $1 = 0 ORDER BY document_id, ord",
    ),
    _Table(
        "cited_place",
        "web_key url_id url_bid state fetch_url checked_at status final_url bid content_sha256 fetched_at"
        " etag last_modified failures failing_since evidence",
        "web_key, url_id, url_bid, state, fetch_url, checked_at, status, final_url, bid,"
        " content_sha256, fetched_at, etag, last_modified, failures, failing_since, evidence",
        "cited_place WHERE $1 = 0 ORDER BY place_id",
    ),
    _Table(
        "event",
        "at kind url_id old new detail",
        "at, kind, url_id, old, new, detail",
        "event WHERE $1 = 0 ORDER BY event_id",
    ),
)
# Where numbers stand alone in a row, they are in the order of their digits: so they were first written.
_STORE_TABLES: Final = (
    _Table("store", "store_id is_own", "store_id, is_own", "store WHERE $1 = 0 ORDER BY store_id"),
    _Table(
        "migration",
        "number name sha256 applied_at",
        "number, name, sha256, applied_at",
        "migration WHERE $1 = 0 ORDER BY number",
    ),
    _Table("purge_count", "purges", "purges", "purge_count WHERE $1 = 0"),
    _Table("join_key", "version goal", "version, goal", "join_key WHERE $1 = 0"),
    *_urls("SELECT url_id FROM tombstone"),
    _Table(
        "tombstone",
        "url_id forgotten_at",
        "url_id, forgotten_at",
        "tombstone WHERE $1 = 0 ORDER BY CAST(url_id AS TEXT)",
    ),
    _Table(
        "lost_capture",
        "capture_seq noted_at",
        "capture_seq, noted_at",
        "lost_capture WHERE $1 = 0 ORDER BY CAST(capture_seq AS TEXT)",
    ),
)
_NAMES: Final = f"""
SELECT '{RUN}' || run_id FROM run UNION SELECT '{MIRROR}' || name FROM label
UNION SELECT '{STORE}' UNION SELECT '{CITATIONS}' WHERE EXISTS (SELECT 1 FROM document)
OR EXISTS (SELECT 1 FROM cited_place) ORDER BY 1
"""


class ChapterTable:
    """What a ledger's chapters hold, and which of them the archive has."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def due(self, *, of_others: bool = True) -> tuple[str, ...]:
        """Chapters that the archive does not hold as they are; those that were written by this session, or
        all.
        """
        current = {row[0] for row in self._db.rows("SELECT name FROM chapter WHERE is_current = 1")}
        due = tuple(row[0] for row in self._db.rows(_NAMES) if row[0] not in current)
        return due if of_others else tuple(name for name in due if name in self._session.touched)

    def runs_in_order(self) -> tuple[str, ...]:
        """The chapters of runs, as they were begun."""
        return tuple(RUN + row[0] for row in self._db.rows("SELECT run_id FROM run ORDER BY run_seq"))

    def others(self) -> tuple[str, ...]:
        """The chapters that are not runs'."""
        return tuple(row[0] for row in self._db.rows(_NAMES) if not row[0].startswith(RUN))

    def digest(self, name: str) -> str | None:
        """The digest of a chapter when the archive was told of it last."""
        row = self._db.row("SELECT digest FROM chapter WHERE name = $1", (name,))
        return str(row[0]) if row and row[0] else None

    def lines(self, name: str) -> Iterator[ChapterLines]:
        """A chapter's rows."""
        return lines_of(self._db, name)

    def refusals(self, name: str) -> Iterator[RefusedAddress]:
        """What a run refused, if the chapter is a run's."""
        for run_id, url, note in self._db.stream(_REFUSED, (name.removeprefix(RUN),)):
            yield RefusedAddress(run_id, url, read_note(note or "").words)

    def altered(self) -> Iterator[str]:
        """Chapters whose rows are not those that were written, and those that are not there any more."""
        return altered_chapters(self._db)

    def note(self, name: str, digest: str, ends: dict[str, int]) -> None:
        """The archive holds a chapter as it is, up to there."""
        with self._session.writing():
            self._db.execute(_NOTE, (name, digest))
            self._commit_ends(ends)
        self._session.touched.discard(name)

    def settle(self, ends: dict[str, int], stores: set[str]) -> None:
        """All that is here was put back from these files, which are committed as far as that."""
        for name in self.due():
            if name != STORE:
                self.note(name, digest_of(self.lines(name)), {})
        with self._session.writing():
            self._db.execute_many(KNOW_STORE, [(name,) for name in stores])
            self._commit_ends(ends)

    def _commit_ends(self, ends: dict[str, int]) -> None:
        self._db.execute_many(COMMIT_END, list(ends.items()))


def lines_of(db: Database, name: str) -> Iterator[ChapterLines]:
    """A chapter's rows."""
    number, tables = _chapter(db, name)
    for table in tables:
        columns, sql = tuple(table.columns.split()), table.sql(as_json=db.makes_json)
        rows = db.stream(sql, (number,) if "$1" in sql else ())
        while some := list(islice(rows, _AT_ONCE)):
            lines = [line for (line,) in some] if db.makes_json else as_lines(some)
            yield ChapterLines(table.name, columns, lines)


def altered_chapters(db: Database) -> Iterator[str]:
    """Chapters whose rows are not those that were written, and those that are not there any more."""
    known = {row[0] for row in db.rows(_NAMES)}
    for name, digest in list(db.rows("SELECT name, digest FROM chapter WHERE is_current = 1")):
        if name not in known or digest_of(lines_of(db, name)) != digest:
            yield name


def _chapter(db: Database, name: str) -> tuple[int, tuple[_Table, ...]]:
    if name.startswith(RUN):
        sql = "SELECT run_seq FROM run WHERE run_id = $1"
        return db.number(sql, (name.removeprefix(RUN),)), _RUN_TABLES
    if name.startswith(MIRROR):
        sql = "SELECT label_id FROM label WHERE name = $1"
        return db.number(sql, (name.removeprefix(MIRROR),)), _MIRROR_TABLES
    return 0, _STORE_TABLES if name == STORE else _CITATION_TABLES


def as_lines(rows: Sequence[Row]) -> list[str]:
    """Rows of a table as lines of JSON: bytes as hex, none where there are none; what is true or false as 1
    or 0. Columns of these are never empty, so the first row shows them.
    """
    if bool in map(type, rows[0]):
        rows = [tuple(int(v) if isinstance(v, bool) else v for v in row) for row in rows]
    # All at once: a line break stands between values, and nowhere in them, and then between rows only.
    return _encode(rows)[1:-1].replace("],\n[", "]\n[").replace(",\n", ",").split("\n")


def _hex(value: bytes) -> str | None:
    return value.hex() or None


_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",\n", ":"), default=_hex).encode
