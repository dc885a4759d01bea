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

from holdfast.adapters.sqlite import frontier
from holdfast.adapters.sqlite.checkout import name_aliases, write_pages
from holdfast.adapters.sqlite.connection import Row
from holdfast.adapters.sqlite.lookups import look_up
from holdfast.adapters.sqlite.rows import micros
from holdfast.adapters.sqlite.sections import write_sections
from holdfast.adapters.sqlite.session import KnownRun, Session
from holdfast.core.batch import Batch, CaptureRow, EdgeRow, Judged, ObservationRow
from holdfast.core.chapters import MIRROR
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.judging import judge
from holdfast.core.ledger import Closed, Committed, Finding, PageLink, Place
from holdfast.core.lineage import RecordRef

__all__ = ["Writing"]

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
                *(urls[row.item.url_key], row.capture_number, bytes.fromhex(row.item.content_sha256)),
                *(micros(row.item.created_at), row.item.title),
            )
            for row in judged.items
        ]
        db.execute_many(_ITEM, items)
        write_sections(db, ((row.number, row.sections) for row in judged.items))
        for edge in judged.edges:
            self._write_edge(edge)
        observations = [
            (
                *(row.number, row.capture_number, run.recipe_id, run.run_seq, urls[row.place.key]),
                *(row.item_number, micros(row.capture.fetched_at), row.links_digest, row.links_of),
            )
            for row in judged.observations
        ]
        db.execute_many(_OBSERVATION, observations)
        self._write_links(judged.observations)

    def _write_captures(
        self, run: KnownRun, captures: Sequence[CaptureRow], urls: Mapping[UrlKey, int]
    ) -> None:
        """Captures, and how far they reach in each file of the archive."""
        ends: dict[str, tuple[int, int]] = {}
        rows: list[Row] = []
        for number, capture in captures:
            own = capture.run_id == run.run_id
            payload = capture.payload_sha256
            rows.append(
                (
                    *(number, bytes.fromhex(capture.capture_id)),
                    *(
                        run.run_seq if own else self._session.run(capture.run_id).run_seq,
                        urls[capture.url_key],
                    ),
                    *(capture.url, capture.final_url, capture.status, micros(capture.fetched_at)),
                    *(capture.content_type, capture.etag, capture.last_modified),
                    bytes.fromhex(payload) if payload else None,
                    *(self._where(ends, capture.ref) if capture.ref else (None, None, None)),
                )
            )
        self._db.execute_many(_CAPTURE, rows)
        self._db.execute_many(_ARCHIVE_END, [(end, file_id) for file_id, end in ends.values()])

    def _where(self, ends: dict[str, tuple[int, int]], ref: RecordRef) -> tuple[int, int, int]:
        """A place in the archive as columns."""
        if ref.file not in ends:
            ends[ref.file] = (self._db.number(_ARCHIVE_FILE, (ref.file,)), 0)
        file_id, end = ends[ref.file]
        ends[ref.file] = (file_id, max(end, ref.offset + ref.length))
        return file_id, ref.offset, ref.length

    def _write_edge(self, row: EdgeRow) -> None:
        edge = row.edge
        metadata = json.dumps(dict(edge.metadata), separators=(",", ":"))
        self._db.execute(_EDGE, (row.item_number, edge.kind, metadata, bytes.fromhex(edge.target)))
        if not self._db.changes:
            raise LedgerError(f"there is no item {edge.target} for a {edge.kind} edge to lead to")

    def _write_links(self, observations: Sequence[ObservationRow]) -> None:
        """The links of each observation that has its own; a URL's `web` key is the last one named."""
        places: list[Place] = []
        for row in observations:
            places.append(row.place)
            places += [link.target for link in row.links]
        numbers = self._session.places.numbers(places)
        rows = [
            (row.number, n, numbers[k.target.key], None if k.href == k.target.url else k.href, *_words(k))
            for row in observations
            for n, k in enumerate(row.links)
        ]
        self._db.execute_many(_LINK, rows)

    def _move_frontier(self, run_seq: int, findings: Sequence[Finding]) -> None:
        """Entries come and end in the order of the findings: what was not there yet could not end."""
        closed: list[Closed] = []
        for finding in findings:
            if finding.discovered:
                frontier.close(self._session, run_seq, closed)
                closed = []
                frontier.add(self._session, run_seq, finding.discovered)
            closed += finding.closed
        frontier.close(self._session, run_seq, closed)


def _words(link: PageLink) -> tuple[str, str, bool]:
    return link.text, link.kind, link.nofollow
