"""One transaction under way: what was looked up before it began, what it decided, the rows it will write.

1. What can be asked for many findings at once is asked at once, before the first is judged. What earlier
   findings of the batch bring stands beside it: the next is judged as if they were written already.
2. Rows are gathered and written together, table by table, each table after those that it refers to.
3. Numbers are given here: nobody else writes while the transaction is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from holdfast.adapters.sqlite.connection import Database, Row
from holdfast.adapters.sqlite.rows import ITEM_COLUMNS, ITEM_JOINS, ITEM_WIDTH, item_of, moment
from holdfast.adapters.sqlite.session import KnownRun
from holdfast.core.hashing import ContentHash, UrlKey
from holdfast.core.ledger import Committed, PageLink, Place
from holdfast.core.lineage import CaptureRecord, Edge, Item

__all__ = ["Batch", "Last", "Seen"]

_CAPTURES: Final = "SELECT capture_id, capture_seq FROM capture WHERE capture_id IN ({})"
_LAST: Final = f"""
WITH wanted (url_id) AS (VALUES {{}})
SELECT {ITEM_COLUMNS}, w.url_id, o.item_seq, coalesce(o.links_of, o.observation_id), o.links_digest,
       o.fetched_at
FROM wanted w JOIN observation o ON o.observation_id = (
    SELECT observation_id FROM observation WHERE recipe_id = ? AND url_id = w.url_id
    ORDER BY fetched_at DESC, observation_id DESC LIMIT 1)
JOIN item i ON i.item_seq = o.item_seq {ITEM_JOINS}
"""
_NEWEST: Final = f"""
WITH wanted (content) AS (VALUES {{}})
SELECT {ITEM_COLUMNS} FROM wanted w JOIN item i ON i.item_seq = (
    SELECT item_seq FROM item WHERE recipe_id = ? AND content_sha256 = w.content
    ORDER BY created_at DESC, item_id DESC LIMIT 1)
{ITEM_JOINS}
"""
_NUMBERS: Final = """
SELECT (SELECT max(capture_seq) FROM capture), (SELECT max(item_seq) FROM item),
       (SELECT max(observation_id) FROM observation),
       (SELECT created_at FROM item ORDER BY item_seq DESC LIMIT 1)
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a capture showed: the item, and which observation holds the links."""

    url_id: int
    item_seq: int
    links_of: int
    capture: CaptureRecord
    item: Item


@dataclass(frozen=True, slots=True)
class Last:
    """What a URL showed last under the run's recipe."""

    item_seq: int
    links_of: int
    links_digest: bytes
    fetched_at: int
    item: Item


@dataclass(slots=True)
class Batch:
    """What one transaction knows and gathers; see the top of this file."""

    db: Database
    run: KnownRun
    at: datetime
    numbers: dict[UrlKey, int]
    captures: dict[bytes, int] = field(default_factory=dict)
    last: dict[int, Last] = field(default_factory=dict)
    by_content: dict[ContentHash, Item | None] = field(default_factory=dict)
    by_url: dict[int, Item] = field(default_factory=dict)
    seen: dict[str, tuple[Committed, Seen]] = field(default_factory=dict)
    files: dict[str, tuple[int, int]] = field(default_factory=dict)
    new_captures: list[Row] = field(default_factory=list)
    new_items: list[Row] = field(default_factory=list)
    new_edges: list[tuple[int, Edge]] = field(default_factory=list)
    new_observations: list[Row] = field(default_factory=list)
    new_links: list[tuple[int, tuple[PageLink, ...]]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    pages: list[tuple[str, Row]] = field(default_factory=list)
    _capture: int = 0
    _item: int = 0
    _observation: int = 0
    _newest: int = 0

    def __post_init__(self) -> None:
        row = self.db.row(_NUMBERS) or (0, 0, 0, 0)
        self._capture, self._item, self._observation, self._newest = (number or 0 for number in row)

    def look_up(self, capture_ids: Iterable[bytes], url_ids: Iterable[int]) -> None:
        """Which captures are there already, and what the URLs showed last."""
        self.captures = dict(self.db.rows_for(_CAPTURES, [(name,) for name in capture_ids]))
        for row in self.db.rows_for(_LAST, [(number,) for number in url_ids], (self.run.recipe_id,)):
            url_id, item_seq, links_of, links_digest, fetched_at = row[ITEM_WIDTH:]
            self.last[url_id] = Last(item_seq, links_of, links_digest, fetched_at, item_of(row))

    def newest_of(self, contents: Iterable[ContentHash]) -> None:
        """Look up the newest item with each of these contents."""
        wanted = dict.fromkeys(contents)
        self.by_content |= wanted
        hashes = [(bytes.fromhex(content),) for content in wanted]
        for row in self.db.rows_for(_NEWEST, hashes, (self.run.recipe_id,)):
            item = item_of(row)
            self.by_content[item.content_sha256] = item

    def next_capture(self, capture_id: bytes) -> int:
        """The number of a new capture."""
        self._capture += 1
        self.captures[capture_id] = self._capture
        return self._capture

    def next_observation(self) -> int:
        """The number of a new observation."""
        self._observation += 1
        return self._observation

    @property
    def next_moment(self) -> datetime:
        """When the next item is created: never together with another."""
        return max(self.at, moment(self._newest + 1))

    def add_item(self, url_id: int, item: Item, created_at: int) -> int:
        """The number of a new item, which is from now on the newest of its URL and content."""
        self._item += 1
        self._newest = created_at
        self.by_url[url_id] = item
        self.by_content[item.content_sha256] = item
        return self._item

    def show(self, url_id: int, last: Last) -> None:
        """A URL showed something: the last it showed, unless that was known to be later."""
        before = self.last.get(url_id)
        if before is None or last.fetched_at >= before.fetched_at:
            self.last[url_id] = last
