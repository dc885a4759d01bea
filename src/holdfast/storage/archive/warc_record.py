"""One WARC/1.1 record: its fields and its block, written and read; and those records that are not captures.

1. Digests are SHA-256, of the block.
2. The `warcinfo` that opens a file names the store it is a part of (`isPartOf`), by which a ledger knows
   its own files.
3. A line break in a field's value would forge a field: it is written as a space. Bytes that are not UTF-8
   are kept as they were (`surrogateescape`).

What the archive tells of the ledger are `metadata` records (STA-7):

4. A part of a chapter: lines of JSON that any reader of WARC files gives back. The fields
   `Holdfast-Chapter`, `-Part` and `-Last` say which part of which chapter it is.
5. An address that a run refused, under that address (`WARC-Target-URI`) and in fields that others read: who
   looks for it finds why it is not there. Chapters tell of it, too; so nothing reads these records back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.chapters import Part, RefusedAddress
from holdfast.core.web.capture import Headers

SAME_BODY: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""The profile of a revisit whose body another record holds."""
HOP_TO: Final = "Holdfast-Hop-To"
"""In the record of a redirect: the address that answered in the end."""
_FORGOTTEN: Final = b"forgotten: true\r\n"
_PART: Final = "urn:holdfast:store:"
_DIGITS: Final = 19
_BREAKS: Final = re.compile(r"[\r\n\0]+")


@dataclass(frozen=True, slots=True)
class Info:
    """What the record that opens a file says: who wrote it, and of which store it is a part."""

    software: str
    store_id: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One WARC record: the first value of each field, by its name in lower case; and its block, whole."""

    fields: Mapping[str, str]
    block: bytes

    def field(self, name: str) -> str | None:
        """The first value of a field."""
        return self.fields.get(name.lower())

    @property
    def type(self) -> str:
        """`response`, `revisit`, `request`, `warcinfo`, …"""
        return self.fields.get("warc-type", "")

    @property
    def refers_to(self) -> tuple[str, int] | None:
        """File and offset of the record that holds the body of this revisit."""
        file, offset = self.field("WARC-Refers-To-Filename"), self.field("WARC-Refers-To-File-Offset")
        number = whole_number(offset)
        return (file, number) if file and number is not None else None

    @property
    def holds_same_body(self) -> bool:
        """Whether it is a revisit whose body must be fetched from elsewhere."""
        return self.fields.get("warc-profile") == SAME_BODY

    @property
    def is_hop(self) -> bool:
        """Whether it is a redirect on the way to the capture before it."""
        return self.type == "response" and self.field(HOP_TO) is not None

    @property
    def is_filler(self) -> bool:
        """Whether it stands in the place of a record that was forgotten."""
        return self.type == "metadata" and self.block == _FORGOTTEN

    @property
    def store_id(self) -> str | None:
        """The store whose ledger knows this file, as the `warcinfo` that opens it says (`isPartOf`)."""
        lines = _text(self.block).split("\r\n") if self.type == "warcinfo" else []
        part = _by_name(lines).get("ispartof", "")
        return part.removeprefix(_PART) if part.startswith(_PART) else None

    @property
    def http(self) -> tuple[str, Headers, bytes]:
        """The first line, the fields and the body of an HTTP message."""
        head, _, body = self.block.partition(b"\r\n\r\n")
        first, *lines = _text(head).split("\r\n")
        return first, _split(lines), body


def whole_number(text: str | None) -> int | None:
    """A number as headers have it; None for what is none, or is larger than any file."""
    return int(text) if text and text.isdecimal() and len(text) < _DIGITS else None


def payload_digest(body: bytes) -> str:
    """SHA-256 of a body, as 64 hex digits."""
    return hashlib.sha256(body).hexdigest()


def encode_info(info: Info, file: str, at: datetime) -> bytes:
    """The record that opens a file."""
    part = f"isPartOf: {_PART}{info.store_id}\r\n" if info.store_id else ""
    block = f"software: {info.software}\r\nformat: WARC File Format 1.1\r\nconformsTo: WARC/1.1\r\n{part}"
    name = record_id("warcinfo", info.store_id, file, warc_date(at))
    lines = (
        "WARC-Type: warcinfo",
        f"WARC-Record-ID: {name}",
        f"WARC-Date: {warc_date(at)}",
        f"WARC-Filename: {file}",
        "Content-Type: application/warc-fields",
    )
    return encode_record(lines, block.encode())


def encode_filler() -> bytes:
    """A record that says that another stood in its place and was forgotten (STA-4)."""
    lines = (
        "WARC-Type: metadata",
        f"WARC-Record-ID: {record_id('forgotten')}",
        "WARC-Date: 1970-01-01T00:00:00Z",
        "Content-Type: application/warc-fields",
    )
    return encode_record(lines, _FORGOTTEN)


def encode_metadata(lines: Iterable[str], block: bytes, name: tuple[str, ...], at: datetime) -> bytes:
    """A record that says something about others; `name` makes its id unique."""
    date = warc_date(at)
    first = (
        "WARC-Type: metadata",
        f"WARC-Record-ID: {record_id('metadata', *name, date)}",
        f"WARC-Date: {date}",
    )
    return encode_record((*first, *lines), block)


def parse_record(data: bytes) -> Record:
    """A record's fields and block, lengths and block digest checked; FormatError says what is wrong."""
    head, mark, rest = data.partition(b"\r\n\r\n")
    version, *lines = _text(head).split("\r\n")
    if not mark or version not in ("WARC/1.1", "WARC/1.0"):
        raise FormatError("no WARC record begins here")
    fields = _by_name(lines)
    said = fields.get("content-length", "")
    length = whole_number(said)
    if length is None or len(rest) != length + 4 or not rest.endswith(b"\r\n\r\n"):
        raise FormatError(
            f"the record's block has {len(rest) - 4} bytes, its header says {said[:40] or 'nothing'}"
        )
    block = rest[:-4]
    digest = fields.get("warc-block-digest")
    if digest and digest != f"sha256:{payload_digest(block)}":
        raise FormatError("the block is not what its digest says")
    return Record(fields, block)


def encode_record(lines: Iterable[str], block: bytes) -> bytes:
    """A record of these fields, each a line, and this block, with its digest and its length."""
    digest, length = f"WARC-Block-Digest: sha256:{payload_digest(block)}", f"Content-Length: {len(block)}"
    return encode_lines(["WARC/1.1", *lines, digest, length, "", ""]) + block + b"\r\n\r\n"


def encode_lines(lines: list[str]) -> bytes:
    """Lines as records have them, with their breaks between them."""
    head = "\r\n".join(lines)
    breaks = len(lines) - 1
    if "\0" in head or head.count("\r") != breaks or head.count("\n") != breaks:
        head = "\r\n".join([_BREAKS.sub(" ", line) for line in lines])
    try:
        return head.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte: nothing that came over a wire has one
        return head.encode("utf-8", "replace")


def _split(lines: Iterable[str]) -> Headers:
    pairs = [line.partition(":") for line in lines]
    return tuple([(name, value.removeprefix(" ")) for name, colon, value in pairs if colon])


def _by_name(lines: Sequence[str]) -> dict[str, str]:
    pairs = [line.partition(":") for line in reversed(lines)]
    return {name.lower(): value.removeprefix(" ") for name, colon, value in pairs if colon}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def warc_date(time: datetime) -> str:
    """A time as records have it."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def record_id(*inputs: str) -> str:
    """The id of a record; the same for the same inputs."""
    name = hashlib.sha256("\0".join(inputs).encode()).hexdigest()
    return f"<urn:uuid:{name[:8]}-{name[8:12]}-4{name[13:16]}-a{name[17:20]}-{name[20:32]}>"


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
    chapter, number = record.field("Holdfast-Chapter"), whole_number(record.field("Holdfast-Part"))
    if record.type != "metadata" or not chapter or number is None:
        return None
    return Part(chapter, number, record.field("Holdfast-Last") == "yes", record.block)
