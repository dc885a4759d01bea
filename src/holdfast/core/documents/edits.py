"""Writing other URLs into a document: only their own bytes change, and a reader finds exactly what was meant.

1. An edit replaces the bytes of one URL. How the new one is spelled there depends on the format, and on
   what stands around it; so it is tried, the plainest spelling first, and read back.
2. A spelling is right when the edited document has the same links as before, in the same order, kinds and
   places, with the new URL in its place and every other one unchanged, and tables drawn with characters
   hold as they did. Nothing else is trusted.
3. An edit for which no spelling is right is refused, and the document stays as it was there.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.readers import read_links
from holdfast.core.documents.rst_blocks import lines_in_tables
from holdfast.core.links.project import role_of
from holdfast.core.page.page import LinkKind, Mention

_MARKS = re.compile(r"[\\()\[\]<>_*`~|]")
_RISKY: Final = "()[]<>_*`~|'\"\\^{}"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Another URL for the bytes from `start` to `end`; `url` is what it shall mean."""

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True)
class Edited:
    """The document after the edits, which of them are in it, and which could not be written.

    `spellings` are the bytes that were written, one for each edit that was applied.
    """

    content: bytes
    applied: tuple[Edit, ...]
    refused: tuple[Edit, ...]
    spellings: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class _Link:
    start: int
    url: str
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class _Before:
    links: Sequence[Mention]
    lines_in_tables: int


def edit_document(data: bytes, kind: DocumentFormat, edits: Sequence[Edit]) -> Edited:
    """Put new URLs into a document."""
    wanted = sorted(set(edits))
    before = _Before(read_links(data, kind), _lines_in_tables(data, kind))
    raws = {mention.span.start: mention.raw for mention in before.links}
    at_once = [(edit, next(_spellings(edit, data, raws), b"")) for edit in wanted]
    content = _written(data, at_once)
    if _is_right(content, kind, before, at_once):
        return Edited(content, tuple(wanted), (), tuple(spelling for _, spelling in at_once))
    return _one_by_one(data, kind, wanted, before, raws)


def _one_by_one(
    data: bytes,
    kind: DocumentFormat,
    wanted: Sequence[Edit],
    before: _Before,
    raws: Mapping[int, str],
) -> Edited:
    made: list[tuple[Edit, bytes]] = []
    refused: list[Edit] = []
    for edit in wanted:
        for spelling in _spellings(edit, data, raws):
            tried = [*made, (edit, spelling)]
            if _is_right(_written(data, tried), kind, before, tried):
                made = tried
                break
        else:
            refused.append(edit)
    applied, spellings = tuple(edit for edit, _ in made), tuple(spelling for _, spelling in made)
    return Edited(_written(data, made), applied, tuple(refused), spellings)


def _spellings(edit: Edit, data: bytes, raws: Mapping[int, str]) -> Iterator[bytes]:
    """Ways to write a URL, the plainest first."""
    written = data[edit.start : edit.end]
    raw = raws.get(edit.start, "")
    if edit.url == "https" + raw[4:] and written[:5].lower() == b"http:":
        yield b"https" + written[4:]  # the escapes that are there stay as they are
    url = edit.url
    amp = url.replace("&", "&amp;")
    percent = "".join(f"%{ord(char):02X}" if char in _RISKY else char for char in url)
    escaped = _MARKS.sub(r"\\\g<0>", url)
    in_json = json.dumps(url, ensure_ascii=False)[1:-1]
    plain = (amp, url) if b"&amp;" in written else (url, amp)
    for text in dict.fromkeys(
        (*plain, in_json, escaped, json.dumps(escaped)[1:-1], percent, percent.replace("&", "&amp;"))
    ):
        yield text.encode("utf-8", "surrogateescape")


def _written(data: bytes, made: Sequence[tuple[Edit, bytes]]) -> bytes:
    parts, at = [], 0
    for edit, spelling in sorted(made):
        parts += [data[at : edit.start], spelling]
        at = edit.end
    return b"".join((*parts, data[at:]))


def _is_right(
    content: bytes, kind: DocumentFormat, before: _Before, made: Sequence[tuple[Edit, bytes]]
) -> bool:
    by_start = {edit.start: edit for edit, _ in made}
    ordered = sorted(made)
    starts = [edit.start for edit, _ in ordered]
    shifts = [0, *accumulate(len(spelling) - (edit.end - edit.start) for edit, spelling in ordered)]
    expected = []
    for mention in before.links:
        start = mention.span.start
        edit = by_start.get(start)
        moved = start + shifts[bisect_left(starts, start)]
        url = role_of(mention.raw) + edit.url if edit else mention.raw
        expected.append(_Link(moved, url, mention.kind))
    try:
        after = read_links(content, kind)
    except FormatError:
        return False
    found = [_Link(mention.span.start, mention.raw, mention.kind) for mention in after]
    return expected == found and _lines_in_tables(content, kind) == before.lines_in_tables


def _lines_in_tables(content: bytes, kind: DocumentFormat) -> int:
    return lines_in_tables(content) if kind is DocumentFormat.RST else 0
