"""Asking an index: which sections have the words, how near each is to what was asked, what they say.

Every step asks the full-text table once, for so many of the best; how near these are is seen by their names,
titles and texts.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from holdfast.adapters.sql.database import Row
from holdfast.adapters.sql.rows import micros, moment, moment_or_none, place_of
from holdfast.adapters.sqlite.connection import SqliteDatabase
from holdfast.adapters.sqlite.search.words import MatchWords, match_words
from holdfast.core.answers.search import Snippet
from holdfast.core.search import Closeness, FoundSection, SearchQuery, closeness, in_order

__all__ = ["BETWEEN", "MARK", "Finder", "number_of"]

BETWEEN: Final = "\n"
MARK: Final = "\x1e"
"""What parts the titles around a section, and those from its text, in a passage."""
_START, _END, _GAP = "\x02", "\x03", "…"
_TOKENS: Final = "porter unicode61 remove_diacritics 2"
_SHOWN: Final = f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.shown USING fts5 (text, tokenize = '{_TOKENS}')"
_SNIPPET: Final = f"""
SELECT rowid, snippet(shown, 0, '{_START}', '{_END}', '{_GAP}', 24) FROM temp.shown WHERE shown MATCH ?
"""
_BEGINNING: Final = 160
_NEAR: Final = 50
"""How many sections are compared by how near they are, at a time."""
_DEEPEST: Final = 20
"""So many times at most, where what has the words does not have them in a row."""

_SECTION: Final = """
s.section_id, p.url, p.url_key, p.web_key, p.title, s.anchor, s.title, s.name, s.kind, p.language, s.since,
s.until
"""
_JOINED: Final = "CROSS JOIN section s ON s.section_id = {} CROSS JOIN page p ON p.page_id = s.page_id"
_MATCHING: Final = (
    f"SELECT {_SECTION}, words.rank FROM words {_JOINED.format('words.rowid')} WHERE words MATCH ?"
)
_CALLED: Final = f"SELECT {_SECTION}, 0.0 FROM called c {_JOINED.format('c.section_id')} WHERE c.name = ?"
_NOW: Final = " AND s.until IS NULL AND p.gone_at IS NULL"
_THEN: Final = (
    " AND s.since <= ? AND (s.until IS NULL OR s.until > ?) AND (p.gone_at IS NULL OR p.gone_at > ?)"
)


class Finder:
    """Questions to the tables of an index."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._tokenize = db.tokenizer("unicode61", "remove_diacritics", "2")

    def find(self, query: SearchQuery, limit: int) -> list[FoundSection]:
        """The sections that answer, the best first. What names and titles say goes before what texts say, so
        these are asked only where the list is not full; some of the words, where nothing has all.
        """
        words = match_words(query, self._tokenize)
        found = in_order([*self._called(query, limit), *self._matching(query, words, words.titled, limit)])
        if sum(each.closeness <= Closeness.IN_TITLE for each in found) < limit:
            found = in_order([*found, *self._matching(query, words, words.every, limit)])
        if not found and words.some:
            rows = self._rows(query, _MATCHING, words.some, limit)
            found = in_order(_found_in(row, Closeness.SOME_WORDS) for row in rows)
        return self._with_titles(found[:limit])

    def _called(self, query: SearchQuery, limit: int) -> Iterator[FoundSection]:
        """The sections that are called so."""
        for row in self._rows(query, _CALLED, number_of(query.key), max(limit, _NEAR)):
            own = closeness(query, row[7], row[6])
            if own is not None:
                yield _found_in(row, own)

    def _matching(
        self, query: SearchQuery, words: MatchWords, asked: str, limit: int
    ) -> Iterator[FoundSection]:
        """The sections that have the words; those in which terms of several words do not stand in a row are
        passed over, and as many more looked at.
        """
        count, size = 0, max(limit, _NEAR)
        rows = self._rows(query, _MATCHING, asked, size * _DEEPEST) if asked else iter(())
        while batch := list(islice(rows, size)):
            for found in self._judged(query, words, batch):
                count += 1
                yield found
            if count >= limit or not words.rows:
                return

    def _judged(self, query: SearchQuery, words: MatchWords, rows: list[Row]) -> Iterator[FoundSection]:
        near = {row[0]: closeness(query, row[7], row[6]) for row in rows}
        unsure = [number for number, own in near.items() if words.rows or (own is None and words.phrase)]
        texts = self._packed(unsure)
        for row in rows:
            number, own = row[0], near[row[0]]
            if number in texts:
                above, text = texts[number].split(MARK, 1)
                parts = [self._tokenize(part) for part in (row[7] or "", row[6], above, text)]
                if not words.are_in(parts):
                    continue
                if own is None and words.phrase and words.phrase.is_in(parts[-1]):
                    own = Closeness.PHRASE
            yield _found_in(row, Closeness.ALL_WORDS if own is None else own)

    def _rows(self, query: SearchQuery, sql: str, asked: str | int, limit: int) -> Iterator[Row]:
        conditions, values = _conditions(query)
        order = " ORDER BY words.rank LIMIT ?" if sql is _MATCHING else " LIMIT ?"
        return self._db.rows(sql + conditions + order, (asked, *values, limit))

    def _with_titles(self, found: list[FoundSection]) -> list[FoundSection]:
        """The same, with the titles around each."""
        packed = self._packed([each.number for each in found])
        above = {number: text.split(MARK, 1)[0].split(BETWEEN) for number, text in packed.items()}
        return [each._replace(path=(*filter(None, above[each.number]), *each.path)) for each in found]

    def _packed(self, numbers: Collection[int]) -> dict[int, str]:
        """What the passages have of sections; each is unpacked once."""
        where = "SELECT section_id, passage_id, first, length FROM section WHERE section_id IN ({})"
        places = list(self._db.rows_for(where, [(number,) for number in numbers])) if numbers else []
        wanted = sorted({place[1] for place in places})
        sql = "SELECT passage_id, text FROM passage WHERE passage_id IN ({})"
        passages = self._db.rows_for(sql, [(number,) for number in wanted]) if wanted else ()
        texts = {number: zlib.decompress(packed) for number, packed in passages}
        return {
            number: texts[passage][first : first + length].decode()
            for number, passage, first, length in places
        }

    def snippets(self, query: SearchQuery, found: Collection[int]) -> dict[int, Snippet]:
        """The passage of each section that says it best, looked for in these texts alone: the whole index
        would walk the lists of all common words for each.
        """
        texts = self.texts(found)
        words = match_words(query, self._tokenize)
        db = self._db
        db.execute(_SHOWN)
        db.execute("DELETE FROM temp.shown")
        db.execute_many("INSERT INTO temp.shown (rowid, text) VALUES (?, ?)", list(texts.items()))
        marked: dict[int, str] = dict(db.rows(_SNIPPET, (words.some or words.every,)))
        return {
            number: _snippet(marked[number]) if number in marked else _beginning(text)
            for number, text in texts.items()
        }

    def texts(self, found: Collection[int]) -> dict[int, str]:
        """The whole text of sections."""
        return {number: packed.split(MARK, 1)[1] for number, packed in self._packed(found).items()}


def number_of(word: str) -> int:
    """What stands for a name in the table of names; that it is not another's is seen by the section."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=6).digest())


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
