"""The `SearchIndex` port on SQLite's FTS5, in a file of its own.

1. The full-text tables hold words alone, one of them those of names and titles; the texts lie compressed
   beside them, those of one version of a page together.
2. A section that a new version of its page leaves as it was keeps its row; what it says anew is a new row,
   and the old one ends (`until`). So one index answers for now and for any date.
3. Whoever writes says from which mark on; where the file is not there any more, nothing is written.
4. What was forgotten leaves no bytes behind: deleted parts are overwritten, the file is compacted.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.core.base.hashing import UrlKey
from holdfast.core.page.search_terms import (
    FoundSection,
    IndexedPage,
    IndexMark,
    PageInIndex,
    SearchQuery,
    Snippet,
    called,
)
from holdfast.core.page.section import PageSection
from holdfast.core.web.rank import Rank
from holdfast.storage.ledger.columns import micros, moment, moment_or_none
from holdfast.storage.sqlite.search_finding import BETWEEN, MARK, Finder, number_of
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase, make_private

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Row

_RULES: Final = "search_4 section_v1"
_VERSION: Final = 5
"""Of the tables; a file that has others is made anew."""
_SCHEMA: Final = Path(__file__).with_name("search.sql")
_WORDS: Final = "INSERT INTO words (rowid, name, title, above, text) VALUES (?, ?, ?, ?, ?)"
_TITLES: Final = "INSERT INTO titles (rowid, name, title) VALUES (?, ?, ?)"
_UNTITLE: Final = """
INSERT INTO titles (titles, rowid, name, title) SELECT 'delete', section_id, name, title FROM section
WHERE page_id = ?
"""
_UNWORD: Final = """
INSERT INTO words (words, rowid, name, title, above, text)
SELECT 'delete', w.section_id, w.name, w.title, w.above, w.text
FROM section s JOIN section_words w ON w.section_id = s.section_id WHERE s.page_id = ?
"""
_PAGE: Final = """
INSERT INTO page (web_key, url_key, url, title, language, capture_id, seen_at, is_mirrored, rank, stamp)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (url_key) DO UPDATE SET web_key = excluded.web_key, title = excluded.title,
    language = coalesce(excluded.language, language), capture_id = excluded.capture_id,
    seen_at = excluded.seen_at, is_mirrored = max(is_mirrored, excluded.is_mirrored),
    rank = excluded.rank, stamp = excluded.stamp
RETURNING page_id
"""
_RENAME: Final = "UPDATE page SET url_key = ?, url = ? WHERE url_key = ?"
_LIVE: Final = """
SELECT section_id, anchor, digest FROM section WHERE page_id = ? AND until IS NULL
"""


class SearchIndex:
    """Sections by their words, now and as they were. Not for two threads at once."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._finder = Finder(db)
        db.define("cut", _cut, 4)
        if not _has_tables(db):
            with db.writing():
                if not _has_tables(db):  # nobody else made them meanwhile
                    db.execute(_SCHEMA.read_text(encoding="utf-8"))

    def mark(self) -> IndexMark | None:
        """Read up to where it is built; None where it is empty, or was made by other rules."""
        row = self._db.row(
            "SELECT store_id, purges, observed, changed_at FROM mark WHERE rules = ?", (_RULES,)
        )
        return IndexMark(row[0], row[1], row[2], moment_or_none(row[3])) if row else None

    def clear(self) -> None:
        """Write: empty it."""
        with self._db.writing():
            for table in ("mark", "page", "passage", "section", "called"):
                self._db.execute(f"DELETE FROM {table}")
            for table in ("words", "titles"):
                self._db.execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")

    def known(self, web_keys: Collection[UrlKey]) -> dict[UrlKey, list[PageInIndex]]:
        """Read what it has of the pages that these keys join."""
        columns = "web_key, url_key, capture_id, seen_at, is_mirrored, rank, stamp"
        sql = f"SELECT {columns} FROM page WHERE web_key IN ({{}})"
        found: dict[UrlKey, list[PageInIndex]] = {}
        for web_key, key, capture, seen, is_mirrored, *rank in self._db.rows_for(
            sql, [(bytes.fromhex(key),) for key in web_keys]
        ):
            own = UrlKey(key.hex())
            page = PageInIndex(own, capture.hex(), moment(seen), bool(is_mirrored), Rank(*rank))
            found.setdefault(UrlKey(web_key.hex()), []).append(page)
        return found

    def add(self, before: IndexMark | None, pages: Sequence[IndexedPage], mark: IndexMark) -> bool:
        """Write pages, in order, and up to where that is. False, and nothing is written, where somebody else
        wrote meanwhile: it is not at `before` any more.
        """
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
        """Write which mirrored pages, by their own keys, are there (None) or gone since when, and that it is
        up to date.
        """
        db = self._db
        with db.writing():
            if self.mark() != before:
                return False
            rows = list(db.rows("SELECT page_id, url_key, gone_at FROM page WHERE is_mirrored"))
            for page_id, key, known in rows:
                gone = standing.get(UrlKey(key.hex()), mark.changed_at)
                gone_at = micros(gone) if gone else None
                if (gone_at is None) != (known is None):
                    db.execute("UPDATE page SET gone_at = ? WHERE page_id = ?", (gone_at, page_id))
            self._set(mark)
        return True

    def forget(self, web_keys: Collection[UrlKey]) -> None:
        """Write: take out the pages that these keys join, every version of them, and leave none of their
        words in the file.
        """
        db = self._db
        db.execute("PRAGMA secure_delete = ON")
        with db.writing():
            sql = "SELECT page_id FROM page WHERE web_key IN ({})"
            for row in list(db.rows_for(sql, [(bytes.fromhex(key),) for key in web_keys])):
                db.execute(_UNWORD, row)
                db.execute(_UNTITLE, row)
                own = "SELECT section_id FROM section WHERE page_id = ?"
                db.execute(f"DELETE FROM called WHERE section_id IN ({own})", row)
                for table in ("section", "passage", "page"):
                    db.execute(f"DELETE FROM {table} WHERE page_id = ?", row)
        for table in ("words", "titles"):
            db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def rebase(self, before: IndexMark, after: IndexMark) -> None:
        """Write that the ledger forgot, from one mark to another, just what was taken out here before it."""
        with self._db.writing():
            built = self.mark()
            if built is not None and before.follows(built):
                self._set(after._replace(observed=min(built.observed, after.observed), changed_at=None))

    def find(self, query: SearchQuery, limit: int) -> list[FoundSection]:
        """Read the sections that answer, the best first."""
        return self._finder.find(query, limit)

    def snippets(self, query: SearchQuery, found: Collection[int]) -> dict[int, Snippet]:
        """Read the passage of each section that says it best."""
        return self._finder.snippets(query, found)

    def texts(self, found: Collection[int]) -> dict[int, str]:
        """Read the whole text of sections."""
        return self._finder.texts(found)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _add(self, page: IndexedPage) -> None:
        place, seen = page.place, micros(page.seen_at)
        keys = (bytes.fromhex(place.web_key), bytes.fromhex(place.key))
        language = next((section.language for section in page.sections or ()), None)
        said = (
            place.url,
            page.title,
            language,
            bytes.fromhex(page.capture_id),
            seen,
            page.is_mirrored,
            *page.rank,
        )
        if page.known_as != place.key:
            self._db.execute(_RENAME, (keys[1], place.url, bytes.fromhex(page.known_as)))
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
            names += [(number_of(word), number) for word in called(entry.title, entry.name)]
            first += length
        db.execute_many("INSERT INTO section VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        db.execute_many(_WORDS, words)
        db.execute_many(_TITLES, [row[:3] for row in words])
        db.execute_many("INSERT INTO called VALUES (?, ?) ON CONFLICT DO NOTHING", names)

    def _set(self, mark: IndexMark) -> None:
        changed = micros(mark.changed_at) if mark.changed_at else None
        self._db.execute("DELETE FROM mark")
        self._db.execute("INSERT INTO mark VALUES (1, ?, ?, ?, ?, ?)", (_RULES, *mark[:3], changed))


def open_search(path: Path | None) -> SearchIndex:
    """An index, made where there is none or one of other tables; without a path, one in memory."""
    if path is None:
        return SearchIndex(SqliteDatabase(Path(":memory:")))
    make_private(path)
    db = SqliteDatabase(path)
    if _has_tables(db) and db.number("PRAGMA user_version") != _VERSION:
        db.close()
        for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            name.unlink(missing_ok=True)
        make_private(path)
        db = SqliteDatabase(path)
    return SearchIndex(db)


def _has_tables(db: SqliteDatabase) -> bool:
    return db.number("SELECT count(*) FROM sqlite_master") > 0


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
        return f"{self.above}{MARK}{self.text}".encode()

    @property
    def digest(self) -> bytes:
        """Equal for sections that say the same: of one page and anchor, eight bytes are enough."""
        return hashlib.sha256(f"{self.name}{MARK}{self.title}{MARK}".encode() + self.packed).digest()[:8]


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
        above=BETWEEN.join(titles),
        name=_clean(section.name) if section.name else None,
        kind=str(section.kind),
        text=_clean(section.text),
    )


def _clean(text: str) -> str:
    """What can be written as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _cut(packed: bytes, first: int, length: int, part: int) -> str:
    """Of a section in a passage: the titles around it (0), or its text (1)."""
    return zlib.decompress(packed)[first : first + length].decode().split(MARK, 1)[part]
