"""Where a Markdown text can be cut so that its parts, read one by one, say what the whole says.

An edit changes one part; the others need not be read again. In Markdown much of what a line means is decided
by lines far away, so a cut is made only where that cannot be:

1. before a line that begins at the margin with a letter, a digit or one of `[ # ! * _ (`, after a blank line:
   lists, quotes and indented code have ended there; or before an item `- [` where nothing stands at the
   margin since the last blank line but a heading, words and other items;
2. not inside a fence, nor in what HTML keeps open over blank lines (comments, `pre`, `script`, …), nor in
   front matter. Where that cannot be told, nothing after it is cut: a fence that is indented may belong to
   a list or not, one that follows a tag without a blank line may be HTML or not;
3. not at all where a reference or a footnote is defined, or an ignore is written: they speak of other parts.

Of the places where it could be cut about every eighth is, chosen by what follows: an edit elsewhere does not
move the cuts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final
from zlib import crc32

from holdfast.formats.documents.front_matter import front_matter

__all__ = ["segments_of"]

_SPEAKS_OF_OTHERS: Final = re.compile(rb"\]:|holdfast:|\r(?!\n)")
_BLANK: Final = re.compile(rb"\n(?:[ \t]*\r?\n)+")
_BEGINS: Final = frozenset(
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789[#!*_(" + bytes(range(0x80, 0x100))
)
_LIST: Final = re.compile(
    rb"(?:#{1,6}[ \t][^\n]*\n)?((?:[-*+][ \t][^\n]*\n|[ \t]+\S[^\n]*\n|[A-Za-z0-9][^\n|]*\n)+)"
)
_ITEM: Final = re.compile(rb"\n(?=[-*+] \[)")
_OPENS: Final = re.compile(
    rb"^( {0,3})(?:(?P<fence>`{3,}|~{3,})|(?P<html><(?:!--|\?|![A-Za-z\[]|(?:script|pre|style|textarea)\b)))",
    re.MULTILINE | re.IGNORECASE,
)
_ENDS: Final = {
    b"<!--": re.compile(rb"-->"),
    b"<?": re.compile(rb"\?>"),
    b"<![": re.compile(rb"\]\]>"),
    b"<!": re.compile(rb">"),
    b"<": re.compile(rb"</(script|pre|style|textarea)>", re.IGNORECASE),
}
_TAG: Final = re.compile(rb"^ {0,3}</?[A-Za-z]", re.MULTILINE)
_AT_MARGIN: Final = re.compile(rb"^[^ \t\r\n]", re.MULTILINE)
_LOOKED_AT: Final = 96
_ONE_IN: Final = 8


def segments_of(data: bytes) -> list[tuple[int, int]]:
    """The parts of a text, each from its first byte to the one after its last; one where it cannot be cut."""
    if _SPEAKS_OF_OTHERS.search(data):
        return [(0, len(data))]
    first = front_matter(data).body
    closed = list(_closed(data, first))
    cuts = [0]
    passed = iter(closed)
    inside = next(passed, None)
    for cut in _places(data):
        while inside is not None and inside[1] <= cut:
            inside = next(passed, None)
        if cut > first and not (inside is not None and inside[0] < cut) and _is_chosen(data, cut):
            cuts.append(cut)
    return list(pairwise([*cuts, len(data)]))


def _places(data: bytes) -> Iterator[int]:
    start = 0
    for blank in _BLANK.finditer(data):
        yield from _places_in(data, start, blank.start() + 1)
        start = blank.end()
    yield from _places_in(data, start, len(data))


def _places_in(data: bytes, start: int, end: int) -> Iterator[int]:
    """The places of one block of lines."""
    if start < end and data[start] in _BEGINS:
        yield start
    if data.find(b" [", start, end) >= 0 and (run := _LIST.match(data, start, end)) is not None:
        yield from (match.end() for match in _ITEM.finditer(data, run.start(1), run.end(1)))


def _is_chosen(data: bytes, cut: int) -> bool:
    return crc32(data[cut : cut + _LOOKED_AT]) % _ONE_IN == 0


def _closed(data: bytes, first: int) -> Iterator[tuple[int, int]]:
    """What is inside fences and HTML that blank lines do not end, in order."""
    at = first
    while (opened := _OPENS.search(data, at)) is not None:
        block = max((blank.end() for blank in _BLANK.finditer(data, at, opened.start())), default=at)
        at = len(data) if _TAG.search(data, block, opened.start()) else _end_of(data, opened)
        yield opened.start(), at


def _end_of(data: bytes, opened: re.Match[bytes]) -> int:
    """Where what was opened ends; the end of the text where that cannot be told."""
    indented = opened[1]
    if opened["fence"] is None:
        word = next(word for word in _ENDS if opened["html"].startswith(word))
        end = None if indented else _ENDS[word].search(data, opened.end())
        if end is None or (word == b"<" and end[1].lower() != opened["html"][1:].lower()):
            return len(data)
        return _line_end(data, end.end())
    line = data[opened.end() : _line_end(data, opened.end())]
    if opened["fence"][:1] == b"`" and b"`" in line:
        return opened.end()  # a fence of backticks has none after it: this is code in a line
    closes = re.compile(
        rb"^" + (indented or rb" {0,3}") + re.escape(opened["fence"]) + opened["fence"][:1] + rb"*[ \t]*\r?$",
        re.MULTILINE,
    ).search(data, opened.end())
    if closes is None or (indented and _AT_MARGIN.search(data, opened.end(), closes.start())):
        return len(data)
    return closes.end()


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return end + 1 if end >= 0 else len(data)
