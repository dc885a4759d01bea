"""A part of a ledger's chapter as a WARC `metadata` record (STA-7): lines of JSON that any reader of WARC
files gives back. The fields `Holdfast-Chapter`, `-Part` and `-Last` say which part of which chapter it is.
"""

from __future__ import annotations

from datetime import datetime

from holdfast.core.chapters import Part
from holdfast.formats.warc import Record, encode_metadata

__all__ = ["LINES", "decode_part", "encode_part"]

LINES = "application/x-ndjson"


def encode_part(part: Part, place: str, at: datetime) -> bytes:
    """The record; `place` makes its id unique."""
    fields = (
        ("Holdfast-Chapter", part.chapter),
        ("Holdfast-Part", str(part.number)),
        ("Holdfast-Last", "yes" if part.is_last else "no"),
        ("Content-Type", LINES),
    )
    return encode_metadata(fields, part.text, (place, part.chapter, str(part.number)), at)


def decode_part(record: Record) -> Part | None:
    """The part that a record holds, if it holds one."""
    chapter, number = record.field("Holdfast-Chapter"), record.field("Holdfast-Part") or ""
    if record.type != "metadata" or not chapter or not number.isdecimal():
        return None
    return Part(chapter, int(number), record.field("Holdfast-Last") == "yes", record.block)
