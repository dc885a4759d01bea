"""What the archive tells of the ledger, as WARC `metadata` records (STA-7).

1. A part of a chapter: lines of JSON that any reader of WARC files gives back. The fields `Holdfast-Chapter`,
   `-Part` and `-Last` say which part of which chapter it is.
2. An address that a run refused, under that address (`WARC-Target-URI`) and in fields that others read: who
   looks for it finds why it is not there. Chapters tell of it, too; so nothing reads these records back.
"""

from __future__ import annotations

from datetime import datetime

from holdfast.core.chapters import Part, RefusedAddress
from holdfast.formats.warc_record import Record, encode_lines, encode_metadata

__all__ = ["LINES", "decode_part", "encode_told"]

LINES = "application/x-ndjson"


def encode_told(told: Part | RefusedAddress, place: str, at: datetime) -> bytes:
    """The record; `place` makes its id unique."""
    if isinstance(told, RefusedAddress):
        fields = (f"WARC-Target-URI: {told.url}", "Content-Type: application/warc-fields")
        block = encode_lines([f"refused: {told.words}", f"run: {told.run_id}", ""])
        return encode_metadata(fields, block, (place, told.run_id, told.url), at)
    lines = (
        f"Holdfast-Chapter: {told.chapter}",
        f"Holdfast-Part: {told.number}",
        f"Holdfast-Last: {'yes' if told.is_last else 'no'}",
        f"Content-Type: {LINES}",
    )
    return encode_metadata(lines, told.text, (place, told.chapter, str(told.number)), at)


def decode_part(record: Record) -> Part | None:
    """The part that a record holds, if it holds one."""
    chapter, number = record.field("Holdfast-Chapter"), record.field("Holdfast-Part") or ""
    if record.type != "metadata" or not chapter or not number.isdecimal():
        return None
    return Part(chapter, int(number), record.field("Holdfast-Last") == "yes", record.block)
