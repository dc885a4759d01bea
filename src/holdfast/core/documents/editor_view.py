"""A document's text, read for an editor: its links with their places, which of them are ignored, and why.

1. The text is what the editor holds; whether it was saved does not matter.
2. A link whose URL was seen before is not canonicalized again, and of a Markdown text only the parts that
   an edit touched are read again (`segments_of`): an edit touches one line, a text may have thousands of
   links.
3. Editors count lines from 0 and columns in UTF-16 units from 0; `EditorPlace` is that, offsets are bytes
   of UTF-8.

A Markdown text is cut so that its parts, read one by one, say what the whole says. An edit changes one
part; the others need not be read again. In Markdown much of what a line means is decided by lines far away,
so a cut is made only where that cannot be:

4. before a line that begins at the margin with a letter, a digit or one of `[ # ! * _ (`, after a blank
   line: lists, quotes and indented code have ended there; or before an item `- [` where nothing stands at
   the margin since the last blank line but a heading, words and other items;
5. not inside a fence, nor in what HTML keeps open over blank lines (comments, `pre`, `script`, …), nor in
   front matter. Where that cannot be told, nothing after it is cut: a fence that is indented may belong to
   a list or not, one that follows a tag without a blank line may be HTML or not;
6. not at all where a reference or a footnote is defined, or an ignore is written: they speak of other
   parts.

Of the places where it could be cut about every eighth is, chosen by what follows: an edit elsewhere does
not move the cuts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple
from zlib import crc32

from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.documents.document_kinds import DocumentFormat
from holdfast.core.documents.found import BOM, Source, decode, is_external
from holdfast.core.documents.front_matter import front_matter
from holdfast.core.documents.readers import read_whole
from holdfast.core.findings.ignore import IgnoreFinding, ignore_findings, ignored_lines
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.citation import Citation
from holdfast.core.links.citing import cite
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.url.policy import Policy

_NOWHERE = Span(0, 0, 1, 1, 1)


class EditorPlace(NamedTuple):
    """A position as editors count: line from 0, UTF-16 code units from 0."""

    line: int
    character: int


class ViewedLink(NamedTuple):
    """A link of the text; `citation` is there for one that leads to the web."""

    mention: Mention
    citation: Citation | None
    ignored: bool


class ReadPart(NamedTuple):
    """A part of a text that was read by itself: its links as they stand at an offset, after so many lines."""

    text: bytes
    links: tuple[ViewedLink, ...]
    start: int
    line: int
    lines: int

    def at(self, start: int, line: int) -> ReadPart:
        """The same part elsewhere."""
        if (start, line) == (self.start, self.line):
            return self
        by, down = start - self.start, line - self.line
        links = []
        for mention, citation, ignored in self.links:
            used = _moved(mention.used, by, down) if mention.used else None
            moved = Mention(mention.raw, mention.text, mention.kind, _moved(mention.span, by, down), used)
            links.append(ViewedLink(moved, _with_mention(citation, moved) if citation else None, ignored))
        return ReadPart(self.text, tuple(links), start, line, self.lines)


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A text and what was read in it, in the order in which it stands there."""

    path: str
    kind: DocumentFormat
    source: Source
    links: tuple[ViewedLink, ...]
    problems: tuple[IgnoreFinding, ...]
    parts: Mapping[bytes, ReadPart] = field(default_factory=dict, repr=False)

    @property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.source.data

    def link_at(self, place: EditorPlace) -> ViewedLink | None:
        """The link whose URL stands at a place, or that is used there."""
        offset = self.offset(place)
        here = (link for link in self.links if link.mention.span.start <= offset <= link.mention.span.end)
        on_line = (link for link in self.links if _is_used_on(link, place.line + 1))
        return next(here, None) or next(on_line, None)

    def offset(self, place: EditorPlace) -> int:
        """Where a place stands among the bytes; what is beyond the end of a line is its end."""
        if place.line >= len(self.source.lines):
            return len(self.data)
        start, end = self._line(place.line)
        text = decode(self.data[start:end]).rstrip("\r\n")
        if text.isascii():
            return start + min(place.character, len(text))
        units = text.encode("utf-16-le", "surrogatepass")[: place.character * 2]
        return start + len(units.decode("utf-16-le", "ignore").encode("utf-8", "surrogatepass"))

    def place(self, offset: int) -> EditorPlace:
        """Where a byte stands for an editor."""
        line = max(bisect_right(self.source.lines, offset), 1) - 1
        start, _ = self._line(line)
        return EditorPlace(line, _units(self.data[start:offset]))

    def range_of(self, span: Span) -> tuple[EditorPlace, EditorPlace]:
        """Where a link begins and ends."""
        marked = len(BOM) if span.line == 1 and self.data.startswith(BOM) else 0
        start = EditorPlace(span.line - 1, span.utf16_column - 1 + bool(marked))
        written = self.data[span.start : span.end]
        if b"\n" in written or b"\r" in written:
            return start, self.place(span.end)
        return start, EditorPlace(start.line, start.character + _units(written))

    def line_text(self, line: int) -> str:
        """A line from 0, without its end."""
        if line >= len(self.source.lines):
            return ""
        start, end = self._line(line)
        return decode(self.data[start:end]).rstrip("\r\n")

    def _line(self, line: int) -> tuple[int, int]:
        start, end = self.source.line_range(line + 1)
        return (0, end) if line == 0 else (start, end)


class Viewer:
    """Reads texts; what a URL means is worked out once."""

    def __init__(self, policy: Policy, *, wiki_links: bool = False) -> None:
        self._wiki_links = wiki_links

        @lru_cache(maxsize=65_536)
        def meaning(raw: str) -> Citation | None:
            return cite(Mention(raw, "", LinkKind.ANCHOR, _NOWHERE), policy)

        self._meaning: Callable[[str], Citation | None] = meaning

    def view(
        self, path: str, kind: DocumentFormat, data: bytes, today: date, before: DocumentView | None = None
    ) -> DocumentView:
        """A text, read; one that cannot be read has a problem and no links. Parts that stand in the view from
        `before` an edit as well are not read again.
        """
        source = Source(data)
        segments = segments_of(data) if kind is DocumentFormat.MARKDOWN else []
        if len(segments) > 1:
            parts = self._parts(data, segments, before.parts if before is not None else {})
            whole = tuple(link for part in parts for link in part.links)
            return DocumentView(path, kind, source, whole, (), {part.text: part for part in parts})
        try:
            reading = read_whole(data, kind, wiki_links=self._wiki_links)
        except FormatError as error:
            problem = IgnoreFinding(1, error.message, RuleCode.DOCUMENT_UNREADABLE)
            return DocumentView(path, kind, source, (), (problem,))
        is_ignored = ignored_lines(reading.ignores, today) if reading.ignores else None
        links = []
        for mention in reading.mentions:
            known = self._meaning(mention.raw) if is_external(mention.raw) else None
            ignored = is_ignored is not None and is_ignored((mention.used or mention.span).line)
            citation = known._replace(mention=mention, ignored=ignored) if known else None
            links.append(ViewedLink(mention, citation, ignored))
        lines = {(link.mention.used or link.mention.span).line for link in links} if reading.ignores else ()
        problems = ignore_findings(reading.ignores, reading.problems, lines, today)
        return DocumentView(path, kind, source, tuple(links), tuple(problems))

    def _parts(
        self, data: bytes, segments: list[tuple[int, int]], known: Mapping[bytes, ReadPart]
    ) -> list[ReadPart]:
        parts = []
        line = 0
        for start, end in segments:
            text = data[start:end]
            part = known.get(text) or self._read_part(text)
            parts.append(part.at(start, line))
            line += part.lines
        return parts

    def _read_part(self, text: bytes) -> ReadPart:
        mentions = read_whole(text, DocumentFormat.MARKDOWN, wiki_links=self._wiki_links).mentions
        meanings = [self._meaning(each.raw) if is_external(each.raw) else None for each in mentions]
        links = tuple(
            ViewedLink(mention, known._replace(mention=mention) if known else None, ignored=False)
            for mention, known in zip(mentions, meanings, strict=True)
        )
        return ReadPart(text, links, 0, 0, text.count(b"\n"))


def _with_mention(citation: Citation, mention: Mention) -> Citation:
    return Citation(citation.place, citation.fetch_url, mention, citation.fragment)


def _moved(span: Span, offset: int, line: int) -> Span:
    return Span(span.start + offset, span.end + offset, span.line + line, span.column, span.utf16_column)


def _is_used_on(link: ViewedLink, line: int) -> bool:
    return link.mention.used is not None and link.mention.used.line == line


def _units(data: bytes) -> int:
    if data.isascii():
        return len(data)
    return len(decode(data).encode("utf-16-le", "surrogatepass")) // 2


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
