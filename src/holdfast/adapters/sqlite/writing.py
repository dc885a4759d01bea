"""A batch of findings as one transaction. The verdict is decided inside it, so no look-up can miss an
item that another writer commits meanwhile (LIN-6).

Items are created in strict order: an item's time is the caller's, or one microsecond after the latest
item's, whichever is later. So "the most recently created" is never a matter of chance, and equal content
that arrives in one batch forms a chain, not a fan.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from holdfast.adapters.sqlite.checkout import CheckoutTable, Seen
from holdfast.adapters.sqlite.rows import ITEM, edge_of, item_of, micros, moment
from holdfast.adapters.sqlite.runs import KnownRun
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import Committed, Confirmed, Draft, Finding, PageLink, Place
from holdfast.core.lineage import (
    CaptureRecord,
    Edge,
    EdgeKind,
    Item,
    New,
    RecordRef,
    Superseding,
    Unchanged,
    Verdict,
    item_id,
)
from holdfast.core.verdict import Matches, decide

__all__ = ["WritingTable", "links_digest"]

_CAPTURE: Final = """
INSERT INTO capture (capture_id, run_seq, url_id, requested_url, final_url, status, fetched_at, content_type,
                     etag, last_modified, payload_sha256, file_id, file_offset, file_length)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING capture_seq
"""
_ARCHIVE_FILE: Final = """
INSERT INTO archive_file (name, committed_end) VALUES (?, 0)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING file_id
"""
_ARCHIVE_END: Final = "UPDATE archive_file SET committed_end = max(committed_end, ?) WHERE file_id = ?"
_LAST: Final = """
SELECT item_seq, coalesce(links_of, observation_id), links_digest FROM observation
WHERE recipe_id = ? AND url_id = ? ORDER BY fetched_at DESC, observation_id DESC LIMIT 1
"""
_AGAIN: Final = """
SELECT item_seq, coalesce(links_of, observation_id), url_id FROM observation
WHERE capture_seq = ? AND recipe_id = ?
"""
_NEWEST: Final = ITEM + "WHERE i.recipe_id = ? AND {} ORDER BY i.created_at DESC, i.item_id DESC LIMIT 1"
_NEWEST_BY_URL: Final = _NEWEST.format("i.url_id = ?")
_NEWEST_BY_CONTENT: Final = _NEWEST.format("i.content_sha256 = ?")
_ITEM: Final = """
INSERT INTO item (item_id, run_seq, recipe_id, url_id, capture_seq, content_sha256, created_at, title)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING item_seq
"""
_EDGE: Final = """
INSERT INTO edge (source_seq, kind, target_seq, metadata)
SELECT ?, ?, item_seq, ? FROM item WHERE item_id = ?
"""
_OBSERVATION: Final = """
INSERT INTO observation (capture_seq, recipe_id, run_seq, url_id, item_seq, fetched_at, links_digest,
                         links_of)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING observation_id
"""
_OUT: Final = """
SELECT e.kind, s.item_id, t.item_id, e.metadata FROM edge e
JOIN item s ON s.item_seq = e.source_seq JOIN item t ON t.item_seq = e.target_seq
WHERE e.source_seq = ? AND e.kind = ?
"""


@dataclass(slots=True)
class _Batch:
    """One transaction: whose it is, the newest item's time so far, how far archive files reach."""

    run: KnownRun
    at: datetime
    newest: int
    files: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def next_moment(self) -> datetime:
        """When the next item is created: never together with another."""
        return max(self.at, moment(self.newest + 1))


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A capture under judgement: the batch it comes in, the place it speaks of."""

    batch: _Batch
    capture_seq: int
    capture: CaptureRecord
    place: Place
    url_id: int

    @property
    def run(self) -> KnownRun:
        """The run whose recipe it is judged by."""
        return self.batch.run


@dataclass(frozen=True, slots=True)
class _Last:
    """What a URL showed last under a recipe."""

    item_seq: int
    links_of: int
    links_digest: bytes
    item: Item


class WritingTable(CheckoutTable):
    """`PageLedger.commit`."""

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        with self._writing():
            newest = self._db.number("SELECT created_at FROM item ORDER BY item_seq DESC LIMIT 1")
            batch = _Batch(self._run(run_id), at, newest)
            committed = tuple(self._commit_one(batch, finding) for finding in findings)
            self._db.execute_many(_ARCHIVE_END, [(end, file_id) for file_id, end in batch.files.values()])
            return committed

    def _commit_one(self, batch: _Batch, finding: Finding) -> Committed:
        committed, seen = Committed(), None
        if finding.capture is not None:
            capture, made = finding.capture, finding.made
            capture_seq, is_new = self._write_capture(batch, capture)
            if made is not None:
                own = made.place if isinstance(made, Draft) else None
                place = own or Place(capture.canonical_url, capture.url_key, capture.web_key)
                incoming = _Incoming(batch, capture_seq, capture, place, self._places.number(place))
                again = None if is_new else self._seen_again(incoming)
                committed, seen = again or self._observe(incoming, made)
        elif finding.made is not None:
            raise LedgerError("a finding that made something has no capture")
        run = batch.run
        self._check_out(run.label_id, finding, seen)
        self._name_aliases(run.label_id, finding.aliases)
        self._add_entries(run.run_seq, finding.discovered)
        self._close_entries(run.run_seq, finding.closed)
        return committed

    def _write_capture(self, batch: _Batch, capture: CaptureRecord) -> tuple[int, bool]:
        """The capture's number, and whether it was new."""
        name = bytes.fromhex(capture.capture_id)
        known = self._db.number("SELECT capture_seq FROM capture WHERE capture_id = ?", (name,))
        if known:
            return known, False
        own = capture.run_id == batch.run.run.run_id
        payload = capture.payload_sha256
        values = (
            name,
            batch.run.run_seq if own else self._run(capture.run_id).run_seq,
            self._places.number(Place(capture.canonical_url, capture.url_key, capture.web_key)),
            *(capture.url, capture.final_url, capture.status, micros(capture.fetched_at)),
            *(capture.content_type, capture.etag, capture.last_modified),
            bytes.fromhex(payload) if payload else None,
            *self._where(batch, capture.ref),
        )
        return self._db.number(_CAPTURE, values), True

    def _where(self, batch: _Batch, ref: RecordRef | None) -> tuple[int | None, int | None, int | None]:
        """A place in the archive as columns; the batch remembers how far each file reaches."""
        if ref is None:
            return None, None, None
        if ref.file not in batch.files:
            batch.files[ref.file] = (self._db.number(_ARCHIVE_FILE, (ref.file,)), 0)
        file_id, end = batch.files[ref.file]
        batch.files[ref.file] = (file_id, max(end, ref.offset + ref.length))
        return file_id, ref.offset, ref.length

    def _seen_again(self, incoming: _Incoming) -> tuple[Committed, Seen] | None:
        """What was made of a capture that was written before, under the same recipe."""
        row = self._db.row(_AGAIN, (incoming.capture_seq, incoming.run.recipe_id))
        if row is None:
            return None
        item = self._item(row[0])
        seen = Seen(row[2], row[0], row[1], incoming.capture, item)
        return Committed(self._verdict_on(row[0], item, incoming.capture), item), seen

    def _observe(self, incoming: _Incoming, made: Draft | Confirmed) -> tuple[Committed, Seen]:
        """What a capture shows under the run's recipe."""
        row = self._db.row(_LAST, (incoming.run.recipe_id, incoming.url_id))
        last = _Last(row[0], row[1], row[2], self._item(row[0])) if row else None
        match made:
            case Confirmed():
                return self._confirm(incoming, last)
            case Draft():
                return self._take_in(incoming, made, last)

    def _confirm(self, incoming: _Incoming, last: _Last | None) -> tuple[Committed, Seen]:
        """A 304 shows what the URL showed last, links included."""
        if last is None:
            raise LedgerError(f"{incoming.place.url} was not modified, but nothing is known of it")
        self._write_observation(incoming, last.item_seq, last.links_digest, last.links_of)
        seen = Seen(incoming.url_id, last.item_seq, last.links_of, incoming.capture, last.item)
        return Committed(Unchanged(last.item), last.item), seen

    def _take_in(self, incoming: _Incoming, made: Draft, last: _Last | None) -> tuple[Committed, Seen]:
        """Judge a draft, write the item it makes, and its links where they are not the last ones."""
        verdict, fresh = self._judge(incoming, made, last.item if last else None)
        match verdict:
            case Unchanged(current):
                item, item_seq = current, last.item_seq if last else 0
            case New() | Superseding():
                item, item_seq = fresh, self._write_item(incoming, fresh, verdict, made.reprocessed_from)
        digest = links_digest(made.links)
        links_of = last.links_of if last and last.links_digest == digest else None
        observation = self._write_observation(incoming, item_seq, digest, links_of)
        if links_of is None:
            self._write_links(observation, made.links)
        seen = Seen(incoming.url_id, item_seq, links_of or observation, incoming.capture, item)
        return Committed(verdict, item), seen

    def _judge(self, incoming: _Incoming, made: Draft, current: Item | None) -> tuple[Verdict, Item]:
        """The verdict, and the item as it would be if it is a new one."""
        recipe, recipe_id = incoming.run.run.recipe, incoming.run.recipe_id
        content, place, capture = made.content_sha256, incoming.place, incoming.capture
        name = item_id(recipe, place.url, content, capture.capture_id)
        if current is not None and current.content_sha256 == content:
            return Unchanged(current), current
        found = Matches(
            current=current,
            # A URL that never showed anything has no items.
            by_url=self._newest(_NEWEST_BY_URL, recipe_id, incoming.url_id) if current else None,
            by_content=self._newest(_NEWEST_BY_CONTENT, recipe_id, bytes.fromhex(content)),
        )
        fresh = Item(
            item_id=name,
            run_id=incoming.run.run.run_id,
            recipe=recipe,
            canonical_url=place.url,
            url_key=place.key,
            web_key=place.web_key,
            content_sha256=content,
            capture_id=capture.capture_id,
            created_at=incoming.batch.next_moment,
            title=made.title,
        )
        return decide(name, content, found), fresh

    def _verdict_on(self, item_seq: int, item: Item, capture: CaptureRecord) -> Verdict:
        """The verdict that was given when this capture was first written."""
        if item.capture_id != capture.capture_id:
            return Unchanged(item)
        row = self._db.row(_OUT, (item_seq, EdgeKind.SUPERSEDES))
        if row is None:
            return New()
        old = self._db.row(ITEM + "WHERE i.item_id = ?", (row[2],))
        if old is None:
            raise LedgerError(f"{self._db.path}: an edge of item {item.item_id} leads nowhere")
        return Superseding(item_of(old), edge_of(row))

    def _item(self, item_seq: int) -> Item:
        row = self._db.row(ITEM + "WHERE i.item_seq = ?", (item_seq,))
        if row is None:
            raise LedgerError(f"{self._db.path}: item {item_seq} is named but not there")
        return item_of(row)

    def _newest(self, sql: str, recipe_id: int, value: object) -> Item | None:
        row = self._db.row(sql, (recipe_id, value))
        return item_of(row) if row else None

    def _write_item(self, incoming: _Incoming, item: Item, verdict: Verdict, origin: str | None) -> int:
        values = (
            bytes.fromhex(item.item_id),
            *(incoming.run.run_seq, incoming.run.recipe_id, incoming.url_id, incoming.capture_seq),
            *(bytes.fromhex(item.content_sha256), micros(item.created_at), item.title),
        )
        item_seq = self._db.number(_ITEM, values)
        incoming.batch.newest = micros(item.created_at)
        if isinstance(verdict, Superseding):
            self._write_edge(item_seq, verdict.edge)
        if origin:
            self._write_edge(item_seq, Edge(EdgeKind.REPROCESSED_FROM, item.item_id, origin))
        return item_seq

    def _write_edge(self, item_seq: int, edge: Edge) -> None:
        metadata = json.dumps(dict(edge.metadata), separators=(",", ":"))
        self._db.execute(_EDGE, (item_seq, edge.kind, metadata, bytes.fromhex(edge.target)))
        if not self._db.changes:
            raise LedgerError(f"there is no item {edge.target} for a {edge.kind} edge to lead to")

    def _write_observation(
        self, incoming: _Incoming, item_seq: int, links_digest: bytes, links_of: int | None
    ) -> int:
        values = (
            *(incoming.capture_seq, incoming.run.recipe_id, incoming.run.run_seq, incoming.url_id),
            *(item_seq, micros(incoming.capture.fetched_at), links_digest, links_of),
        )
        return self._db.number(_OBSERVATION, values)

    def _write_links(self, observation: int, links: tuple[PageLink, ...]) -> None:
        numbers = self._places.numbers([link.target for link in links])
        rows = [
            (observation, n, number, None if k.href == k.target.url else k.href, k.text, k.kind, k.nofollow)
            for n, (number, k) in enumerate(zip(numbers, links, strict=True))
        ]
        self._db.execute_many("INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def links_digest(links: tuple[PageLink, ...]) -> bytes:
    """Equal for equal links in equal order."""
    fields = []
    for link in links:
        fields += [link.target.key, link.href, link.text, link.kind, "\1" if link.nofollow else "\0"]
    return hashlib.sha256("\0".join(fields).encode("utf-8", "surrogatepass")).digest()[:16]
