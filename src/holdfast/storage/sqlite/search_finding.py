"""Asking an index: which sections have the words, how near each is to what was asked, what they say.

Every step asks the full-text table for so many of the best; how near these are is seen by names and titles.
Where very many sections have the words, the best are those among the first of them (SRC-1; why:
docs/internals/decisions/search.md).
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.page.search_terms import Closeness, FoundSection, SearchQuery, Snippet, closeness, in_order
from holdfast.storage.ledger.columns import micros, moment, moment_or_none, place_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Row
    from holdfast.storage.sqlite.sqlite_file import SqliteDatabase

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
"""How many sections are compared by how near they are."""
_MOST_RANKED: Final = 4096
"""Sections that are ranked in one step; all that have a word that stands everywhere would take too long."""
_SENTENCE: Final = 4
"""So many words that stand somewhere in a row are what was looked for."""

_SECTION: Final = """
s.section_id, p.url, p.url_key, p.web_key, p.title, s.anchor, s.title, s.name, s.kind, p.language, s.since,
s.until
"""
_JOINED: Final = "CROSS JOIN section s ON s.section_id = {} CROSS JOIN page p ON p.page_id = s.page_id"
_MATCH: Final = (
    f"SELECT {_SECTION}, {{0}}.rank AS rank FROM {{0}} {_JOINED.format('{0}.rowid')} WHERE {{0}} MATCH ?"
)
_MATCHING, _TITLED = _MATCH.format("words"), _MATCH.format("titles")
_BEST: Final = "SELECT * FROM ({} ORDER BY {}.rowid LIMIT ?) ORDER BY rank LIMIT ?"
_CALLED: Final = f"SELECT {_SECTION}, 0.0 FROM called c {_JOINED.format('c.section_id')} WHERE c.name = ?"
_NOW: Final = " AND s.until IS NULL AND p.gone_at IS NULL"
_THEN: Final = (
    " AND s.since <= ? AND (s.until IS NULL OR s.until > ?) AND (p.gone_at IS NULL OR p.gone_at > ?)"
)


class Finder:
    """Questions to the tables of an index."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def find(self, query: SearchQuery, limit: int) -> list[FoundSection]:
        """The sections that answer, the best first. Each step finds what is less near than the one before, so
        the first that fills the list is the last. Some of the words are looked for where nothing has all, and
        what only has the words of a sentence where nothing says it as it stands.
        """
        words = query.words
        several = len(query.terms) > 1
        in_a_row = words.phrase if several and words.phrase != f"({words.every})" else ""
        sentence = len(query.text.split()) >= _SENTENCE
        steps = (
            (_CALLED, number_of(query.key), Closeness.TITLE, limit),
            (_TITLED, words.phrase, Closeness.IN_TITLE, limit),
            (_MATCHING, in_a_row, Closeness.PHRASE, 1 if sentence else limit),
            (_MATCHING, words.every, Closeness.ALL_WORDS, 1),
            (_MATCHING, words.some if several else "", Closeness.SOME_WORDS, limit),
        )
        found: list[FoundSection] = []
        for sql, asked, near, enough in steps:
            if asked:
                found = in_order([*found, *self._found(query, sql, asked, near, max(limit, _NEAR))])
            if near > Closeness.TITLE and len(found) >= enough:
                break
        return self._with_titles(found[:limit])

    def _found(
        self, query: SearchQuery, sql: str, asked: str | int, near: Closeness, limit: int
    ) -> Iterator[FoundSection]:
        conditions, values = _conditions(query)
        if sql is not _CALLED:
            best = _BEST.format(sql + conditions, "words" if sql is _MATCHING else "titles")
            rows = self._db.rows(best, (asked, *values, _MOST_RANKED, limit))
        else:
            rows = self._db.rows(sql + conditions + " LIMIT ?", (asked, *values, limit))
        for row in rows:
            own = closeness(query, row[7], row[6])
            if own is not None or sql is not _CALLED:  # two names may have one number
                yield _found_in(row, near if own is None else min(near, own))

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
        return {number: packed.split(MARK, 1)[1] for number, packed in self._packed(found).items()}


def number_of(word: str) -> int:
    """What stands for a name in the table of names; that it is not another's is seen by the section."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=6).digest())


def _conditions(query: SearchQuery) -> tuple[str, tuple[object, ...]]:
    if query.at is None:
        sql, values = _NOW, list[object]()
    else:
        sql, values = _THEN, [micros(query.at)] * 3
    if query.kind:
        sql += " AND s.kind = ?"
        values.append(str(query.kind))
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
