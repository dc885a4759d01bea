"""Where in a Markdown text links can stand: their destinations, bare URLs, and the passages that hold them.

A link's destination stands in its source by CommonMark's grammar:

    destination = "<" no newline, no unescaped < or > ">"
                | no space, no control character, parentheses balanced or escaped, not starting with "<"

The parser says what the destination means; this says which bytes mean it. After a line break the marks of
enclosing block quotes may stand before it.

Bare URLs are read as GFM's autolink extension reads them:

1. A URL starts at `http://`, `https://` or `ftp://` (in any case, no letter before it), or at `www.` at the
   start of the text, after white space, or after one of `*`, `_`, `~`, `(`.
2. A domain follows: after `www.` with at least one dot; no underscore in its last two segments (unless
   there are more than ten dots), as far as it is ASCII. Its first character is neither space nor
   punctuation.
3. It goes on to the next ASCII white space or `<`.
4. From its end are cut, again and again: `?`, `!`, `.`, `,`, `:`, `*`, `_`, `~`, `'`, `"`; a `)` that has
   no partner inside; a `;`, together with the `&name` before it if it looks like an entity.
5. What is left is the URL, character for character: nothing in it is an escape, an entity or emphasis.
   After `www.` the scheme is `http`.
6. The domain is judged before anything after it is read, and a domain in which several URLs could start is
   measured once: a text costs as much as it is long, whatever is in it.

`ListItems` says where the text of a tight list item ends, for which the parser gives no block of its own.

The searches for places that are wanted are regular expressions that begin with a character: those skip at
the speed of memory, which `bytes.find` does for one byte only.

Passages of a text that hold nothing wanted are blanked before it is parsed. A parser's cost is its events,
and most of a document is neither an external link nor near one. Blanking may change nothing but their
number:

7. A passage begins after a blank line, at the first column, with a character that begins no list item,
   quote, rule, fence or raw HTML. It ends every container before it, and no block reaches across but a
   fence or a comment at the top level; those are followed from their first line to their last, and emptied.
8. A passage is kept if one of the places that are wanted lies in it.
9. Where anything else could reach across blank lines (`<pre>`, `<?`, a fence that may stand in a list item
   or in raw HTML), nothing is known of the rest of the text, and all of it is kept.
10. A blank is spaces and a line end, as long as what stood there: every byte keeps its place.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from string import punctuation
from typing import Final

from holdfast.core.documents.found import Ahead, Behind, decode

_GAP = rb"[ \t]*(?:(?:\r\n?|\n)[ \t>]*)?"
_AFTER_TEXT = re.compile(rb"\]\(" + _GAP)
_AFTER_LABEL = re.compile(rb"[ \t>]*\[(?:[^\\\[\]]|\\.|\\)*\]:" + _GAP, re.DOTALL)
_POINTED = re.compile(rb"<((?:[^<>\\\r\n]|\\.|\\)*)>")
_RUN = re.compile(rb"(?:\\[!-/:-@\[-`{-~]|[^\x00-\x20\x7f()\\]|\\)+")
_PLAIN = re.compile(rb"[^\x00-\x20\x7f]*")


def destination_in_link(data: bytes, text_end: int, end: int, meaning: str) -> tuple[int, int] | None:
    """The destination of an inline link whose text ends at or after `text_end`; `meaning` is what it says."""
    written = meaning.encode()
    if data.startswith(b"](" + written, text_end) and b"&" not in written and b"\\" not in written:
        return text_end + 2, text_end + 2 + len(written)  # without escapes it says what it means
    bracket = data.find(b"](", text_end, end)
    opening = _AFTER_TEXT.match(data, bracket, end) if bracket >= 0 else None
    if opening is None:
        return None
    at = opening.end()
    if pointed := _POINTED.match(data, at, end):
        return pointed.span(1)
    start, depth = at, 0
    while at < end:
        if run := _RUN.match(data, at, end):
            at = run.end()
        elif data[at] == 0x28:
            depth += 1
            at += 1
        elif data[at] == 0x29 and depth:
            depth -= 1
            at += 1
        else:
            break
    return start, at


def destination_in_definition(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """The destination of a reference definition."""
    label = _AFTER_LABEL.match(data, start, end)
    if label is None:
        return None
    if pointed := _POINTED.match(data, label.end(), end):
        return pointed.span(1)
    plain = _PLAIN.match(data, label.end(), end)
    return plain.span() if plain else None


_WORD = re.compile(rb"[^ \t\n\v\f\r<]*+")
_SCHEME = re.compile(rb"(?:\A|[^A-Za-z])(https?|ftp):\Z", re.IGNORECASE)
_DOMAIN = re.compile(rb"[A-Za-z0-9._-]*+(?:\\[A-Za-z0-9._-][A-Za-z0-9._-]*+)*+")
_ENDS_RUN: Final = frozenset(b" \t\n\v\f\r<")
_TRIMMED: Final = frozenset("?!.,:*_~'\"")
_ASCII_PUNCTUATION: Final = frozenset(punctuation)
_LONGEST_CHAR: Final = 4
_MANY_DOTS: Final = 11


def start_of_bare(data: bytes, mark: int) -> int:
    """Where the bare URL starts whose `//` or `www.` stands at a place; -1 where none does."""
    if data[mark] != 0x2F:
        return mark
    scheme = _SCHEME.search(data, max(mark - 7, 0), mark)
    return scheme.start(1) if scheme else -1


class BareUrls:
    """The bare URLs of one text; places are asked in order."""

    __slots__ = ("_content_end", "_data", "_domain", "_dots", "_stop")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._domain = (0, 0)  # the domain that was measured last
        self._dots: list[int] = []  # its last dots, the last one first
        self._stop = self._content_end = -1

    def url_at(self, at: int, stop: int, tail: bytes) -> str | None:
        """The URL that starts at a place, as written; None where there is none.

        The block's text ends at `stop`; `tail` are the characters that may follow it. The rules leave the
        last character of a block out of the domain check.
        """
        data = self._data
        is_www = data.startswith(b"www", at)
        host = at if is_www else data.index(b"//", at) + 2
        if host >= stop or not (is_www or _is_host_char(decode(data[host : host + _LONGEST_CHAR])[:1])):
            return None
        if not self._is_domain(host, stop, tail, is_www=is_www):
            return None
        run = _WORD.match(data, at, stop)
        return _trimmed(decode(run[0])) if run else None

    def _is_domain(self, host: int, stop: int, tail: bytes, *, is_www: bool) -> bool:
        data, first = self._data, host + 1
        if data[host] > 0x7F:
            return not is_www  # the check ends at the first character that is not ASCII
        begun, end = self._domain
        if not begun <= host < end:
            end = self._measure(host, stop)
        if end >= stop or data[end] in _ENDS_RUN:
            end -= end >= self._end_of_content(host, stop, tail)
        dots = [dot for dot in self._dots if first <= dot < end]
        if len(dots) >= _MANY_DOTS:
            return True
        if is_www and not dots:
            return False
        last_two = max(dots[1] if len(dots) > 1 else first, first)
        return data.find(b"_", last_two, end) < 0

    def _measure(self, host: int, stop: int) -> int:
        domain = _DOMAIN.match(self._data, host + 1, stop)
        end = domain.end() if domain else host + 1
        self._domain, self._dots = (host, end), []
        at = end
        while len(self._dots) <= _MANY_DOTS and (at := self._data.rfind(b".", host, at)) >= 0:
            self._dots.append(at)
        return end

    def _end_of_content(self, at: int, stop: int, tail: bytes) -> int:
        if self._stop != stop:
            self._stop = stop
            self._content_end = at + len(self._data[at:stop].rstrip(tail))
        return self._content_end


def _is_host_char(char: str) -> bool:
    return not (char.isspace() or char in _ASCII_PUNCTUATION or unicodedata.category(char)[0] == "P")


def _trimmed(url: str) -> str:
    surplus = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last == ")" and surplus > 0:
            surplus -= 1
            end -= 1
        elif last in _TRIMMED:
            end -= 1
        elif last == ";":
            mark = end - 1
            while mark and url[mark - 1].isascii() and url[mark - 1].isalpha():
                mark -= 1
            is_entity = mark < end - 1 and url[mark - 1 : mark] == "&"
            end = mark - 1 if is_entity else end - 1
        else:
            break
    return url[:end]


_MARK = rb"(?:[\r\n]|[-+*][ \t\r\n]|[0-9]{1,9}[.)][ \t\r\n]|\Z)"
_ITEM_END = re.compile(rb"[\r\n]+[ \t]*(?:>|" + _MARK + rb")")
_QUOTED_ITEM_END = re.compile(rb"[\r\n]+[ \t>]*" + _MARK)
_QUOTED_LINE = re.compile(rb"[ \t\v\f]*+>")


class ListItems:
    """The ends of the items of one text."""

    __slots__ = ("_data", "_ends", "_line", "_passed", "_quoted", "_quoted_ends")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._ends: Ahead | None = None
        self._quoted_ends: Ahead | None = None
        self._line = self._passed = 0
        self._quoted = False

    def end(self, at: int) -> int:
        """The end of the item in which a place stands; places are asked in order."""
        data = self._data
        if self._ends is None or self._quoted_ends is None:
            self._ends, self._quoted_ends = Ahead(_ITEM_END, data), Ahead(_QUOTED_ITEM_END, data)
            self._quoted = _QUOTED_LINE.match(data) is not None
        line = data.rfind(b"\n", self._passed, at) + 1
        self._passed = at
        if line:
            self._line, self._quoted = line, _QUOTED_LINE.match(data, line, at) is not None
        match = (self._quoted_ends if self._quoted else self._ends).after(at)
        return match.start() if match else len(data)


SLASHES: Final = re.compile(rb"//")
WWW: Final = re.compile(rb"www\.")
DEFINITION: Final = re.compile(rb"\]:")
"""A reference or a footnote is defined."""
_ESCAPED_SLASH = re.compile(rb"\\/")
_CODED_SLASH = re.compile(rb"&(?:#|sol;)")
_WISH = re.compile(rb"holdfast:")
_USE = re.compile(rb"\](?!\([^\s()<>\\`]*\))")
"""Where a reference may end: at any bracket but that of an inline link which cannot be misread."""


class Marks:
    """Places in order, passed one by one."""

    __slots__ = ("_at", "_places", "next")

    def __init__(self, places: list[int]) -> None:
        self._places = [*places, sys.maxsize]
        self._at = 0
        self.next = self._places[0]

    def pass_by(self) -> None:
        """Go on to the next place."""
        self._at += 1
        self.next = self._places[self._at]

    def reach_into(self, start: int, end: int) -> bool:
        """Whether a place stands in a range; ranges are asked for in order."""
        if self.next < start:
            self._at = bisect_left(self._places, start, self._at)
            self.next = self._places[self._at]
        return self.next < end


def places_of(pattern: re.Pattern[bytes], text: bytes) -> list[int]:
    """Where a pattern matches, in order."""
    return [match.start() for match in pattern.finditer(text)]


def signs_of(text: bytes) -> list[int]:
    """The places without one of which no external URL is written, and no ignore."""
    places = places_of(SLASHES, text) + places_of(WWW, text)
    if b"\\" in text:
        places += places_of(_ESCAPED_SLASH, text)
    if b"&" in text:
        places += places_of(_CODED_SLASH, text)
    if b"<" in text and _WISH.pattern in text:
        places += places_of(_WISH, text)
    return places


def uses_of(text: bytes) -> list[int]:
    """The places without one of which no reference is used."""
    return places_of(_USE, text)


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
