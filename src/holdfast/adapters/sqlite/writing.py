"""A batch of findings as one transaction: look up, judge, write. The verdict is decided inside it, so no
look-up can miss an item that another writer commits meanwhile (LIN-6).

Items are created in strict order: an item's time is the caller's, or one microsecond after the latest
item's, whichever is later. So "the most recently created" is never a matter of chance, and equal content
that arrives in one batch forms a chain, not a fan.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from holdfast.adapters.sqlite.batch import Batch, Last, Seen
from holdfast.adapters.sqlite.checkout import check_out, name_aliases, write_pages
from holdfast.adapters.sqlite.frontier import add, close
from holdfast.adapters.sqlite.rows import ITEM, edge_of, item_of, micros
from holdfast.adapters.sqlite.session import Session
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import Closed, Committed, Confirmed, Draft, Finding, PageLink, Place
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

__all__ = ["Writing", "links_digest"]

_CAPTURE: Final = """
INSERT INTO capture (capture_seq, capture_id, run_seq, url_id, requested_url, final_url, status, fetched_at,
                     content_type, etag, last_modified, payload_sha256, file_id, file_offset, file_length)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ARCHIVE_FILE: Final = """
INSERT INTO archive_file (name, committed_end) VALUES (?, 0)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING file_id
"""
_ARCHIVE_END: Final = "UPDATE archive_file SET committed_end = max(committed_end, ?) WHERE file_id = ?"
_AGAIN: Final = """
SELECT item_seq, coalesce(links_of, observation_id), url_id FROM observation
WHERE capture_seq = ? AND recipe_id = ?
"""
_NEWEST_BY_URL: Final = (
    ITEM + "WHERE i.recipe_id = ? AND i.url_id = ? ORDER BY i.created_at DESC, i.item_id DESC LIMIT 1"
)
_ITEM: Final = """
INSERT INTO item (item_seq, item_id, run_seq, recipe_id, url_id, capture_seq, content_sha256, created_at,
                  title)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_EDGE: Final = """
INSERT INTO edge (source_seq, kind, target_seq, metadata)
SELECT ?, ?, item_seq, ? FROM item WHERE item_id = ?
"""
_OBSERVATION: Final = """
INSERT INTO observation (observation_id, capture_seq, recipe_id, run_seq, url_id, item_seq, fetched_at,
                         links_digest, links_of)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_LINK: Final = "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?)"
_OUT: Final = """
SELECT e.kind, s.item_id, t.item_id, e.metadata FROM edge e
JOIN item s ON s.item_seq = e.source_seq JOIN item t ON t.item_seq = e.target_seq
WHERE e.source_seq = ? AND e.kind = ?
"""


@dataclass(frozen=True, slots=True)
class _Incoming:
    """A capture under judgement: the batch it comes in, the place it speaks of."""

    batch: Batch
    capture_seq: int
    capture: CaptureRecord
    place: Place
    url_id: int
    fetched_at: int


class Writing:
    """`Ledger.commit`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._db = session.db

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        with self._session.writing():
            batch = self._look_up(run_id, findings, at)
            committed = tuple([self._judge_one(batch, finding) for finding in findings])
            self._write(batch)
            name_aliases(self._session, batch.run.label_id, [alias for f in findings for alias in f.aliases])
            self._move_frontier(batch.run.run_seq, findings)
            return committed

    def _look_up(self, run_id: str, findings: Sequence[Finding], at: datetime) -> Batch:
        """All that can be known beforehand."""
        captured = [(f.capture, f.made) for f in findings if f.capture is not None]
        own = [_capture_place(capture) for capture, _ in captured]
        spoken_of = [_place_of(capture, made) for capture, made in captured if made is not None]
        numbers = self._session.places.numbers((*own, *spoken_of))
        batch = Batch(self._db, self._session.run(run_id), at, numbers)
        batch.look_up(
            [bytes.fromhex(capture.capture_id) for capture, _ in captured],
            dict.fromkeys(numbers[place.key] for place in spoken_of),
        )
        fresh = []
        for capture, made in captured:
            if isinstance(made, Draft):
                last = batch.last.get(numbers[_place_of(capture, made).key])
                if last is None or last.item.content_sha256 != made.content_sha256:
                    fresh.append(made.content_sha256)
        batch.newest_of(fresh)
        return batch

    def _judge_one(self, batch: Batch, finding: Finding) -> Committed:
        committed, seen = Committed(), None
        capture, made = finding.capture, finding.made
        if capture is not None:
            capture_seq, is_new = self._take_capture(batch, capture)
            if made is not None:
                place = _place_of(capture, made)
                when = micros(capture.fetched_at)
                incoming = _Incoming(batch, capture_seq, capture, place, batch.numbers[place.key], when)
                batch.places.append(place)
                again = None if is_new else self._seen_again(incoming)
                committed, seen = again or self._observe(incoming, made)
                batch.seen[capture.capture_id] = committed, seen
        elif made is not None:
            raise LedgerError("a finding that made something has no capture")
        check_out(batch, finding, seen)
        return committed

    def _take_capture(self, batch: Batch, capture: CaptureRecord) -> tuple[int, bool]:
        """The capture's number, and whether it is new."""
        name = bytes.fromhex(capture.capture_id)
        known = batch.captures.get(name)
        if known is not None:
            return known, False
        number = batch.next_capture(name)
        own = capture.run_id == batch.run.run_id
        payload = capture.payload_sha256
        row = (
            *(number, name, batch.run.run_seq if own else self._session.run(capture.run_id).run_seq),
            batch.numbers[capture.url_key],
            *(capture.url, capture.final_url, capture.status, micros(capture.fetched_at)),
            *(capture.content_type, capture.etag, capture.last_modified),
            bytes.fromhex(payload) if payload else None,
            *self._where(batch, capture.ref),
        )
        batch.new_captures.append(row)
        return number, True

    def _where(self, batch: Batch, ref: RecordRef | None) -> tuple[int | None, int | None, int | None]:
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
        batch, capture = incoming.batch, incoming.capture
        if capture.capture_id in batch.seen:
            return batch.seen[capture.capture_id]
        row = self._db.row(_AGAIN, (incoming.capture_seq, batch.run.recipe_id))
        if row is None:
            return None
        item = self._item(row[0])
        seen = Seen(row[2], row[0], row[1], capture, item)
        return Committed(self._verdict_on(row[0], item, capture), item), seen

    def _observe(self, incoming: _Incoming, made: Draft | Confirmed) -> tuple[Committed, Seen]:
        """What a capture shows under the run's recipe."""
        last = incoming.batch.last.get(incoming.url_id)
        match made:
            case Confirmed():
                return self._confirm(incoming, last)
            case Draft():
                return self._take_in(incoming, made, last)

    def _confirm(self, incoming: _Incoming, last: Last | None) -> tuple[Committed, Seen]:
        """A 304 shows what the URL showed last, links included."""
        if last is None:
            raise LedgerError(f"{incoming.place.url} was not modified, but nothing is known of it")
        self._add_observation(incoming, last.item_seq, last.item, last.links_digest, last.links_of)
        seen = Seen(incoming.url_id, last.item_seq, last.links_of, incoming.capture, last.item)
        return Committed(Unchanged(last.item), last.item), seen

    def _take_in(self, incoming: _Incoming, made: Draft, last: Last | None) -> tuple[Committed, Seen]:
        """Judge a draft, gather the item it makes, and its links where they are not the last ones."""
        verdict, fresh = self._judge(incoming, made, last.item if last else None)
        match verdict:
            case Unchanged(current):
                item, item_seq = current, last.item_seq if last else 0
            case New() | Superseding():
                item, item_seq = fresh, self._add_item(incoming, fresh, verdict, made.reprocessed_from)
        digest = links_digest(made.links)
        links_of = last.links_of if last and last.links_digest == digest else None
        observation = self._add_observation(incoming, item_seq, item, digest, links_of)
        if links_of is None:
            incoming.batch.new_links.append((observation, made.links))
            incoming.batch.places += [link.target for link in made.links]
        seen = Seen(incoming.url_id, item_seq, links_of or observation, incoming.capture, item)
        return Committed(verdict, item), seen

    def _judge(self, incoming: _Incoming, made: Draft, current: Item | None) -> tuple[Verdict, Item]:
        """The verdict, and the item as it would be if it is a new one."""
        batch, run = incoming.batch, incoming.batch.run
        content, place, capture = made.content_sha256, incoming.place, incoming.capture
        if current is not None and current.content_sha256 == content:
            return Unchanged(current), current
        if content not in batch.by_content:
            batch.newest_of((content,))
        # A URL that never showed anything has no items.
        by_url = self._newest_of_url(batch, incoming.url_id) if current else None
        name = item_id(run.recipe, place.url, content, capture.capture_id)
        fresh = Item(
            item_id=name,
            run_id=run.run_id,
            recipe=run.recipe,
            canonical_url=place.url,
            url_key=place.key,
            web_key=place.web_key,
            content_sha256=content,
            capture_id=capture.capture_id,
            created_at=batch.next_moment,
            title=made.title,
        )
        return decide(name, content, Matches(current, by_url, batch.by_content[content])), fresh

    def _newest_of_url(self, batch: Batch, url_id: int) -> Item | None:
        if url_id in batch.by_url:
            return batch.by_url[url_id]
        row = self._db.row(_NEWEST_BY_URL, (batch.run.recipe_id, url_id))
        return item_of(row) if row else None

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

    def _add_item(self, incoming: _Incoming, item: Item, verdict: Verdict, origin: str | None) -> int:
        batch = incoming.batch
        created_at = micros(item.created_at)
        item_seq = batch.add_item(incoming.url_id, item, created_at)
        row = (
            *(item_seq, bytes.fromhex(item.item_id)),
            *(batch.run.run_seq, batch.run.recipe_id, incoming.url_id, incoming.capture_seq),
            *(bytes.fromhex(item.content_sha256), created_at, item.title),
        )
        batch.new_items.append(row)
        if isinstance(verdict, Superseding):
            batch.new_edges.append((item_seq, verdict.edge))
        if origin:
            batch.new_edges.append((item_seq, Edge(EdgeKind.REPROCESSED_FROM, item.item_id, origin)))
        return item_seq

    def _add_observation(
        self, incoming: _Incoming, item_seq: int, item: Item, digest: bytes, links_of: int | None
    ) -> int:
        batch = incoming.batch
        number = batch.next_observation()
        row = (
            *(number, incoming.capture_seq, batch.run.recipe_id, batch.run.run_seq, incoming.url_id),
            *(item_seq, incoming.fetched_at, digest, links_of),
        )
        batch.new_observations.append(row)
        batch.show(incoming.url_id, Last(item_seq, links_of or number, digest, incoming.fetched_at, item))
        return number

    def _write(self, batch: Batch) -> None:
        """Each table after those it refers to."""
        db = self._db
        db.execute_many(_CAPTURE, batch.new_captures)
        db.execute_many(_ARCHIVE_END, [(end, file_id) for file_id, end in batch.files.values()])
        db.execute_many(_ITEM, batch.new_items)
        for item_seq, edge in batch.new_edges:
            self._write_edge(item_seq, edge)
        db.execute_many(_OBSERVATION, batch.new_observations)
        numbers = self._session.places.numbers(batch.places)
        db.execute_many(
            _LINK,
            [
                (number, n, numbers[k.target.key], None if k.href == k.target.url else k.href, *_words(k))
                for number, links in batch.new_links
                for n, k in enumerate(links)
            ],
        )
        write_pages(db, batch)

    def _write_edge(self, item_seq: int, edge: Edge) -> None:
        metadata = json.dumps(dict(edge.metadata), separators=(",", ":"))
        self._db.execute(_EDGE, (item_seq, edge.kind, metadata, bytes.fromhex(edge.target)))
        if not self._db.changes:
            raise LedgerError(f"there is no item {edge.target} for a {edge.kind} edge to lead to")

    def _move_frontier(self, run_seq: int, findings: Sequence[Finding]) -> None:
        """Entries come and end in the order of the findings: what was not there yet could not end."""
        closed: list[Closed] = []
        for finding in findings:
            if finding.discovered:
                close(self._session, run_seq, closed)
                closed = []
                add(self._session, run_seq, finding.discovered)
            closed += finding.closed
        close(self._session, run_seq, closed)


def links_digest(links: tuple[PageLink, ...]) -> bytes:
    """Equal for equal links in equal order."""
    fields = []
    for link in links:
        fields += [link.target.key, link.href, link.text, link.kind, "\1" if link.nofollow else "\0"]
    return hashlib.sha256("\0".join(fields).encode("utf-8", "surrogatepass")).digest()[:16]


def _capture_place(capture: CaptureRecord) -> Place:
    """The identity of a capture (ID-9)."""
    return Place(capture.canonical_url, capture.url_key, capture.web_key)


def _place_of(capture: CaptureRecord, made: Draft | Confirmed) -> Place:
    """The place that a finding speaks of: a reprocessing run has a policy of its own (VER-5)."""
    own = made.place if isinstance(made, Draft) else None
    return own or _capture_place(capture)


def _words(link: PageLink) -> tuple[str, str, bool]:
    return link.text, link.kind, link.nofollow
