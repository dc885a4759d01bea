"""What a batch does to the mirror's files: gathered finding by finding, written after what it refers to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from holdfast.adapters.sqlite.batch import Batch, Seen
from holdfast.adapters.sqlite.connection import ConstraintError, Database
from holdfast.adapters.sqlite.rows import micros
from holdfast.adapters.sqlite.session import Session
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import Alias, Confirmed, Finding

__all__ = ["check_out", "name_aliases", "write_pages"]

_PUT: Final = """
INSERT INTO page (label_id, url_id, path, title, item_seq, links_of, file_sha256, size, depth,
                  markdown_version, warnings, fetch_url, status, fetched_at, content_type, etag,
                  last_modified)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (label_id, url_id) DO UPDATE SET
    path = excluded.path, title = excluded.title, item_seq = excluded.item_seq, links_of = excluded.links_of,
    file_sha256 = excluded.file_sha256, size = excluded.size, depth = excluded.depth,
    markdown_version = excluded.markdown_version, warnings = excluded.warnings,
    fetched_at = excluded.fetched_at, gone_at = NULL
"""
_PUT_ANSWERED: Final = (
    _PUT
    + """,
    fetch_url = excluded.fetch_url, status = excluded.status, content_type = excluded.content_type,
    etag = excluded.etag, last_modified = excluded.last_modified
"""
)
# A 304 has no type and may repeat no validators: what was known of the answer stays.
_PUT_CONFIRMED: Final = (
    _PUT
    + """,
    etag = coalesce(excluded.etag, etag), last_modified = coalesce(excluded.last_modified, last_modified)
"""
)
_TOUCH: Final = """
UPDATE page SET item_seq = ?, links_of = ?, fetched_at = ?, etag = coalesce(?, etag),
    last_modified = coalesce(?, last_modified), gone_at = NULL
WHERE label_id = ? AND url_id = ?
"""
_ALIAS: Final = """
INSERT INTO alias VALUES (?, ?, ?, ?, ?) ON CONFLICT (label_id, url_id) DO UPDATE SET
    target_id = excluded.target_id, reason = excluded.reason, detail = excluded.detail
"""


def check_out(batch: Batch, finding: Finding, seen: Seen | None) -> None:
    """Gather what a finding does to the mirror's file."""
    facts, confirmed = finding.page, isinstance(finding.made, Confirmed)
    if seen is None:
        if facts:
            raise LedgerError(f"the page {facts.path} comes with nothing observed")
        return
    capture, label_id = seen.capture, batch.run.label_id
    observed = (seen.item_seq, seen.links_of)
    fetched = micros(capture.fetched_at)
    validators = (capture.etag, capture.last_modified)
    if facts is None:
        if confirmed:
            batch.pages.append((_TOUCH, (*observed, fetched, *validators, label_id, seen.url_id)))
        return
    file = (
        facts.file_sha256,
        facts.size,
        facts.depth,
        facts.markdown_version,
        json.dumps(facts.warnings),
    )
    answer = (capture.final_url, capture.status, fetched, capture.content_type)
    values = (label_id, seen.url_id, facts.path, facts.title, *observed, *file, *answer, *validators)
    batch.pages.append((_PUT_CONFIRMED if confirmed else _PUT_ANSWERED, values))


def write_pages(db: Database, batch: Batch) -> None:
    """In the order of the findings; neighbours that are alike go together."""
    try:
        for sql, pages in groupby(batch.pages, key=itemgetter(0)):
            db.execute_many(sql, [values for _, values in pages])
    except ConstraintError:
        for sql, values in batch.pages:
            if sql is not _TOUCH:
                _explain_taken_path(db, *values[:3])
        raise


def _explain_taken_path(db: Database, label_id: int, url_id: int, path: str) -> None:
    row = db.row(
        "SELECT u.url, mine.url FROM page g JOIN url u ON u.url_id = g.url_id"
        " JOIN url mine ON mine.url_id = ? WHERE g.label_id = ? AND g.path = ? AND g.url_id <> ?",
        (url_id, label_id, path, url_id),
    )
    if row:
        raise LedgerError(f"{path} is the page of {row[0]}, not of {row[1]}")


def name_aliases(session: Session, label_id: int, aliases: Sequence[Alias]) -> None:
    """Write aliases; the last word on each counts."""
    numbers = session.places.numbers(place for alias in aliases for place in (alias.place, alias.target))
    rows = [
        (label_id, numbers[alias.place.key], numbers[alias.target.key], alias.reason, alias.detail)
        for alias in aliases
    ]
    session.db.execute_many(_ALIAS, rows)
