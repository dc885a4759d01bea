"""Which passages of a Markdown text can hold what is wanted; the others are blanked before it is parsed.

A parser's cost is its events, and most of a document is neither an external link nor near one. Blanking may
change nothing but their number:

1. A passage begins after a blank line, at the first column, with a character that begins no list item, quote,
   rule, fence or raw HTML. It ends every container before it, and no block reaches across but a fence or a
   comment at the top level; those are followed from their first line to their last, and emptied.
2. A passage is kept if one of the places that are wanted lies in it.
3. Where anything else could reach across blank lines (`<pre>`, `<?`, a fence that may stand in a list item or
   in raw HTML), nothing is known of the rest of the text, and all of it is kept.
4. A blank is spaces and a line end, as long as what stood there: every byte keeps its place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from holdfast.formats.documents.ahead import Behind

__all__ = ["blank_passages", "empty_fences", "passages_of"]

_BEGINS: Final = rb"(?=[A-Za-z#!\[(\"'\x80-\xff])"
_BREAK = re.compile(rb"\n\n" + _BEGINS)
_CRLF_BREAK = re.compile(rb"\n\r\n" + _BEGINS)
_OPENER: Final = rb"( {0,3})(?:(`{3,}|~{3,})([^\n]*)|<(!--|[!?]|(?:script|pre|style|textarea)\b))"
_FIRST = re.compile(_OPENER, re.IGNORECASE)
_OPENS = re.compile(rb"\n" + _OPENER, re.IGNORECASE)
_CLOSES = re.compile(rb"\n( {0,3})(`{3,}|~{3,})[ \t\r]*(?=\n|\Z)")
_LONE_CR = re.compile(rb"\r(?!\n)")
_RAW_LINE = re.compile(rb"^ {0,3}<", re.MULTILINE)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_MEANS_MORE = re.compile(rb"holdfast:|--!")
"""In a comment: an ignore, or an end that only HTML knows."""


def empty_fences(data: bytes) -> tuple[bytes, int]:
    """The text with its fences and comments emptied, and up to where its blocks are known."""
    if b"\f" in data or b"\v" in data or (b"\r" in data and _LONE_CR.search(data)):
        return data, 0  # line ends and white space on which parsers do not agree
    pieces: list[bytes] = []
    done = at = closed = 0
    blank_lines, raw_lines = Behind(_BLANK_LINE, data), Behind(_RAW_LINE, data)
    while opener := (at == 0 and _FIRST.match(data)) or _OPENS.search(data, max(at - 1, 0)):
        is_comment = bool(opener[4])
        behind = blank_lines, raw_lines
        block = _comment(data, opener) if is_comment else _fence(data, opener, closed, *behind)
        if block is None:
            break
        start, end, at = block
        if start < end:
            pieces += (data[done:start], _blank(end - start))
            done, closed = end, at
    emptied = b"".join((*pieces, data[done:])) if pieces else data
    return emptied, opener.start() if opener else len(data)


def passages_of(text: bytes, known: int) -> list[int]:
    """Where the passages of a text begin, and where the last one ends."""
    pattern = _CRLF_BREAK if b"\r" in text else _BREAK
    return [0, *[match.end() for match in pattern.finditer(text, 0, known)], len(text)]


def blank_passages(text: bytes, passages: list[int], wanted: list[int]) -> bytes:
    """The text with only those passages that hold a wanted place; `wanted` is in order."""
    if len(passages) == 2:
        return text
    pieces: list[bytes] = []
    done = 0
    for place in wanted:
        if place >= done:
            passage = bisect_right(passages, place)
            start = passages[passage - 1]
            if start > done:
                pieces.append(_blank(start - done))
            done = passages[passage]
            pieces.append(text[start:done])
    if done < len(text):
        pieces.append(_blank(len(text) - done))
    return b"".join(pieces)


def _blank(length: int) -> bytes:
    return b" " * (length - 1) + b"\n"


def _comment(data: bytes, opener: re.Match[bytes]) -> tuple[int, int, int] | None:
    """What stands between a comment's marks, and its end; None for what may reach further, or not so far."""
    start = opener.end()
    end = data.find(b"-->", start)
    if opener[4] != b"!--" or end < 0 or data[start : start + 1] in (b"-", b">"):
        return None
    if b"\n" not in data[start:end]:
        return end, end, end
    if opener[1] or not _follows_blank(data, opener.start(1)) or _MEANS_MORE.search(data, start, end):
        return None
    return start, end, end


def _fence(
    data: bytes,
    opener: re.Match[bytes],
    after: int,
    blank_lines: Behind,
    raw_lines: Behind,
) -> tuple[int, int, int] | None:
    """The lines inside a fence, and its end; None for what may be none. A block ended at `after`."""
    line, (indent, fence, info), start = opener.start(1), opener.group(1, 2, 3), opener.end() + 1
    if fence[:1] == b"`" and b"`" in info:
        return start, start, start - 1  # a code span
    if indent and data.find(fence[:1] * 3, after, line) >= 0:
        return None  # it may close a fence that a list item began
    if not _follows_blank(data, line):
        block = max(blank_lines.before(line), after)
        if raw_lines.before(line) >= block:
            return None
    for closer in _CLOSES.finditer(data, start - 1):
        if closer[2].startswith(fence):
            end = closer.start() + 1
            one_item = closer[1] == indent and _all_indented(data[start:end], indent)
            return (start, end, closer.end()) if one_item or not indent else None
    return None


def _follows_blank(data: bytes, line: int) -> bool:
    return line == 0 or not data[data.rfind(b"\n", 0, line - 1) + 1 : line].strip()


def _all_indented(lines: bytes, indent: bytes) -> bool:
    return all(line.startswith(indent) or not line.strip() for line in lines.splitlines())
