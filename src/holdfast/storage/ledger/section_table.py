"""The sections of items, and everything that was seen, by number."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.lineage.chapters import RUN
from holdfast.core.lineage.ledger_values import SeenPage
from holdfast.core.lineage.lineage import Item, Job
from holdfast.core.page.search_terms import IndexMark
from holdfast.core.page.section import KeptSection, SectionMove
from holdfast.core.url.policy import Recipe
from holdfast.core.web.rank import Rank
from holdfast.storage.ledger.columns import (
    CAPTURE,
    CAPTURE_WIDTH,
    ITEM,
    capture_of,
    item_of,
    micros,
    moment,
    moment_or_none,
    place_of,
    section_bytes,
    section_content,
)

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Database, Row

_FOREVER: Final = 2**62
_COLUMNS: Final = "s.anchor, s.path, s.name, s.kind, s.content"
_SECTION_COLUMNS: Final = "item_seq, ord, anchor, path, name, kind, content"
_OF_ITEMS: Final = f"""
WITH wanted (item_id) AS ({{}})
SELECT w.item_id, {_COLUMNS} FROM wanted w CROSS JOIN item i CROSS JOIN section s
WHERE i.item_id = w.item_id AND s.item_seq = i.item_seq ORDER BY w.item_id, s.ord
"""
_MARK: Final = """
SELECT (SELECT store_id FROM store WHERE is_own = 1), (SELECT purges FROM purge_count),
       (SELECT max(observation_id) FROM observation), (SELECT max(updated_at) FROM run_progress)
"""
_SEEN: Final = f"""
SELECT {CAPTURE}, o.observation_id, ou.url, ou.url_key, ou.web_key, o.fetched_at, i.title, own.job,
       o.rank, o.stamp
FROM observation o JOIN url ou ON ou.url_id = o.url_id JOIN run own ON own.run_seq = o.run_seq
JOIN item i ON i.item_seq = o.item_seq JOIN capture c ON c.capture_seq = i.capture_seq
JOIN run r ON r.run_seq = c.run_seq JOIN url u ON u.url_id = c.url_id
LEFT JOIN archive_file f ON f.file_id = c.file_id
WHERE o.observation_id > $1 AND o.observation_id <= $2 ORDER BY o.observation_id
"""
# Whether a page is there now its own row says, if it has one; whether it was, the times say when it left.
_SHOWN: Final = f"""(
    SELECT item_seq FROM observation o WHERE o.recipe_id = w.recipe_id AND o.url_id = m.url_id
    AND o.fetched_at <= {{0}} AND coalesce((
        SELECT g.gone_at IS NULL FROM page g
        WHERE g.label_id = w.label_id AND g.url_id = m.url_id AND {{0}} = {_FOREVER}),
        o.fetched_at > coalesce((
            SELECT max(x.left_at) FROM absence x
            WHERE x.url_id = m.url_id AND x.label_id = w.label_id AND x.left_at <= {{0}}), 0))
    ORDER BY o.rank DESC, o.stamp DESC, o.observation_id DESC LIMIT 1)"""
# Only pages that were looked at between the two moments, or left, can differ: what they showed at each.
_BETWEEN: Final = f"""
WITH wanted (old, new, label_id, recipe_id) AS (VALUES ($1, $2,
    (SELECT label_id FROM label WHERE name = $3), (SELECT recipe_id FROM recipe WHERE version = $4))),
moved (url_id) AS MATERIALIZED (
    SELECT o.url_id FROM wanted w CROSS JOIN run r CROSS JOIN run_progress g CROSS JOIN observation o
    WHERE r.label_id = w.label_id AND g.run_seq = r.run_seq AND g.updated_at > w.old
    AND r.started_at <= w.new AND o.run_seq = r.run_seq AND o.recipe_id = w.recipe_id
    AND o.fetched_at > w.old AND o.fetched_at <= w.new
    UNION SELECT x.url_id FROM wanted w CROSS JOIN absence x
    WHERE x.label_id = w.label_id AND x.left_at > w.old AND x.left_at <= w.new),
pair (url_id, a, b) AS MATERIALIZED (
    SELECT m.url_id, {_SHOWN.format("w.old")}, {_SHOWN.format("w.new")} FROM moved m CROSS JOIN wanted w)
SELECT u.url, u.url_key, u.web_key, t.anchor, t.path, t.name, t.kind, t.content, {_COLUMNS}, s.ord AS place
FROM pair p CROSS JOIN url u CROSS JOIN section s
LEFT JOIN section t ON t.item_seq = p.a AND t.anchor = s.anchor
WHERE u.url_id = p.url_id AND s.item_seq = p.b AND p.a IS DISTINCT FROM p.b
AND s.content IS DISTINCT FROM t.content
UNION ALL
SELECT u.url, u.url_key, u.web_key, {_COLUMNS}, NULL, NULL, NULL, NULL, NULL, s.ord
FROM pair p CROSS JOIN url u CROSS JOIN section s
WHERE u.url_id = p.url_id AND s.item_seq = p.a AND p.a IS DISTINCT FROM p.b AND NOT EXISTS (
    SELECT 1 FROM section t WHERE t.item_seq = p.b AND t.anchor = s.anchor)
ORDER BY 1, 14, 9 NULLS FIRST
"""


class SectionTable:
    """The sections of items (SCT-2), and everything that was seen, by number. `Ledger.commit` writes it."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def of_item(self, item_id: str) -> tuple[KeptSection, ...]:
        """Read an item's sections, in order; none where they were not read yet."""
        sql = f"""
        SELECT {_COLUMNS} FROM section s
        WHERE s.item_seq = (SELECT item_seq FROM item WHERE item_id = $1) ORDER BY s.ord
        """
        return tuple(_facts(row) for row in self._db.rows(sql, (bytes.fromhex(item_id),)))

    def of_items(self, items: Collection[str]) -> dict[str, tuple[KeptSection, ...]]:
        """Read the same of many items at once; one without sections is left out."""
        found: dict[str, list[KeptSection]] = {}
        for row in self._db.rows_for(_OF_ITEMS, [(bytes.fromhex(item),) for item in items]):
            found.setdefault(row[0].hex(), []).append(_facts(row[1:]))
        return {item: tuple(sections) for item, sections in found.items()}

    def between(
        self, label: str, recipe: Recipe, old: datetime, new: datetime | None = None
    ) -> Iterator[SectionMove]:
        """Read which sections of a label's pages differ between two moments, by URL and place on the page;
        without `new`, between then and now.
        """
        values = (micros(old), micros(new) if new else _FOREVER, label, str(recipe))
        for row in self._db.stream(_BETWEEN, values):
            before, after = row[3:8], row[8:13]
            yield SectionMove(
                place_of(*row[:3]),
                _facts(before) if before[1] is not None else None,
                _facts(after) if after[1] is not None else None,
            )

    def unread(self, run_id: str) -> tuple[Item, ...]:
        """Read which items of a run have no sections yet: an earlier Holdfast made them."""
        sql = ITEM + (
            "WHERE i.item_seq IN (SELECT item_seq FROM observation WHERE run_seq = $1) AND i.run_seq = $1"
            " AND NOT EXISTS (SELECT 1 FROM section s WHERE s.item_seq = i.item_seq) ORDER BY i.item_seq"
        )
        number = self._session.run(run_id).run_seq
        return tuple(item_of(row) for row in self._db.rows(sql, (number,)))

    def fill(self, sections: Mapping[str, tuple[KeptSection, ...]]) -> int:
        """Write the sections of items that have none, by item id. How many items that were."""
        sql = """
        SELECT i.item_seq, r.run_id FROM item i JOIN run r USING (run_seq) WHERE i.item_id = $1
        AND NOT EXISTS (SELECT 1 FROM section s WHERE s.item_seq = i.item_seq)
        """
        with self._session.writing():
            found = [(self._db.row(sql, (bytes.fromhex(name),)), own) for name, own in sections.items()]
            self._session.touch(*(RUN + row[1] for row, _ in found if row))
            write_sections(self._db, [(row[0], own) for row, own in found if row])
        return sum(row is not None for row, _ in found)

    def mark(self) -> IndexMark:
        """Read up to where this ledger is written."""
        row = self._db.row(_MARK) or ("", 0, 0, None)
        return IndexMark(row[0] or "", row[1] or 0, row[2] or 0, moment_or_none(row[3]))

    def seen_after(self, number: int, last: int) -> Iterator[SeenPage]:
        """Read what was observed after an observation, and up to another, in the order it was written."""
        for row in self._db.stream(_SEEN, (number, last)):
            number, *place, seen_at, title, job, anchor, stamp = row[CAPTURE_WIDTH:]
            rank = Rank(anchor, stamp)
            yield SeenPage(number, place_of(*place), moment(seen_at), title, Job(job), capture_of(row), rank)


def write_sections(db: Database, items: Iterable[tuple[int, tuple[KeptSection, ...]]]) -> None:
    """The sections of items, by the items' numbers."""
    rows: list[Row] = []
    for number, sections in items:
        paths = _path_texts([section.path for section in sections])
        rows += [
            (number, ord_, anchor, path, name, kind, section_bytes(content))
            for ord_, ((anchor, _, name, kind, content), path) in enumerate(zip(sections, paths, strict=True))
        ]
    db.append("section", _SECTION_COLUMNS, rows)


def _path_texts(paths: list[tuple[str, ...]]) -> list[str]:
    """Each path as JSON. All are encoded at once: a line break, which is in no encoded text, stands between
    titles at first, and then between paths only.
    """
    if not paths:
        return []
    return _encode_paths(paths)[1:-1].replace("],\n[", "]\n[").replace(",\n", ", ").split("\n")


_encode_paths: Final = json.JSONEncoder(ensure_ascii=False, separators=(",\n", ": ")).encode


def _facts(row: Row) -> KeptSection:
    return KeptSection(row[0], tuple(json.loads(row[1])), row[2], row[3], section_content(row[4]))
