"""What a batch does to the mirrors' files and to the other names of their pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from holdfast.adapters.sql.database import Change, ConstraintError, Database, Row
from holdfast.adapters.sql.rows import marks, micros
from holdfast.adapters.sql.session import Session
from holdfast.core.batch import PageRow
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Alias

__all__ = ["name_aliases", "write_pages"]

_COLUMNS: Final = (
    "label_id, url_id, path, title, item_seq, links_of, file_sha256, size, depth, markdown_version, warnings,"
    " fetch_url, status, fetched_at, content_type, etag, last_modified"
)
_PUT: Final = """
ON CONFLICT (label_id, url_id) DO UPDATE SET
    path = excluded.path, title = excluded.title, item_seq = excluded.item_seq, links_of = excluded.links_of,
    file_sha256 = excluded.file_sha256, size = excluded.size, depth = excluded.depth,
    markdown_version = excluded.markdown_version, warnings = excluded.warnings,
    fetched_at = excluded.fetched_at, gone_at = NULL,
"""
_ANSWERED: Final = """
    fetch_url = excluded.fetch_url, status = excluded.status, content_type = excluded.content_type,
    etag = excluded.etag, last_modified = excluded.last_modified
"""
# A 304 has no type and may repeat no validators: what was known of the answer stays.
_CONFIRMED: Final = """
    etag = coalesce(excluded.etag, page.etag),
    last_modified = coalesce(excluded.last_modified, page.last_modified)
"""
_PUT_ANSWERED, _PUT_CONFIRMED = (
    Change(
        f"INSERT INTO page ({_COLUMNS}) VALUES ({marks(17)}) {_PUT} {answer}",
        f"INSERT INTO page ({_COLUMNS}) {{}} {_PUT} {answer}",
    )
    for answer in (_ANSWERED, _CONFIRMED)
)
_TOUCH: Final = Change(
    """UPDATE page SET item_seq = $1, links_of = $2, fetched_at = $3, etag = coalesce($4, etag),
    last_modified = coalesce($5, last_modified), gone_at = NULL
    WHERE label_id = $6 AND url_id = $7""",
    """UPDATE page g SET item_seq = w.item_seq, links_of = w.links_of, fetched_at = w.fetched_at,
    etag = coalesce(w.etag, g.etag),
    last_modified = coalesce(w.last_modified, g.last_modified), gone_at = NULL
    FROM ({}) AS w (item_seq, links_of, fetched_at, etag, last_modified, label_id, url_id)
    WHERE g.label_id = w.label_id AND g.url_id = w.url_id""",
)
_NAME: Final = """
ON CONFLICT (label_id, url_id) DO UPDATE SET
    target_id = excluded.target_id, reason = excluded.reason, detail = excluded.detail
"""
_ALIAS_COLUMNS: Final = "label_id, url_id, target_id, reason, detail, url"
_ALIAS: Final = Change(
    f"INSERT INTO alias ({_ALIAS_COLUMNS}) VALUES ({marks(6)}) {_NAME}",
    f"INSERT INTO alias ({_ALIAS_COLUMNS}) {{}} {_NAME}",
)


class _PageChange(NamedTuple):
    """What is done to the row of a page."""

    change: Change
    url_id: int
    values: Row


def write_pages(db: Database, label_id: int, pages: Sequence[PageRow], urls: Mapping[UrlKey, int]) -> None:
    """In the order of the findings; neighbours that are alike go together."""
    changes = [_change(label_id, urls[page.place.key], page) for page in pages]
    try:
        with db.attempt():
            for alike in _groups(changes):
                db.change(alike[0].change, [each.values for each in alike])
    except ConstraintError:
        _explain(db, changes)
        raise


def _groups(changes: Sequence[_PageChange]) -> Iterator[list[_PageChange]]:
    """Neighbours that are alike, no two of them of the same page."""
    alike: list[_PageChange] = []
    seen: set[int] = set()
    for each in changes:
        if alike and (each.change is not alike[0].change or each.url_id in seen):
            yield alike
            alike, seen = [], set()
        alike.append(each)
        seen.add(each.url_id)
    if alike:
        yield alike


def _explain(db: Database, changes: Sequence[_PageChange]) -> None:
    """One change after another, to find the one that the schema does not allow."""
    for change, _, values in changes:
        try:
            with db.attempt():
                db.execute(change.each, values)
        except ConstraintError:
            _explain_taken_path(db, *values[:3])
            raise


def _change(label_id: int, url_id: int, page: PageRow) -> _PageChange:
    """What a batch says of a page."""
    capture, facts = page.capture, page.facts
    observed = (page.item_number, page.links_of)
    fetched = micros(capture.fetched_at)
    validators = (capture.etag, capture.last_modified)
    if facts is None:
        return _PageChange(_TOUCH, url_id, (*observed, fetched, *validators, label_id, url_id))
    warnings = json.dumps(facts.warnings)
    file = (facts.file_sha256, facts.size, facts.depth, facts.markdown_version, warnings)
    answer = (capture.final_url, capture.status, fetched, capture.content_type)
    values = (label_id, url_id, facts.path, facts.title, *observed, *file, *answer, *validators)
    return _PageChange(_PUT_CONFIRMED if page.is_confirmed else _PUT_ANSWERED, url_id, values)


def _explain_taken_path(db: Database, label_id: int, url_id: int, path: str) -> None:
    row = db.row(
        "SELECT u.url, mine.url FROM page g JOIN url u ON u.url_id = g.url_id"
        " JOIN url mine ON mine.url_id = $1 WHERE g.label_id = $2 AND g.path = $3 AND g.url_id <> $1",
        (url_id, label_id, path),
    )
    if row:
        raise LedgerError(f"{path} is the page of {row[0]}, not of {row[1]}")


def name_aliases(session: Session, label_id: int, aliases: Sequence[Alias]) -> None:
    """Write aliases; the last word on each counts. A place named as its own alias is no alias."""
    numbers = session.places.numbers(place for alias in aliases for place in (alias.place, alias.target))
    last = {alias.place.key: alias for alias in aliases}
    own = [(label_id, numbers[key]) for key, alias in last.items() if alias.target.key == key]
    rows = [
        (label_id, numbers[key], numbers[alias.target.key], str(alias.reason), alias.detail, alias.place.url)
        for key, alias in last.items()
        if alias.target.key != key
    ]
    session.db.change(_ALIAS, rows)
    session.db.execute_many("DELETE FROM alias WHERE label_id = $1 AND url_id = $2", own)
