"""A batch of findings as one transaction: look up, judge, write. The verdict is decided inside it, so no
look-up can miss an item that another writer commits meanwhile (LIN-6).

What is decided is decided in `core.judging`; here its rows become rows of tables, each table after those that
it refers to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from holdfast.adapters.sql import frontier
from holdfast.adapters.sql.checkout import name_aliases, write_pages
from holdfast.adapters.sql.database import Change, Row
from holdfast.adapters.sql.kept import add_brought
from holdfast.adapters.sql.lookups import look_up
from holdfast.adapters.sql.rows import micros
from holdfast.adapters.sql.sections import write_sections
from holdfast.adapters.sql.session import KnownRun, Session
from holdfast.core.batch import Batch, CaptureRow, EdgeRow, Judged, ObservationRow
from holdfast.core.chapters import MIRROR
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.judging import judge
from holdfast.core.ledger import Committed, Finding, Place
from holdfast.core.lineage import Edge, RecordRef

__all__ = ["Writing"]

_CAPTURE_COLUMNS: Final = (
    "capture_seq, capture_id, run_seq, url_id, requested_url, final_url, status, fetched_at, content_type,"
    " etag, last_modified, payload_sha256, file_id, file_offset, file_length, rank, stamp"
)
_ARCHIVE_FILE: Final = """
INSERT INTO archive_file (name, committed_end) VALUES ($1, 0)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING file_id
"""
_ARCHIVE_END: Final = """
UPDATE archive_file SET committed_end = $1 WHERE file_id = $2 AND committed_end < $1
"""
_ITEM_COLUMNS: Final = (
    "item_seq, item_id, run_seq, recipe_id, url_id, capture_seq, content_sha256, created_at, title"
)
_EDGE: Final = Change(
    """INSERT INTO edge (source_seq, kind, target_seq, metadata)
    SELECT $1, $2, item_seq, $3 FROM item WHERE item_id = $4""",
    """INSERT INTO edge (source_seq, kind, target_seq, metadata)
    SELECT w.source_seq, w.kind, i.item_seq, w.metadata
    FROM ({}) AS w (source_seq, kind, metadata, item_id) JOIN item i ON i.item_id = w.item_id""",
)
_TARGET: Final = "SELECT 1 FROM item WHERE item_id = $1"
_OBSERVATION_COLUMNS: Final = (
    "observation_id, capture_seq, recipe_id, run_seq, url_id, item_seq, fetched_at, links_digest, links_of,"
    " rank, stamp"
)
_LINK_COLUMNS: Final = "observation_id, ord, url_id, href, text, kind, nofollow"


class Writing:
    """`Ledger.commit`."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._db = session.db

    def commit(self, run_id: str, findings: Sequence[Finding], at: datetime) -> tuple[Committed, ...]:
        """Write a batch, whole or not at all."""
        session = self._session
        with session.writing():
            run = session.run_to_write(run_id)
            session.touch(MIRROR + run.label)
            known, numbers, urls = look_up(session, run, findings)
            judged = judge(Batch(run_id, run.recipe, findings, at), known, numbers)
            self._write(run, judged, urls)
            add_brought(self._db, run.run_seq, run.recipe_id, judged, known.last)
            write_pages(self._db, run.label_id, judged.pages, urls)
            name_aliases(session, run.label_id, [alias for f in findings for alias in f.aliases])
            self._move_frontier(run.run_seq, findings)
            return tuple(judged.committed)

    def _write(self, run: KnownRun, judged: Judged, urls: Mapping[UrlKey, int]) -> None:
        db = self._db
        self._write_captures(run, judged.captures, urls)
        items = [
            (
                *(row.number, bytes.fromhex(row.item.item_id), run.run_seq, run.recipe_id),
                *(urls[row.item.place.key], row.capture_number, bytes.fromhex(row.item.content_sha256)),
                *(micros(row.item.created_at), row.item.title),
            )
            for row in judged.items
        ]
        db.append("item", _ITEM_COLUMNS, items)
        write_sections(db, ((row.number, row.sections) for row in judged.items))
        self._write_edges(judged.edges)
        observations = [
            (
                *(row.number, row.capture_number, run.recipe_id, run.run_seq, urls[row.place.key]),
                *(row.item_number, micros(row.capture.fetched_at), row.links_digest, row.links_of),
                *row.rank,
            )
            for row in judged.observations
        ]
        db.append("observation", _OBSERVATION_COLUMNS, observations)
        self._write_links(judged.observations)

    def _write_captures(
        self, run: KnownRun, captures: Sequence[CaptureRow], urls: Mapping[UrlKey, int]
    ) -> None:
        """Captures, and how far they reach in each file of the archive."""
        ends: dict[str, tuple[int, int]] = {}
        rows: list[Row] = []
        for number, rank, capture in captures:
            own = capture.run_id == run.run_id
            payload = capture.payload_sha256
            rows.append(
                (
                    *(number, bytes.fromhex(capture.capture_id)),
                    *(
                        run.run_seq if own else self._session.run(capture.run_id).run_seq,
                        urls[capture.place.key],
                    ),
                    *(capture.url, capture.final_url, capture.status, micros(capture.fetched_at)),
                    *(capture.content_type, capture.etag, capture.last_modified),
                    bytes.fromhex(payload) if payload else None,
                    *(self._where(ends, capture.ref) if capture.ref else (None, None, None)),
                    *rank,
                )
            )
        self._db.append("capture", _CAPTURE_COLUMNS, rows)
        self._db.execute_many(_ARCHIVE_END, [(end, file_id) for file_id, end in ends.values()])

    def _where(self, ends: dict[str, tuple[int, int]], ref: RecordRef) -> tuple[int, int, int]:
        """A place in the archive as columns."""
        if ref.file not in ends:
            ends[ref.file] = (self._db.number(_ARCHIVE_FILE, (ref.file,)), 0)
        file_id, end = ends[ref.file]
        ends[ref.file] = (file_id, max(end, ref.offset + ref.length))
        return file_id, ref.offset, ref.length

    def _write_edges(self, edges: Sequence[EdgeRow]) -> None:
        rows = [
            (row.item_number, str(row.edge.kind), _metadata(row.edge), bytes.fromhex(row.edge.target))
            for row in edges
        ]
        if self._db.change(_EDGE, rows) < len(rows):
            for _, kind, _, target in rows:
                if self._db.row(_TARGET, (target,)) is None:
                    raise LedgerError(f"there is no item {target.hex()} for a {kind} edge to lead to")

    def _write_links(self, observations: Sequence[ObservationRow]) -> None:
        """The links of each observation that has its own; a URL's `web` key is the last one named."""
        places: list[Place] = []
        for row in observations:
            places.append(row.place)
            places += [link.target for link in row.links]
        numbers = self._session.places.numbers(places)
        rows = (
            (row.number, n, numbers[key], None if href == url else href, text, kind, nofollow)
            for row in observations
            for n, ((url, key, _), href, text, kind, nofollow) in enumerate(row.links)
        )
        self._db.append("link", _LINK_COLUMNS, rows)

    def _move_frontier(self, run_seq: int, findings: Sequence[Finding]) -> None:
        """Entries come and end in the order of the findings: what was not there yet could not end. Where all
        that end before they come were there already, it makes no difference, and all go together.
        """
        early = _ended_before_found(findings)
        if early <= frontier.present(self._session, run_seq, early):
            frontier.add(self._session, run_seq, [entry for f in findings for entry in f.discovered])
            frontier.close(self._session, run_seq, [end for f in findings for end in f.closed])
            return
        for finding in findings:
            frontier.add(self._session, run_seq, finding.discovered)
            frontier.close(self._session, run_seq, finding.closed)


def _ended_before_found(findings: Sequence[Finding]) -> set[UrlKey]:
    """Keys that end in a finding before one that discovers them."""
    ended: set[UrlKey] = set()
    early: set[UrlKey] = set()
    for finding in findings:
        early |= ended & {entry.place.key for entry in finding.discovered}
        ended |= {end.key for end in finding.closed}
    return early


def _metadata(edge: Edge) -> str:
    return json.dumps(dict(edge.metadata), separators=(",", ":"))
