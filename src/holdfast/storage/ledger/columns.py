"""Values to columns and back, one way each.

At the end stand the statements for an archive's files and stores, for whoever takes them in.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from holdfast.core.base.difference import read_drift
from holdfast.core.base.hashing import ContentHash
from holdfast.core.lineage.event_kind import ChangeDetail, SectionVerdict
from holdfast.core.lineage.lineage import CaptureRecord, Edge, EdgeKind, Item, RecordRef
from holdfast.core.links.citation import KeptEvidence, Notes
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place

if TYPE_CHECKING:
    from holdfast.storage.ledger.database import Row


_encode: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_NO_NOTES: Final = Notes()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)

ITEM_COLUMNS: Final = """
    i.item_id, r.run_id, p.version, u.url, u.url_key, u.web_key, i.content_sha256, c.capture_id, i.created_at,
    i.title
"""
ITEM_JOINS: Final = """
JOIN run r ON r.run_seq = i.run_seq JOIN recipe p ON p.recipe_id = i.recipe_id
JOIN url u ON u.url_id = i.url_id JOIN capture c ON c.capture_seq = i.capture_seq
"""
ITEM: Final = f"SELECT {ITEM_COLUMNS} FROM item i {ITEM_JOINS}"
"""The columns that `item_of` reads; a WHERE follows."""
ITEM_WIDTH: Final = 10

CAPTURE: Final = """
    c.capture_id, r.run_id, c.requested_url, u.url_key, u.web_key, c.final_url, c.status, c.fetched_at,
    c.content_type, c.etag, c.last_modified, c.payload_sha256, f.name, c.file_offset, c.file_length, u.url
"""
"""The columns that `capture_of` reads, of capture c, run r, url u, and archive_file f where there is one."""
CAPTURE_WIDTH: Final = 16
CAPTURES_BY_FILE: Final = """
archive_file f CROSS JOIN capture c JOIN run r ON r.run_seq = c.run_seq JOIN url u ON u.url_id = c.url_id
WHERE c.file_id = f.file_id
"""
"""What the archive holds, file by file: an index has the records of each in order."""
IN_FILE_ORDER: Final = "ORDER BY f.name, c.file_offset"


def micros(time: datetime) -> int:
    """A time as the ledger keeps it."""
    return (time - _EPOCH) // _MICRO


def moment(number: int) -> datetime:
    """A kept time."""
    return _EPOCH + number * _MICRO


def to_micros_or_none(time: datetime | None) -> int | None:
    """A time that may be absent."""
    return None if time is None else micros(time)


def moment_or_none(number: int | None) -> datetime | None:
    """A kept time that may be absent."""
    return None if number is None else moment(number)


@lru_cache(maxsize=64)
def recipe_of(version: str) -> Recipe:
    """A version string as the recipe it is."""
    return Recipe.parse(version)


def place_of(url: str, url_key: bytes, web_key: bytes) -> Place:
    """A URL's row. Every row of a page has one: it is made by `tuple` itself, in half the time."""
    return tuple.__new__(Place, (url, url_key.hex(), web_key.hex()))


def item_of(row: Row) -> Item:
    """A row of `ITEM`."""
    return Item(
        item_id=row[0].hex(),
        run_id=row[1],
        recipe=recipe_of(row[2]),
        place=place_of(row[3], row[4], row[5]),
        content_sha256=ContentHash(row[6].hex()),
        capture_id=row[7].hex(),
        created_at=moment(row[8]),
        title=row[9],
    )


def capture_of(row: Row) -> CaptureRecord:
    """A row of `CAPTURE`."""
    return CaptureRecord(
        capture_id=row[0].hex(),
        run_id=row[1],
        url=row[2],
        place=place_of(row[15], row[3], row[4]),
        final_url=row[5],
        status=row[6],
        fetched_at=moment(row[7]),
        content_type=row[8],
        etag=row[9],
        last_modified=row[10],
        payload_sha256=row[11].hex() if row[11] is not None else None,
        ref=RecordRef(row[12], row[13], row[14]) if row[12] is not None else None,
    )


def section_bytes(content: str) -> bytes:
    """The hash of a section, `section_v1-…`, as the number of its version and its digest."""
    version, digest = content.split("-")
    return _version_byte(version) + bytes.fromhex(digest)


@cache
def _version_byte(version: str) -> bytes:
    return bytes([int(version.removeprefix("section_v"))])


def section_content(packed: bytes) -> str:
    """What `section_bytes` packed."""
    return f"section_v{packed[0]}-{packed[1:].hex()}"


def edge_of(row: Row) -> Edge:
    """Kind, source id, target id, metadata."""
    return Edge(EdgeKind(row[0]), row[1].hex(), row[2].hex(), tuple(json.loads(row[3]).items()))


def notes_text(notes: Notes) -> str:
    """Notes as one line of JSON; what is empty is left out."""
    evidence, *others = notes
    values = zip(Notes._fields, (evidence.table(), *others), strict=True)
    return _encode({name: value for name, value in values if value})


def notes_of(text: str) -> Notes:
    """What `notes_text` wrote."""
    if text == "{}":
        return _NO_NOTES
    values = json.loads(text)
    evidence, warnings = KeptEvidence.of(values.get("evidence", {})), tuple(values.get("warnings", ()))
    return Notes(**{**values, "evidence": evidence, "warnings": warnings})


def detail_text(detail: ChangeDetail) -> str:
    """Details of a change as one line of JSON; empty where there is nothing to say."""
    values: dict[str, object] = {}
    if detail.drift is not None:
        values["drift"] = detail.drift.as_dict()
    if detail.sections:
        values["sections"] = dict(detail.sections)
    return _encode(values) if values else ""


def detail_of(text: str) -> ChangeDetail:
    """What `detail_text` wrote; events of other kinds, and of earlier versions, have no details."""
    try:
        values = json.loads(text) if text else {}
    except ValueError:
        values = {}
    if not isinstance(values, dict):
        return ChangeDetail()
    sections = {name: SectionVerdict(word) for name, word in values.get("sections", {}).items()}
    return ChangeDetail(read_drift(values.get("drift")), sections)


def marks(count: int, first: int = 1) -> str:
    """That many places for values, numbered."""
    return ", ".join(f"${number}" for number in range(first, first + count))


KNOW_STORE: Final = "INSERT INTO store (store_id, is_own) VALUES ($1, 0) ON CONFLICT DO NOTHING"
COMMIT_END: Final = """
INSERT INTO archive_file (name, committed_end) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
SET committed_end = excluded.committed_end WHERE archive_file.committed_end < excluded.committed_end
"""
