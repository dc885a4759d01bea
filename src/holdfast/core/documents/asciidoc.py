"""URLs in AsciiDoc: bare, macros (`link:`, `image:`, `video:`, `audio:`), attributes that hold them.

1. Which lines are text is said by `blocks`; a passthrough block (`++++`) holds HTML. Inline passthroughs
   show what they hold as it is: that is blanked before links are read. A backslash before a URL or a macro
   makes it text.
2. A bare URL starts after white space, `<`, `>`, `(`, `)`, `[`, `]`, `;` or a formatting mark, or at the
   start of a line. With `[text]` it goes up to the bracket, in `<…>` up to the `>`. Alone it does not end
   in `.` or `,`, nor in one of `)`, `?`, `!`, `;`, `:`; after a quotation mark it is not a link. Monospace
   hides no link: AsciiDoc links URLs there too. In `compat-mode` backticks are passthroughs, and pluses are
   not.
3. `xref:page.adoc#id[text]` and `<<id,text>>` name files and ids of one's own; what has neither a `#` nor
   the suffix of a file is an id, and a file that is named with a `#` may go without its suffix.
4. `{name}` stands for the attribute's value where one is set in the same file; such a URL stands where it
   is used.

Which lines of a file are text, in the order in which they stand:

5. A block delimiter is a line of its own: listings (`----`), literals (`....`), comments (`////`) and
   fences show themselves as they are, up to the same line again; `++++` holds HTML; example, sidebar,
   quote, table and open blocks hold more blocks. Under one line of about its own length it is a title's
   underline.
6. An attribute line (`[source]`) ends the paragraph before it and says how the next block is read.
7. A paragraph that begins with white space shows itself as it is, unless it is a list item, or what a term
   of a description list waits for.
8. A comment line is not text, and ends no paragraph. In a table `|` ends a cell.
9. A document whose own title is underlined is in `compat-mode`, as if that attribute were set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from holdfast.core.base.values import dataclass
from holdfast.core.documents.found import Ahead, Comment, Found, decode
from holdfast.core.documents.html_source import read_html
from holdfast.core.page.page import LinkKind

_MARKS: Final = b"`*_#~^"
_MARKS_IN_COMPAT: Final = b"*_#~^+'"
_START = re.compile(
    rb"(?P<escaped>\\)?(?:"
    rb"(?P<macro>link|image|video|audio|xref)::?(?P<plus>\+\+)?(?=[^\s\[\]:+])"
    rb"|<<(?P<cross>[^\s<>,\[\]\"'][^<>,\n]*+)(?:,[^>\n]*+)?>>"
    rb"|(?:(?<![\s\S])|(?<=[\s<>()\[\];\"'`*_#~^+|]))"
    rb"(?P<url>(?:(?:https?|ftp|irc)://|\{[\w][\w-]*+\})[^\s\[\]<]*+))"
)
_TARGET_END = re.compile(rb"[\[\]\n]|\+\+")
_BRACKET_END = re.compile(rb"(?<!\\)(?:\\\\)*+\]")
_MAX_VALUE: Final = 8192
"""Attributes stand in attributes: a few lines could mean more characters than there is memory."""
_SCHEME = re.compile(r"(?:https?|ftp|irc)://", re.IGNORECASE)
_FILES: Final = (".adoc", ".asciidoc", ".asc", ".html", ".pdf", ".txt", ".md")
_REFERENCE = re.compile(r"\{([\w][\w-]*)\}")
_KINDS = {
    b"link": LinkKind.ANCHOR,
    b"image": LinkKind.IMAGE,
    b"video": LinkKind.MEDIA,
    b"audio": LinkKind.MEDIA,
    b"xref": LinkKind.REFERENCE,
}


def read_asciidoc(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text, and its comments."""
    found: list[Found] = []
    comments: list[Comment] = []
    attributes: dict[str, str] = {}
    for block in blocks(data):
        match block:
            case Text(start, text):
                found += [_moved(find, start) for find in _links(text, attributes)]
            case RawHtml(start, end):
                finds, _ = read_html(data[start:end])
                found += [_moved(find, start)._replace(kind=LinkKind.HTML) for find in finds]
            case AttributeEntry(name, value):
                attributes[decode(name).lower()] = _substituted(decode(value), attributes)
            case CommentText(start, end):
                comments.append(Comment(decode(data[start:end]), start, end))
    return sorted(found, key=lambda find: find.start), comments


def _moved(find: Found, by: int) -> Found:
    return find._replace(start=find.start + by, end=find.end + by)


def _links(text: bytes, attributes: dict[str, str]) -> Iterator[Found]:
    compat = "compat-mode" in attributes
    text = without_passthroughs(text, compat=compat)
    target_ends, bracket_ends = Ahead(_TARGET_END, text), Ahead(_BRACKET_END, text)
    at = 0
    while start := _START.search(text, at):
        at = start.end()
        if start["macro"]:
            target_end = target_ends.after(at)
            find = _macro(start, target_end, text, bracket_ends) if target_end else None
            at = start.start() + 1 if find is None else at
            if find is not None and start["macro"] == b"xref":
                find = find._replace(url=_crossed(find.url))
        elif start["cross"]:
            written = decode(start["cross"])
            find = Found(_crossed(written), "", LinkKind.REFERENCE, *start.span("cross"))
        else:
            label = _label(text, at, bracket_ends)
            find = _bare(start, label, text, _MARKS_IN_COMPAT if compat else _MARKS)
        if find is not None and not start["escaped"]:
            find = find._replace(url=_substituted(find.url, attributes))
            if start["url"] is None or _SCHEME.match(find.url):  # an attribute may hold any text
                yield find


def _label(text: bytes, at: int, bracket_ends: Ahead) -> bytes | None:
    """What stands in brackets at a place; None where there are none."""
    closing = bracket_ends.after(at + 1) if text.startswith(b"[", at) else None
    return text[at + 1 : closing.end() - 1] if closing else None


def _macro(
    start: re.Match[bytes], target_end: re.Match[bytes], text: bytes, bracket_ends: Ahead
) -> Found | None:
    end = after = target_end.start()
    if start["plus"]:
        after += len(b"++")
        if target_end[0] != b"++":
            return None
    label = _label(text, after, bracket_ends)
    if label is None:
        return None
    target = text[start.end() : end]
    return Found(decode(target), _words(label), _KINDS[start["macro"]], start.end(), end)


def _bare(match: re.Match[bytes], label: bytes | None, text: bytes, marks: bytes) -> Found | None:
    start, end = match.span("url")
    before = text[start - 1 : start] if start else b""
    if label is not None:
        return Found(decode(text[start:end]), _words(label), LinkKind.ANCHOR, start, end)
    url = text[start:end].rstrip(b".,")
    closing = url.find(b">")
    pointed = before == b"<" and closing > 0
    if before in (b'"', b"'", b"+") and before not in marks:
        return None
    written = url[:closing] if pointed else _trimmed(url, before if before in marks else b"")
    if written.endswith(b"://") or (written.startswith(b"{") and b"}" not in written):
        return None
    kind = LinkKind.AUTOLINK if pointed else LinkKind.BARE
    return Found(decode(written), "", kind, start, start + len(written))


def _crossed(target: str) -> str:
    """What a cross reference names, as a relative link."""
    path, mark, fragment = target.strip().partition("#")
    if not mark:
        return path if path.endswith(_FILES) or ":" in path else f"#{path}"
    return f"{path}#{fragment}" if fragment else path


def _trimmed(url: bytes, mark: bytes) -> bytes:
    """A bare URL without the punctuation and the formatting marks that follow it; `mark` stands before it."""
    if mark and (closing := re.search(re.escape(mark) + rb"(?!\w)", url)):
        url = url[: closing.start()]
    url = url.rstrip(b"`*_|\"'")
    if url.endswith((b")", b"?", b"!")):
        if url.endswith(b")") and url[:-1].endswith((b".", b"?", b"!")):
            url = url[:-1]
        return url[:-1]
    return url[:-1].removesuffix(b")") if url.endswith((b";", b":")) else url


def _words(label: bytes) -> str:
    return " ".join(decode(label).partition(",")[0].split()).rstrip("^")


def _substituted(text: str, attributes: dict[str, str]) -> str:
    """A text with the values of its attributes; as it is where that would be too long."""
    pieces: list[str] = []
    at = length = 0
    for match in _REFERENCE.finditer(text):
        value = attributes.get(match[1].lower(), match[0])
        pieces += (text[at : match.start()], value)
        at = match.end()
        length += len(value)
        if length > _MAX_VALUE:
            return text
    return "".join((*pieces, text[at:]))


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


_OPENS = re.compile(rb"\+\+\+|\$\$|pass:[a-z,]*+\[|stem:\[|(?<!link:)\+\+(?!\+)|(?<![\w+;:])\+(?![\s+])")
_OPENS_IN_COMPAT = re.compile(rb"\+\+\+|\$\$|pass:[a-z,]*+\[|stem:\[|(?<![\w`])`(?![\s`])")
_ONE_PLUS = re.compile(rb"[^+]*+(?<!\s)\+(?![\w+])")
_ONE_TICK = re.compile(rb"[^`]*+(?<!\s)`(?![\w`])")
_CLOSES: Final = {
    b"+++": re.compile(rb"\+\+\+"),
    b"$$": re.compile(rb"\$\$"),
    b"[": re.compile(rb"[^\\]\]", re.DOTALL),
    b"++": re.compile(rb"(?<=[\s\S])\+\+"),
}


def without_passthroughs(text: bytes, *, compat: bool) -> bytes:
    """The text with its passthroughs blanked; every byte keeps its place."""
    opens = _OPENS_IN_COMPAT if compat else _OPENS
    if not opens.search(text):
        return text
    closings = {mark: Ahead(pattern, text) for mark, pattern in _CLOSES.items()}
    pieces: list[bytes] = []
    done = at = 0
    while opener := opens.search(text, at):
        end = _end(text, opener, closings)
        if end < 0:
            at = opener.start() + 1
        else:
            pieces += (text[done : opener.start()], b"\x00" * (end - opener.start()))
            done = at = end
    return b"".join((*pieces, text[done:]))


def _end(text: bytes, opener: re.Match[bytes], closings: dict[bytes, Ahead]) -> int:
    """Where a passthrough ends; -1 where it does not."""
    mark = b"[" if opener[0].endswith(b"[") else opener[0]
    if mark == b"+" or mark == b"`":  # noqa: PLR1714 - they are looked for in two ways
        closing = (_ONE_PLUS if mark == b"+" else _ONE_TICK).match(text, opener.end())
    else:
        closing = closings[mark].after(opener.end() + (mark == b"++"))
    return closing.end() if closing else -1
