"""Which lines of an AsciiDoc file are text, in the order in which they stand.

1. A block delimiter is a line of its own: listings (`----`), literals (`....`), comments (`////`) and fences
   show themselves as they are, up to the same line again; `++++` holds HTML; example, sidebar, quote, table
   and open blocks hold more blocks. Under one line of about its own length it is a title's underline.
2. An attribute line (`[source]`) ends the paragraph before it and says how the next block is read.
3. A paragraph that begins with white space shows itself as it is, unless it is a list item, or what a term of
   a description list waits for.
4. A comment line is not text, and ends no paragraph. In a table `|` ends a cell.
5. A document whose own title is underlined is in `compat-mode`, as if that attribute were set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from holdfast.core.values import dataclass
from holdfast.formats.documents.source import decode

__all__ = ["AttributeEntry", "Block", "CommentText", "RawHtml", "Text", "blocks"]

_FENCE = re.compile(rb"(?:-{4,}|\.{4,}|\+{4,}|/{4,}|```[^\s`]*)\Z")
_FRAME = re.compile(rb"(?:--|={4,}|\*{4,}|_{4,}|[|,:!]={3,}|\+)\Z")
_TABLE = re.compile(rb"[|,:!]={3,}\Z")
_UNDERLINE = re.compile(rb"(=+|-+|~+|\^+|\++)\Z")
_ATTRIBUTES = re.compile(rb"\[(?:|[\w.#%{,\"'\x80-\xff].*|\[.*\])\]\Z")
_VERBATIM = re.compile(rb"\[(?:(?:source|listing|literal|stem|latexmath|asciimath|comment|pass)\b|,)")
_STYLED = re.compile(rb"\[(?:,|\w[^,=\]]*[,\]])")
_ENTRY = re.compile(rb":(\w[\w-]*):(?:[ \t]+(.*))?\Z")
_LIST = re.compile(
    rb"[ \t]*(?:(?:-|\*+|\.+|[0-9]+\.|[a-zA-Z]\.|[IVXivx]+\)|<[0-9.]+>)[ \t]"
    rb"|[^ \t].*?(?::::?:?|;;)(?:[ \t]|\Z))"
)
_TERM = re.compile(rb".*(?:::|;;)\Z")
_TITLE = re.compile(rb"=+[ \t]+\S|#+[ \t]+\S|\.[^\s.]")
_NOT_LINE_END = re.compile(rb"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph, a title, a list item: `text` stands at `start`, with what is not text blanked."""

    start: int
    text: bytes


@dataclass(frozen=True, slots=True)
class RawHtml:
    """A passthrough block."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CommentText:
    """A comment, without its marks."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AttributeEntry:
    """`:name: value`."""

    name: bytes
    value: bytes


Block = Text | RawHtml | CommentText | AttributeEntry


def blocks(data: bytes) -> Iterator[Block]:
    """The blocks that hold text or comments, and the attributes that are set."""
    reader = _Reader(data)
    at = 0
    for line in data.splitlines(keepends=True):
        yield from reader.line(line.rstrip(), at, at + len(line))
        at += len(line)
    yield from reader.end_paragraph()


class _Reader:
    """One pass over the lines."""

    __slots__ = ("_begun", "_data", "_fence", "_inside", "_is_literal", "_lines", "_style", "_table", "_term")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._fence = b""  # what closes the verbatim block that is open
        self._inside = 0  # where it began
        self._lines: list[tuple[int, int]] = []
        self._is_literal = False  # the paragraph that is open shows itself as it is
        self._style = False  # the next block shows itself as it is
        self._table = False
        self._term = False  # a term waits for its description
        self._begun = False  # the first text, which may be the document's title, is past

    def line(self, text: bytes, start: int, end: int) -> Iterator[Block]:
        """Take the next line, without its end, and where it stands."""
        if self._fence:
            if text == self._fence:
                yield from self._close(start)
        elif not text or self._is_underline(text):
            yield from self._mode(text)
            yield from self.end_paragraph()
        elif _FENCE.match(text) or _FRAME.match(text):
            yield from self.end_paragraph()
            self._open(text, end)
        elif text.startswith(b"//") and not text.startswith(b"///"):
            yield CommentText(start + 2, start + len(text))
        elif not self._is_literal and (entry := _ENTRY.match(text)):
            yield AttributeEntry(entry[1], entry[2] or b"")
        elif _ATTRIBUTES.match(text):
            yield from self.end_paragraph()
            if _STYLED.match(text):
                self._style = _VERBATIM.match(text) is not None
        else:
            yield from self._text(text, start)

    def _mode(self, underline: bytes) -> Iterator[Block]:
        if underline.startswith(b"=") and not self._begun:
            yield AttributeEntry(b"compat-mode", b"")

    def end_paragraph(self) -> Iterator[Block]:
        """What was gathered is a block."""
        lines, self._lines = self._lines, []
        self._begun = self._begun or bool(lines)
        if lines and not self._is_literal:
            (start, end), data = lines[0], self._data
            pieces = [data[start:end]]
            for (_, gap), (gap_end, line_end) in pairwise(lines):  # a line end, or a comment line
                pieces += (_NOT_LINE_END.sub(b" ", data[gap:gap_end]), data[gap_end:line_end])
            text = b"".join(pieces)
            yield Text(start, text.replace(b"|", b" ") if self._table else text)
        self._is_literal = False

    def _text(self, text: bytes, start: int) -> Iterator[Block]:
        is_item = _LIST.match(text) is not None
        if is_item and not self._is_literal and not self._style:
            yield from self.end_paragraph()
        if not self._lines:
            self._is_literal = self._style or (text[:1] in b" \t" and not is_item and not self._term)
            self._style = False
        self._term = _TERM.match(text) is not None
        self._lines.append((start, start + len(text)))
        if len(self._lines) == 1 and not self._is_literal and _TITLE.match(text):
            yield from self.end_paragraph()

    def _open(self, delimiter: bytes, inside: int) -> None:
        self._begun = True
        if _FENCE.match(delimiter) or (self._style and delimiter == b"--"):
            self._fence = b"```" if delimiter.startswith(b"```") else delimiter
            self._inside = inside
        elif _TABLE.match(delimiter):
            self._table = not self._table
        self._is_literal = self._style and delimiter.startswith(b"++++")
        self._style = False

    def _close(self, end: int) -> Iterator[Block]:
        if self._fence.startswith(b"++++") and not self._is_literal:
            yield RawHtml(self._inside, end)
        elif self._fence.startswith(b"////"):
            yield CommentText(self._inside, end)
        self._fence, self._is_literal = b"", False

    def _is_underline(self, text: bytes) -> bool:
        if len(self._lines) != 1 or self._is_literal or not _UNDERLINE.match(text):
            return False
        start, end = self._lines[0]
        title = decode(self._data[start:end])
        is_titled = not title.startswith(".") and any(map(str.isalnum, title))
        return is_titled and abs(len(title) - len(text)) < 2
