"""The sections of items, and everything that was seen, by number."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from holdfast.core.lineage.chapters import RUN
from holdfast.core.lineage.ledger_values import SeenPage
from holdfast.core.lineage.lineage import Item, Job
from holdfast.core.page.search_terms import IndexMark
from holdfast.core.page.section import KeptSection
from holdfast.core.web.rank import Rank
from holdfast.storage.ledger.columns import (
    CAPTURE,
    CAPTURE_WIDTH,
    ITEM,
    capture_of,
    item_of,
    moment,
    moment_or_none,
    place_of,
    section_bytes,
    section_content,
)

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Database, Row

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
