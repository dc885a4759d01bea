"""What was observed, asked for by URL, by run, by item."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import Brought, Observation, PageLink, Relations
from holdfast.core.lineage.lineage import CaptureRecord, Edge, Item
from holdfast.core.page.page import LinkKind
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import (
    CAPTURE,
    CAPTURE_WIDTH,
    ITEM,
    capture_of,
    edge_of,
    item_of,
    micros,
    place_of,
)
from holdfast.storage.ledger.kept_sums import brought
from holdfast.storage.ledger.page_table import LINK, link_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession
    from holdfast.storage.ledger.database import Row

_ITEM_COLUMNS: Final = """
    i.item_id, ir.run_id, p.version, iu.url, iu.url_key, iu.web_key, i.content_sha256, ic.capture_id,
    i.created_at, i.title
"""
_OBSERVED: Final = f"""
SELECT {CAPTURE}, {_ITEM_COLUMNS}
FROM {{captures}} JOIN run r ON r.run_seq = c.run_seq JOIN url u ON u.url_id = c.url_id
LEFT JOIN archive_file f ON f.file_id = c.file_id
LEFT JOIN observation o ON o.capture_seq = c.capture_seq AND {{observed}}
LEFT JOIN item i ON i.item_seq = o.item_seq
LEFT JOIN run ir ON ir.run_seq = i.run_seq LEFT JOIN recipe p ON p.recipe_id = i.recipe_id
LEFT JOIN url iu ON iu.url_id = i.url_id LEFT JOIN capture ic ON ic.capture_seq = i.capture_seq
"""
# Both indexes give numbers in order: they are merged as they are read, and the first row is there at once.
_CAPTURES_OF_RUN: Final = """(
    SELECT capture_seq FROM capture WHERE run_seq = $1
    UNION SELECT capture_seq FROM observation WHERE run_seq = $1 ORDER BY capture_seq) AS w
CROSS JOIN capture c
"""
# A run observes under its own recipe alone. Saying so lets the unique index find the one observation of each
# capture; by the run alone, each capture would walk all observations of the run.
_OF_RUN: Final = (
    _OBSERVED.format(captures=_CAPTURES_OF_RUN, observed="o.recipe_id = $2 AND o.run_seq = $1")
    + "WHERE c.capture_seq = w.capture_seq ORDER BY w.capture_seq"
)
# What was asked for by that key, and what showed an item of that key: a policy may have merged addresses.
_OF_KEY: Final = """
WHERE c.capture_seq IN (
    SELECT k.capture_seq FROM url a JOIN capture k ON k.url_id = a.url_id WHERE a.web_key = $2
    UNION SELECT s.capture_seq FROM url b CROSS JOIN recipe q CROSS JOIN observation s
    WHERE b.web_key = $2 AND s.recipe_id = q.recipe_id AND s.url_id = b.url_id)
ORDER BY c.rank, c.stamp, c.capture_seq, o.observation_id
"""
# First which, as numbers, then their rows a few hundred at a time: whoever reads only some pays for some.
_BROUGHT: Final = """
SELECT item_seq, capture_seq FROM item WHERE run_seq = $1 AND capture_seq > $2 AND capture_seq < $3
ORDER BY capture_seq
"""
_FIRST_BROUGHT, _MOST_BROUGHT, _NO_END = 256, 65_536, 2**62
"""Items of a run that are looked up at a time: few at first, for who reads a part; more for who reads on."""
_BROUGHT_ROWS: Final = f"""
WITH wanted (item_seq) AS ({{}})
SELECT {CAPTURE}, {_ITEM_COLUMNS} FROM wanted w CROSS JOIN item i
JOIN capture c ON c.capture_seq = i.capture_seq
JOIN run r ON r.run_seq = c.run_seq JOIN url u ON u.url_id = c.url_id
LEFT JOIN archive_file f ON f.file_id = c.file_id JOIN run ir ON ir.run_seq = i.run_seq
JOIN recipe p ON p.recipe_id = i.recipe_id JOIN url iu ON iu.url_id = i.url_id
JOIN capture ic ON ic.capture_seq = i.capture_seq
WHERE i.item_seq = w.item_seq ORDER BY i.capture_seq
"""
_LAST: Final = """
FROM observation o WHERE o.recipe_id = (SELECT recipe_id FROM recipe WHERE version = $1)
AND o.url_id = (SELECT url_id FROM url WHERE url_key = $2)
ORDER BY o.rank DESC, o.stamp DESC, o.observation_id DESC LIMIT 1
"""
_LAST_UNTIL: Final = _LAST.replace("ORDER BY", "AND o.fetched_at <= $3 ORDER BY")
_LAST_SHOWN: Final = f"""
WITH wanted (item_id) AS ({{}})
SELECT {CAPTURE}, w.item_id FROM wanted w CROSS JOIN item i CROSS JOIN capture c
JOIN run r ON r.run_seq = c.run_seq JOIN url u ON u.url_id = c.url_id
LEFT JOIN archive_file f ON f.file_id = c.file_id
WHERE i.item_id = w.item_id AND c.capture_seq = (
    SELECT h.capture_seq FROM observation o CROSS JOIN capture h CROSS JOIN run s
    WHERE o.recipe_id = i.recipe_id AND o.url_id = i.url_id AND o.item_seq = i.item_seq
    AND h.capture_seq = o.capture_seq AND h.status BETWEEN 200 AND 299
    AND s.run_seq = h.run_seq AND s.label_id = (SELECT label_id FROM label WHERE name = $2)
    ORDER BY o.rank DESC, o.stamp DESC, o.observation_id DESC LIMIT 1)
"""
_IMAGES: Final = f"""
SELECT DISTINCT t.url, t.url_key, t.web_key
FROM recipe q CROSS JOIN observation o CROSS JOIN link k CROSS JOIN url t
WHERE o.recipe_id = q.recipe_id AND o.url_id = (SELECT url_id FROM url WHERE url_key = $1)
AND k.observation_id = o.observation_id AND k.kind = '{LinkKind.IMAGE}' AND t.url_id = k.url_id ORDER BY 1
"""
_EDGES: Final = """
SELECT e.kind, s.item_id, t.item_id, e.metadata FROM edge e
JOIN item s ON s.item_seq = e.source_seq JOIN item t ON t.item_seq = e.target_seq
"""


class HistoryTable:
    """What was observed: captures, the items they showed, edges, links. `Ledger.commit` alone writes it."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def last_capture(self, label: str, key: UrlKey) -> CaptureRecord | None:
        """Read the last capture that a mirror's run took of a page."""
        sql = f"""
        SELECT {CAPTURE} FROM capture c JOIN run r ON r.run_seq = c.run_seq
        JOIN label l ON l.label_id = r.label_id JOIN url u ON u.url_id = c.url_id
        LEFT JOIN archive_file f ON f.file_id = c.file_id
        WHERE c.url_id = (SELECT url_id FROM url WHERE url_key = $1) AND c.status BETWEEN 200 AND 299
        AND l.name = $2 ORDER BY c.rank DESC, c.stamp DESC, c.capture_seq DESC LIMIT 1
        """
        row = self._db.row(sql, (bytes.fromhex(key), label))
        return capture_of(row) if row else None

    def last_shown(self, label: str, items: Collection[str]) -> dict[str, CaptureRecord]:
        """Read, for each of these items, the last answer with a body in a mirror's runs that showed it: what
        the files of its pages are made of.
        """
        wanted = [(bytes.fromhex(item),) for item in items]
        rows = self._db.rows_for(_LAST_SHOWN, wanted, (label,))
        return {row[CAPTURE_WIDTH].hex(): capture_of(row) for row in rows}

    def current_item(self, recipe: Recipe, key: UrlKey) -> Item | None:
        """Read a URL's current item, from its own captures in order (LIN-5)."""
        sql = ITEM + f"WHERE i.item_seq = (SELECT o.item_seq {_LAST})"
        row = self._db.row(sql, (str(recipe), bytes.fromhex(key)))
        return item_of(row) if row else None

    def items(self, item_id: str) -> tuple[Item, ...]:
        """Read the items whose id begins so; at most ten."""
        low, high = _range(item_id)
        sql = ITEM + "WHERE i.item_id >= $1 AND i.item_id <= $2 ORDER BY i.item_id LIMIT 10"
        return tuple(item_of(row) for row in self._db.rows(sql, (low, high)))

    def of_url(self, web_key: UrlKey, recipe: Recipe | None = None) -> Iterator[Observation]:
        """Read a URL's captures in order, those too that only under some recipe showed an item of it; with no
        recipe named, each under every recipe that saw it.
        """
        observed = "coalesce((SELECT recipe_id FROM recipe WHERE version = $1), o.recipe_id) = o.recipe_id"
        if recipe is not None:
            observed = "o.recipe_id = (SELECT recipe_id FROM recipe WHERE version = $1)"
        sql = _OBSERVED.format(captures="capture c", observed=observed) + _OF_KEY
        for row in self._db.stream(sql, (str(recipe) if recipe else None, bytes.fromhex(web_key))):
            yield _observation(row)

    def of_run(self, run_id: str) -> Iterator[Observation]:
        """Read a run's captures in the order they were written."""
        known = self._session.run(run_id)
        values = (known.run_seq, known.recipe_id)
        for row in self._db.stream(_OF_RUN, values):
            yield _observation(row)

    def brought_by(self, run_id: str, after: str = "", *, backward: bool = False) -> Iterator[Observation]:
        """Read the captures by which a run brought something new, in the order they were written, from the
        first one after a capture's id; or backward, from the last one on.
        """
        run, order, limit = self._session.run(run_id).run_seq, " DESC" if backward else "", _FIRST_BROUGHT
        known = "SELECT capture_seq FROM capture WHERE capture_id = $1"
        low, high = self._db.number(known, (bytes.fromhex(after),)) if after else 0, _NO_END
        while numbers := list(self._db.rows(f"{_BROUGHT}{order} LIMIT $4", (run, low, high, limit))):
            for row in self._db.rows_for(_BROUGHT_ROWS + order, [row[:1] for row in numbers]):
                yield _observation(row)
            if len(numbers) < limit:
                return
            low, high = (low, numbers[-1][1]) if backward else (numbers[-1][1], high)
            limit = min(limit * 16, _MOST_BROUGHT)

    def count_brought(self, run_id: str) -> Brought:
        """Read how many URLs a run saw for the first time, and how many it found changed."""
        return brought(self._db, self._session.run(run_id).run_seq)

    def relations(self, item_id: str) -> Relations:
        """Read an item's edges."""
        return Relations(outgoing=self._edges("s", item_id), incoming=self._edges("t", item_id))

    def links_of(self, recipe: Recipe, key: UrlKey, until: datetime | None = None) -> tuple[PageLink, ...]:
        """Read the links of a URL's current item, as its last observation had them, or the last one up to a
        moment.
        """
        last = _LAST_UNTIL if until else _LAST
        sql = f"""
        SELECT {LINK} FROM link k JOIN url t ON t.url_id = k.url_id
        WHERE k.observation_id = (SELECT coalesce(o.links_of, o.observation_id) {last}) ORDER BY k.ord
        """
        values = (str(recipe), bytes.fromhex(key), *((micros(until),) if until else ()))
        return tuple(link_of(row) for row in self._db.stream(sql, values))

    def images_of(self, key: UrlKey) -> tuple[Place, ...]:
        """Read which images a URL has shown, in whatever version and under whatever recipe, by URL."""
        return tuple(place_of(*row) for row in self._db.rows(_IMAGES, (bytes.fromhex(key),)))

    def _edges(self, end: str, item_id: str) -> tuple[Edge, ...]:
        sql = _EDGES + f"WHERE {end}.item_id = $1 ORDER BY e.kind, s.item_id, t.item_id"
        return tuple(edge_of(row) for row in self._db.rows(sql, (bytes.fromhex(item_id),)))


def _observation(row: Row) -> Observation:
    item = row[CAPTURE_WIDTH:]
    return Observation(capture_of(row), item_of(item) if item[0] is not None else None)


def _range(beginning: str) -> tuple[bytes, bytes]:
    """The least and the greatest id that begin so."""
    return bytes.fromhex(beginning.ljust(64, "0")), bytes.fromhex(beginning.ljust(64, "f"))
