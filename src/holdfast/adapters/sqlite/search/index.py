"""The `SearchIndex` port on SQLite's FTS5, in a file of its own.

1. The full-text table holds words alone; the texts lie compressed beside it, those of one version of a page
   together. So index and texts are smaller than the texts.
2. A section that a new version of its page leaves as it was keeps its row; what it says anew is a new row,
   and the old one ends (`until`). So one index answers for now and for any date.
3. Whoever writes says from which mark on; where the file is not there any more, nothing is written.
4. What was forgotten leaves no bytes behind: deleted parts are overwritten, the file is compacted.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.adapters.sql.database import Row
from holdfast.adapters.sql.rows import micros, moment, moment_or_none, place_of
from holdfast.adapters.sqlite.connection import SqliteDatabase, make_private
from holdfast.core.answers.search import Snippet
from holdfast.core.hashing import UrlKey
from holdfast.core.search import (
    Closeness,
    FoundSection,
    IndexedPage,
    IndexMark,
    PageInIndex,
    SearchQuery,
    called,
    closeness,
    in_order,
)
from holdfast.core.section import PageSection

__all__ = ["SqliteSearch", "open_search"]

_RULES: Final = "search_1 section_v1"
_SCHEMA: Final = Path(__file__).with_name("schema.sql")
_BETWEEN, _MARK = "\n", "\x1e"
_START, _END, _GAP = "\x02", "\x03", "…"
_TOKENS: Final = "porter unicode61 remove_diacritics 2"
_SHOWN: Final = f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5 (text, tokenize = '{_TOKENS}')"
_SNIPPET: Final = f"""
SELECT rowid, snippet(shown, 0, '{_START}', '{_END}', '{_GAP}', 24) FROM temp.shown WHERE shown MATCH ?
"""
_BEGINNING: Final = 160
_NEAR: Final = 100
"""How many sections are compared by how near they are."""

_SECTION: Final = """
s.section_id, p.url, p.url_key, p.web_key, p.title, s.anchor, s.title, s.name, s.kind, p.language, s.since,
s.until
"""
_JOINED: Final = "CROSS JOIN section s ON s.section_id = {} CROSS JOIN page p ON p.page_id = s.page_id"
_MATCHING: Final = (
    f"SELECT {_SECTION}, words.rank FROM words {_JOINED.format('words.rowid')} WHERE words MATCH ?"
)
_CALLED: Final = f"SELECT {_SECTION}, 0.0 FROM called c {_JOINED.format('c.section_id')} WHERE c.word = ?"
_NOW: Final = " AND s.until IS NULL AND p.gone_at IS NULL"
_THEN: Final = (
    " AND s.since <= ? AND (s.until IS NULL OR s.until > ?) AND (p.gone_at IS NULL OR p.gone_at > ?)"
)
_WORDS: Final = "INSERT INTO words (rowid, name, title, above, text) VALUES (?, ?, ?, ?, ?)"
_UNWORD: Final = """
INSERT INTO words (words, rowid, name, title, above, text)
SELECT 'delete', w.section_id, w.name, w.title, w.above, w.text
FROM section s JOIN section_words w ON w.section_id = s.section_id WHERE s.page_id = ?
"""
_PAGE: Final = """
INSERT INTO page (web_key, url_key, url, title, language, capture_id, seen_at, is_mirrored)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (web_key) DO UPDATE SET url_key = excluded.url_key, url = excluded.url, title = excluded.title,
    language = coalesce(excluded.language, language), capture_id = excluded.capture_id,
    seen_at = excluded.seen_at, is_mirrored = max(is_mirrored, excluded.is_mirrored)
RETURNING page_id
"""
_LIVE: Final = """
SELECT section_id, anchor, digest FROM section WHERE page_id = ? AND until IS NULL
"""


class SqliteSearch:
    """Sections by their words. Not for two threads at once."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        db.define("cut", _cut, 4)
        if not db.number("SELECT count(*) FROM sqlite_master"):
            with db.writing():
                db.execute(_SCHEMA.read_text(encoding="utf-8"))

    def mark(self) -> IndexMark | None:
        """Up to where it is built."""
        row = self._db.row(
            "SELECT store_id, purges, observed, changed_at FROM mark WHERE rules = ?", (_RULES,)
        )
        return IndexMark(row[0], row[1], row[2], moment_or_none(row[3])) if row else None

    def clear(self) -> None:
        """Empty it."""
        with self._db.writing():
            for table in ("mark", "page", "passage", "section", "called"):
                self._db.execute(f"DELETE FROM {table}")
            self._db.execute("INSERT INTO words (words) VALUES ('delete-all')")

    def known(self, web_keys: Collection[UrlKey]) -> dict[UrlKey, PageInIndex]:
        """What it has of pages."""
        sql = "SELECT web_key, capture_id, seen_at FROM page WHERE web_key IN ({})"
        rows = self._db.rows_for(sql, [(bytes.fromhex(key),) for key in web_keys])
        return {UrlKey(key.hex()): PageInIndex(capture.hex(), moment(seen)) for key, capture, seen in rows}

    def add(self, before: IndexMark | None, pages: Sequence[IndexedPage], mark: IndexMark) -> bool:
        """Write pages."""
        with self._db.writing():
            if self.mark() != before:
                return False
            for page in pages:
                self._add(page)
            self._set(mark)
        return True

    def settle(
        self, before: IndexMark | None, standing: Mapping[UrlKey, datetime | None], mark: IndexMark
    ) -> bool:
        """Write which mirrored pages are there."""
        db = self._db
        with db.writing():
            if self.mark() != before:
                return False
            rows = list(db.rows("SELECT page_id, web_key, gone_at FROM page WHERE is_mirrored"))
            for page_id, key, known in rows:
                gone = standing.get(UrlKey(key.hex()), mark.changed_at)
                gone_at = micros(gone) if gone else None
                if (gone_at is None) != (known is None):
                    db.execute("UPDATE page SET gone_at = ? WHERE page_id = ?", (gone_at, page_id))
            self._set(mark)
        return True

    def forget(self, web_keys: Collection[UrlKey]) -> None:
        """Take pages out."""
        db = self._db
        db.execute("PRAGMA secure_delete = ON")
        with db.writing():
            for key in web_keys:
                row = db.row("SELECT page_id FROM page WHERE web_key = ?", (bytes.fromhex(key),))
                if row is None:
                    continue
                db.execute(_UNWORD, row)
                own = "SELECT section_id FROM section WHERE page_id = ?"
                db.execute(f"DELETE FROM called WHERE section_id IN ({own})", row)
                for table in ("section", "passage", "page"):
                    db.execute(f"DELETE FROM {table} WHERE page_id = ?", row)
        db.execute("INSERT INTO words (words) VALUES ('optimize')")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def rebase(self, before: IndexMark, after: IndexMark) -> None:
        """The ledger forgot, from one mark to another, what was taken out here before."""
        with self._db.writing():
            built = self.mark()
            if built is not None and before.follows(built):
                self._set(after._replace(observed=min(built.observed, after.observed), changed_at=None))

    def find(self, query: SearchQuery, limit: int) -> list[FoundSection]:
        """The sections that answer, the best first. Each step finds what is less near than the one before, so
        the first that fills the list is the last; some of the words are looked for where nothing has all.
        """
        words = query.words
        several = len(query.terms) > 1
        steps = (
            (_CALLED, query.key, Closeness.TITLE),
            (_MATCHING, f"{{name title}} : {words.phrase}", Closeness.IN_TITLE),
            (_MATCHING, words.phrase if several else "", Closeness.PHRASE),
            (_MATCHING, words.every, Closeness.ALL_WORDS),
            (_MATCHING, words.some if several else "", Closeness.SOME_WORDS),
        )
        found: list[FoundSection] = []
        for sql, asked, near in steps:
            if asked:
                found = in_order([*found, *self._found(query, sql, asked, near, max(limit, _NEAR))])
            enough = 1 if near is Closeness.ALL_WORDS else limit
            if near > Closeness.TITLE and len(found) >= enough:
                break
        return self._with_titles(found[:limit])

    def _found(
        self, query: SearchQuery, sql: str, asked: str, near: Closeness, limit: int
    ) -> Iterator[FoundSection]:
        conditions, values = _conditions(query)
        order = " ORDER BY words.rank LIMIT ?" if sql is _MATCHING else " LIMIT ?"
        for row in self._db.rows(sql + conditions + order, (asked, *values, limit)):
            own = closeness(query, row[7], row[6])
            yield _found_in(row, near if own is None else min(near, own))

    def _with_titles(self, found: list[FoundSection]) -> list[FoundSection]:
        """The same, with the titles around each."""
        sql = "SELECT section_id, above FROM section_words WHERE section_id IN ({})"
        above: dict[int, str] = dict(self._db.rows_for(sql, [(each.number,) for each in found]))
        return [
            each._replace(path=(*filter(None, above[each.number].split(_BETWEEN)), *each.path))
            for each in found
        ]

    def snippets(self, query: SearchQuery, found: Collection[int]) -> dict[int, Snippet]:
        """The passage of each section that says it best, looked for in these texts alone: the whole index
        would walk the lists of all common words for each.
        """
        texts = self.texts(found)
        db = self._db
        db.execute(_SHOWN)
        db.execute("DELETE FROM temp.shown")
        db.execute_many("INSERT INTO temp.shown (rowid, text) VALUES (?, ?)", list(texts.items()))
        marked: dict[int, str] = dict(db.rows(_SNIPPET, (query.words.some,)))
        return {
            number: _snippet(marked[number]) if number in marked else _beginning(text)
            for number, text in texts.items()
        }

    def texts(self, found: Collection[int]) -> dict[int, str]:
        """The whole text of sections."""
        sql = "SELECT section_id, text FROM section_words WHERE section_id IN ({})"
        return dict(self._db.rows_for(sql, [(number,) for number in found]))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _add(self, page: IndexedPage) -> None:
        place, seen = page.place, micros(page.seen_at)
        keys = (bytes.fromhex(place.web_key), bytes.fromhex(place.key))
        language = next((section.language for section in page.sections or ()), None)
        said = (place.url, page.title, language, bytes.fromhex(page.capture_id), seen, page.is_mirrored)
        page_id = self._db.number(_PAGE, (*keys, *said))
        if page.sections is not None:
            self._replace(page_id, page.sections, seen)

    def _replace(self, page_id: int, sections: Sequence[PageSection], seen: int) -> None:
        """The sections of a page's new version: those that stay, those that come, those that end."""
        live = {row[1:]: row[0] for row in self._db.rows(_LIVE, (page_id,))}
        alone = len(sections) == 1
        fresh = [
            entry
            for entry in (_entry(section, alone=alone) for section in sections)
            if live.pop((entry.anchor, entry.digest), None) is None
        ]
        ended = [(seen, number) for number in live.values()]
        self._db.execute_many("UPDATE section SET until = ? WHERE section_id = ?", ended)
        if fresh:
            self._insert(page_id, fresh, seen)

    def _insert(self, page_id: int, fresh: Sequence[_Entry], seen: int) -> None:
        db = self._db
        packed = zlib.compress(b"".join(entry.packed for entry in fresh), 9)
        sql = "INSERT INTO passage (page_id, text) VALUES (?, ?) RETURNING passage_id"
        passage = db.number(sql, (page_id, packed))
        start = db.number("SELECT max(section_id) FROM section") + 1
        rows: list[Row] = []
        words: list[Row] = []
        names: list[Row] = []
        first = 0
        for number, entry in enumerate(fresh, start):
            length = len(entry.packed)
            own = (number, page_id, entry.anchor, entry.title, entry.name, entry.kind, entry.digest)
            rows.append((*own, seen, None, passage, first, length))
            words.append((number, entry.name, entry.title, entry.above, entry.text))
            names += [(word, number) for word in called(entry.title, entry.name)]
            first += length
        db.execute_many("INSERT INTO section VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        db.execute_many(_WORDS, words)
        db.execute_many("INSERT INTO called VALUES (?, ?)", names)

    def _set(self, mark: IndexMark) -> None:
        changed = micros(mark.changed_at) if mark.changed_at else None
        self._db.execute("DELETE FROM mark")
        self._db.execute("INSERT INTO mark VALUES (1, ?, ?, ?, ?, ?)", (_RULES, *mark[:3], changed))


def open_search(path: Path | None) -> SqliteSearch:
    """An index, made where there is none; without a path, one in memory."""
    if path is not None:
        make_private(path)
    return SqliteSearch(SqliteDatabase(path or Path(":memory:")))


def _conditions(query: SearchQuery) -> tuple[str, tuple[object, ...]]:
    if query.at is None:
        sql, values = _NOW, []
    else:
        sql, values = _THEN, [micros(query.at)] * 3
    if query.site:
        below = query.site.partition("://")[2] or query.site
        below = below.rstrip("/")
        sql += " AND (p.url GLOB ? OR p.url GLOB ?)"
        escaped = below.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
        return sql, (*values, f"http*://{escaped}/*", f"http*://{escaped}")
    return sql, tuple(values)


class _Entry(NamedTuple):
    """A section on its way into the tables."""

    anchor: str
    title: str
    above: str
    name: str | None
    kind: str
    text: str

    @property
    def packed(self) -> bytes:
        """The titles around it, a mark, its text."""
        return f"{self.above}{_MARK}{self.text}".encode()

    @property
    def digest(self) -> bytes:
        """Equal for sections that say the same: of one page and anchor, eight bytes are enough."""
        return hashlib.sha256(f"{self.name}{_MARK}{self.title}{_MARK}".encode() + self.packed).digest()[:8]


def _entry(section: PageSection, *, alone: bool) -> _Entry:
    """A section as it is found. What stands before the first heading has the page's title around it, not as
    its own, unless it is all there is.
    """
    titles = [" ".join(_clean(title).split()) for title in section.path]
    if not section.anchor and not alone:
        titles.append("")
    title = titles.pop() if titles else ""
    return _Entry(
        anchor=_clean(section.anchor),
        title=title,
        above=_BETWEEN.join(titles),
        name=_clean(section.name) if section.name else None,
        kind=str(section.kind),
        text=_clean(section.text),
    )


def _clean(text: str) -> str:
    """What can be written as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _found_in(row: Row, near: Closeness) -> FoundSection:
    return FoundSection(
        number=row[0],
        place=place_of(*row[1:4]),
        page_title=row[4],
        anchor=row[5],
        path=(row[6],) if row[6] else (),
        name=row[7],
        kind=row[8],
        language=row[9],
        since=moment(row[10]),
        until=moment_or_none(row[11]),
        rank=row[12],
        closeness=near,
    )


def _cut(packed: bytes, first: int, length: int, part: int) -> str:
    """Of a section in a passage: the titles around it (0), or its text (1)."""
    return zlib.decompress(packed)[first : first + length].decode().split(_MARK, 1)[part]


def _snippet(marked: str) -> Snippet:
    text, marks = "", []
    for number, part in enumerate(marked.replace(_END, _START).split(_START)):
        if number % 2:
            marks.append((len(text), len(text) + len(part)))
        text += part
    return Snippet(text, tuple(marks))


def _beginning(text: str) -> Snippet:
    """Where only the title has the words, the text's first ones."""
    return Snippet(text if len(text) <= _BEGINNING else text[:_BEGINNING].rsplit(" ", 1)[0] + _GAP)
