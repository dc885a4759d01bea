"""What a reader of one format finds: places in the bytes it was given; and plain text.

1. `start` and `end` are the bytes of the URL as written: cut them out and you hold the URL, with the
   format's escapes still in it. `url` is what the format says they mean.
2. Where a URL stands apart from its use (a reference definition, a target), `used_at` is the use.
3. A reader sees the bytes of one region; `Region` puts what it found back into the file.

`Source` is a file's bytes, and says where a byte stands for a person and for an editor:

4. Offsets count bytes from the start of the file, a byte order mark included.
5. Lines end at LF, CR LF or CR. Columns count from 1: `column` in characters, `utf16_column` in UTF-16
   code units. A byte order mark takes no column.
6. Bytes that are not UTF-8 are each read as `?`, so that offsets hold whatever the file contains.
7. Places that are asked in order are counted on from the one before, so that a line is read once.

`Ahead` looks ahead without looking twice: that makes the readers linear (SEC-8). A reader that meets an
opening mark asks where its closing mark is. Asked anew for each of many openings, a text without closings
is searched to its end each time. Here the answer is kept: places are asked in order, and as long as the
closing that was found last lies ahead, it is the answer.

`is_external` says which URLs name a place on a host.

URLs in plain text have no grammar but custom (RFC 3986, appendix C):

8. A URL starts at `scheme://` (http, https, ftp) with no ASCII letter or digit before it, or at `www.`.
9. It goes on to white space, a control character, `<`, `>`, `"`, a backtick, a typographic quotation mark
   or the punctuation of Chinese, Japanese and Korean, which writes no spaces. After `](` it goes on to its
   `)`.
10. From its end are cut, again and again: `. , ; : ! ? ' * _ ~ |`, and a closing `)`, `]` or `}` that has
    no partner inside.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from holdfast.core.base.values import dataclass
from holdfast.core.page.page import LinkKind, Span


class Found(NamedTuple):
    """A URL in a region: its meaning, its name, its kind, its bytes."""

    url: str
    text: str
    kind: LinkKind
    start: int
    end: int
    used_at: int = -1


class Comment(NamedTuple):
    """A comment of the format's own, where ignores are written: its text and its bytes."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """Text put together from pieces of a file: where each piece begins, here and there."""

    here: tuple[int, ...]
    there: tuple[int, ...]

    @classmethod
    def of(cls, pieces: list[tuple[int, int]]) -> Region:
        """The region of consecutive pieces, each given by its place in the file and its length."""
        here, there, at = [], [], 0
        for place, length in pieces:
            here.append(at)
            there.append(place)
            at += length
        return cls(tuple(here), tuple(there))

    def back(self, offset: int) -> int:
        """Where an offset of the region stands in the file."""
        piece = max(bisect_right(self.here, offset) - 1, 0)
        return self.there[piece] + offset - self.here[piece]

    def back_end(self, offset: int) -> int:
        """As `back`, for the end of something: the end of a piece stays with that piece."""
        return self.back(offset - 1) + 1 if offset else self.back(0)

    def place(self, found: Found) -> Found:
        """The same find, in the file."""
        used_at = self.back(found.used_at) if found.used_at >= 0 else -1
        return found._replace(start=self.back(found.start), end=self.back_end(found.end), used_at=used_at)


BOM = codecs.BOM_UTF8


def _one_for_one(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "?" * (error.end - error.start), error.end


codecs.register_error("holdfast-one-for-one", _one_for_one)


def decode(data: bytes) -> str:
    """The text of the bytes; its UTF-8 form is exactly as long as they are."""
    return data.decode("utf-8", "holdfast-one-for-one")


class Source:
    """Bytes that can tell lines and columns."""

    __slots__ = ("_ascii", "_at", "_column", "_first", "_line", "_lines", "_plain", "_utf16", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._ascii = data.isascii()
        self._lines: list[int] = []
        # Whether every line ends with LF, so that counting LFs counts lines.
        self._plain = b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")
        # The place that was asked last: its line, where that starts, and what stands before it on the line.
        self._first = len(BOM) if data.startswith(BOM) else 0
        self._at, self._line, self._column, self._utf16 = self._first, 1, 0, 0

    @property
    def lines(self) -> list[int]:
        """Where each line starts; the first one after a byte order mark."""
        if not self._lines:
            first = len(BOM) if self.data.startswith(BOM) else 0
            ends = [*accumulate(map(len, self.data.splitlines(keepends=True)))]
            if self.data[-1:] not in (b"\n", b"\r"):
                del ends[-1:]  # no line begins where the last one just stops
            self._lines = [first, *ends]
        return self._lines

    def line(self, offset: int) -> int:
        """The number of the line on which a byte stands."""
        return max(bisect_right(self.lines, offset), 1)

    def line_range(self, line: int) -> tuple[int, int]:
        """The bytes of a line, its end included."""
        lines = self.lines
        return lines[line - 1], lines[line] if line < len(lines) else len(self.data)

    def span(self, start: int, end: int) -> Span:
        """The place of some bytes; cheap if places are asked in order."""
        self._go(start)
        if self._ascii:
            column = start - self._first + 1
            return Span(start, end, self._line, column, column)
        text = decode(self.data[self._at : start])
        self._column += len(text)
        self._utf16 += len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
        self._at = max(start, self._at)
        return Span(start, end, self._line, self._column + 1, self._utf16 + 1)

    def _go(self, start: int) -> None:
        """Go to the line of a place."""
        if not self._plain or start < self._at:
            line = self.line(start)
            if line == self._line and start >= self._at:
                return
            first = self.lines[line - 1]
        elif passed := self.data.count(b"\n", self._at, start):
            line, first = self._line + passed, self.data.rfind(b"\n", self._at, start) + 1
        else:
            if self._ascii:
                self._at = start
            return
        self._line = line
        self._first, self._column, self._utf16 = first, 0, 0
        self._at = start if self._ascii else first


class Ahead:
    """The next match of a pattern from a place on; no part of the text is searched twice.

    The pattern must find the same next match from every place that is asked before it.
    """

    __slots__ = ("_match", "_pattern", "_searched", "_text")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern = pattern
        self._text = text
        self._match: re.Match[bytes] | None = None
        self._searched = False

    def after(self, place: int) -> re.Match[bytes] | None:
        """The first match that starts at or after a place; places are asked in order."""
        if not self._searched or (self._match is not None and self._match.start() < place):
            self._match = self._pattern.search(self._text, place)
            self._searched = True
        return self._match


class Behind:
    """Where the last match of a pattern before a place starts; places are asked in order."""

    __slots__ = ("_ahead", "_last")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._ahead = Ahead(pattern, text)
        self._last = -1

    def before(self, place: int) -> int:
        """Where the last match that ends at or before a place starts; -1 where there is none."""
        found = self._ahead.after(self._last + 1)
        while found is not None and found.end() <= place:
            self._last = found.start()
            found = self._ahead.after(self._last + 1)
        return self._last


_EXTERNAL = re.compile(r"\s*(?:(?!file:)[a-z][a-z0-9+.\-]*:)?//[^/?#\\]", re.IGNORECASE).match


def is_external(url: str) -> bool:
    """Whether a URL has a scheme and an authority, or an authority alone (`//host/…`)."""
    return _EXTERNAL(url) is not None


_QUOTES = "“”„‟‘’«»‹›「」『』"
_EASTERN = (
    "\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01\uff08\uff09\uff0c\uff0e"
    "\uff1a\uff1b\uff1f\uff5e\uff61-\uff64"
)
_NOT = rf"\s<>\"`\x00-\x1f\x7f{_QUOTES}{_EASTERN}"
_IN_LINK = rf"(?<=\]\()(?:https?|ftp)://(?P<linked>[^{_NOT}()]*+(?:\([^{_NOT}()]*+\)[^{_NOT}()]*+)*)(?=\))"
_URL = re.compile(
    rf"{_IN_LINK}|(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.(?=[^\W_]))[^{_NOT}]+", re.IGNORECASE
)
_TRIMMED = frozenset(".,;:!?'*_~|")
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_DIRECTIVE = re.compile(rb"holdfast:[ \t]*ignore[^\r\n]*")


def read_plaintext(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text; a `holdfast: ignore…` anywhere in a line is its comment."""
    text = decode(data)
    ascii_only = text.isascii()
    found = []
    at = byte = 0
    for match in _URL.finditer(text):
        start = match.start() if ascii_only else byte + len(text[at : match.start()].encode())
        at, byte = match.start(), start
        url = match[0] if match["linked"] else _trimmed(match[0])
        if url.partition("://")[2] or url.lower().startswith("www."):
            target = url if "://" in url else f"http://{url}"
            found.append(Found(target, "", LinkKind.BARE, start, start + len(url.encode())))
    comments = [Comment(decode(m[0]), m.start(), m.end()) for m in _DIRECTIVE.finditer(data)]
    return found, comments


def _trimmed(url: str) -> str:
    counts = {char: url.count(char) for char in "()[]{}"}
    end = len(url)
    while end:
        last = url[end - 1]
        if last in _TRIMMED or (last in _PARTNERS and counts[last] > counts[_PARTNERS[last]]):
            counts[last] = counts.get(last, 0) - 1
            end -= 1
        else:
            break
    return url[:end]
