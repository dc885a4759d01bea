"""A run: the inline content of one paragraph, cell or heading, gathered piece by piece and written at once.

1. Text is gathered as it stands. Markup is a code (see `escaping`): a piece that stands alone, one that
   opens, one that closes, or a line break.
2. Writing collapses white space, moves it out of what opens and closes, escapes, then puts the pieces in.
3. Neighbours of one emphasis are one: `*a*` and `*b*` beside each other are `*ab*`.
4. Emphasis that CommonMark would not read as such (`**a:**b`) is written as HTML tags instead: the
   flanking rule, applied to what really stands around the marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from holdfast.core.page.html.tree import one_spaced
from holdfast.core.page.markdown.context import code_span, escape, escape_line_start

_ALONE: Final = 0xF0000
_OPEN: Final = 0x100000
_CLOSE: Final = 0x108000
_MOST_ALONE: Final = 0xFFF0
_MOST_PAIRS: Final = 0x7FF0

BREAK: Final = "\x00\ue000"
_OPENS: Final = "\x00[\U00100000-\U00107fff]"
_CLOSES: Final = "\x00[\U00108000-\U0010fffd]"

_SPACE_INSIDE_OPEN = re.compile(f"((?:{_OPENS})+) ")
_SPACE_INSIDE_CLOSE = re.compile(f" ((?:{_CLOSES})+)")
_AROUND_BREAK = re.compile(f" ?{BREAK} ?")
_BREAKS = re.compile(f"(?:{BREAK})+")
_CODE = re.compile("\x00(.)")
_OPENING = re.compile(_OPENS)
_CLOSING = re.compile(_CLOSES)
_EMPTY_PAIR = re.compile(f"{_OPENS}( *){_CLOSES}")
_LOOSE = (
    re.compile(  # anything to move or to take out: a space after what opens or before what closes, no content
        "\x00(?:[\U00100000-\U00107fff](?: |\x00[\U00108000-\U0010fffd])|(?<= \x00)[\U00108000-\U0010fffd])"
    )
)


def plain_paragraph(text: str) -> list[str]:
    """A paragraph that is text alone: what a run with nothing else in it would write."""
    text = _collapsed(text)
    return [escape_line_start(escape(text))] if text else []


def _collapsed(text: str) -> str:
    """Runs of HTML's white space as one space, none at the ends."""
    for character in "\n\t\r\f":
        if character in text:
            text = text.replace(character, " ")
    return one_spaced(text)


_Pair = tuple[str, str, str]
"""Marks around a part of the run: how they open and close, and the tag that replaces emphasis."""


class InlineRun:
    """Gathers inline content."""

    __slots__ = ("_anchors", "_code", "_emphasized", "_pairs", "_parts", "_pieces", "_spans", "text")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._pieces: list[str] = []
        self._pairs: list[_Pair] = []
        self._spans: dict[int, list[str]] = {}
        self._code = ""
        self._anchors: set[str] = set()
        self._emphasized = False
        self.text: Callable[[str], None] = self._parts.append
        """Adds literal text: the list's own method, since half of all calls are this one."""

    def piece(self, markup: str) -> None:
        """Markup that stands alone, such as a code span."""
        if len(self._pieces) < _MOST_ALONE:
            self._parts.append("\x00" + chr(_ALONE + len(self._pieces)))
            self._pieces.append(markup)
        else:
            self._parts.append(markup)  # sixty thousand pieces in one paragraph: only text from here on

    def code(self, text: str) -> None:
        """A code span. Two in a row are one: their marks would run together."""
        if self._code and self._parts[-1] == self._code:
            self._spans[len(self._pieces) - 1].append(text)
            return
        if len(self._pieces) >= _MOST_ALONE:
            self._parts.append(text)
            return
        self._spans[len(self._pieces)] = [text]
        self.piece("")
        self._code = self._parts[-1]

    def anchor(self, markup: str) -> None:
        """A place that can be linked to: it shows nothing."""
        if markup and len(self._pieces) < _MOST_ALONE:
            self.piece(markup)
            self._anchors.add(self._parts[-1])

    def is_blank(self) -> bool:
        """Whether there is nothing to see in it."""
        if self._pairs or len(self._pieces) > len(self._anchors):
            return False
        return all(part.isspace() or part in self._anchors for part in self._parts if part)

    def line_break(self) -> None:
        """A line break."""
        self._parts.append(BREAK)

    def open(self, opening: str, closing: str, tag: str = "") -> int:
        """Marks around what follows until `close`; `tag` names the element that emphasis falls back to."""
        if tag:
            self._emphasized = True
            joined = self._reopened(opening)
            if joined >= 0:
                return joined
        number = len(self._pairs)
        self._pairs.append((opening, closing, tag))
        if number < _MOST_PAIRS:
            self._parts.append("\x00" + chr(_OPEN + number))
        return number

    def _reopened(self, opening: str) -> int:
        """The pair of these marks that ended just before, open again; -1 where there is none."""
        place = len(self._parts) - 1
        while place >= 0 and self._parts[place].isspace():
            place -= 1
        if place < 0 or len(self._parts[place]) != 2 or self._parts[place][0] != "\x00":
            return -1
        number = ord(self._parts[place][1]) - _CLOSE
        if number < 0 or self._pairs[number][0] != opening:
            return -1
        del self._parts[place]
        return number

    def close(self, number: int) -> None:
        """The end of what `open` began."""
        if number < _MOST_PAIRS:
            self._parts.append("\x00" + chr(_CLOSE + number))

    def plain(self) -> bool:
        """Whether there is no markup in it."""
        return not self._pieces and not self._pairs

    def paragraphs(self) -> list[str]:
        """The run as Markdown paragraphs."""
        text = self._collapsed()
        if not text:
            return []
        text = escape(text)
        if BREAK not in text:
            return [self._assemble(escape_line_start(text))]
        return [self._assemble("\\\n".join(map(escape_line_start, lines))) for lines in _paragraphs(text)]

    def on_one_line(self, line_break: str = " ") -> str:
        """The run as Markdown on one line, as in headings and cells; its start is not escaped."""
        text = self._collapsed()
        if BREAK in text:
            lines = [line for part in escape(text).split(BREAK) if (line := part.strip(" "))]
            return self._assemble(line_break.join(lines))
        return self._assemble(escape(text)) if text else ""

    def _collapsed(self) -> str:
        text = _collapsed("".join(self._parts))
        if self._pairs and _LOOSE.search(text):
            text = self._without_empty_pairs(text)
            text = _SPACE_INSIDE_OPEN.sub(r" \1", text)
            text = _SPACE_INSIDE_CLOSE.sub(r"\1 ", text)
            text = one_spaced(text)
        if BREAK in text:  # before escaping, which looks at what stands beside a mark
            text = _AROUND_BREAK.sub(BREAK, text)
        return text.strip(" ")

    def _without_empty_pairs(self, text: str) -> str:
        while True:
            shorter = _EMPTY_PAIR.sub(r"\1", text)
            if shorter == text:
                return text
            text = shorter

    def _assemble(self, text: str) -> str:
        """Codes to markup."""
        if "\x00" not in text:
            return text
        parts = _CODE.split(text)
        plain = self._as_tags(text) if self._emphasized else frozenset()
        for place in range(1, len(parts), 2):
            code = ord(parts[place])
            if code < _OPEN:
                span = self._spans.get(code - _ALONE)
                parts[place] = self._pieces[code - _ALONE] if span is None else code_span("".join(span))
            elif code < _CLOSE:
                opening, _, tag = self._pairs[code - _OPEN]
                parts[place] = f"<{tag}>" if code - _OPEN in plain else opening
            else:
                _, closing, tag = self._pairs[code - _CLOSE]
                parts[place] = f"</{tag}>" if code - _CLOSE in plain else closing
        return "".join(parts)

    def _as_tags(self, text: str) -> frozenset[int]:
        """The numbers of emphasis pairs that must be tags because their marks would not be read."""
        failing: set[int] = set()
        around: list[str] = []
        for found in _CODE.finditer(text):
            number = ord(found[1]) - _OPEN
            if number < 0:
                continue
            closing = number >= _CLOSE - _OPEN
            number -= (_CLOSE - _OPEN) * closing
            mark, _, tag = self._pairs[number]
            if not tag:
                continue
            if closing and around:
                around.pop()
            if not self._is_read(text, found.start(), closing=closing) or (
                # `*a**b**c*`: what opens here could as well close what is around it
                not closing and mark[0] in around and self._is_read(text, found.start(), closing=True)
            ):
                failing.add(number)
            if not closing:
                around.append(mark[0])
        return frozenset(failing)

    def _is_read(self, text: str, place: int, *, closing: bool) -> bool:
        """Whether the mark here is left-flanking (right-flanking, when it closes)."""
        left, right = place, place + 2
        if not closing and self._mark_at(text, left - 2, closing=True):
            return False  # `*a**b*`: two marks in a row read as one
        # Only marks of the same character read as one run; `~~` before `**` stands before punctuation.
        own = self._mark_at(text, place, closing=closing)[:1]
        while (like := self._mark_at(text, left - 2, closing=closing)) and like[0] == own:
            left -= 2
        while (like := self._mark_at(text, right, closing=closing)) and like[0] == own:
            right += 2
        before = _kind(text, left - 1, left - 2)
        after = _kind(text, right, right)
        inside, outside = (before, after) if closing else (after, before)
        return inside == "a" or (inside == "." and outside != "a")

    def _mark_at(self, text: str, place: int, *, closing: bool) -> str:
        """The emphasis mark of that side that stands at this place; empty where none does."""
        if place < 0 or place + 1 >= len(text) or text[place] != "\x00":
            return ""
        number = ord(text[place + 1]) - (_CLOSE if closing else _OPEN)
        if not (0 <= number < min(_CLOSE - _OPEN, len(self._pairs)) and self._pairs[number][2]):
            return ""
        return str(self._pairs[number][0])


def _kind(text: str, place: int, code_place: int) -> str:
    """What the flanking rule sees there: white space, punctuation (all other markup is), or a letter."""
    if place < 0 or place >= len(text):
        return " "
    character = text[place]
    if text[code_place] == "\x00" and code_place >= 0:
        return "."
    if character.isspace():
        return " "
    if character.isascii():
        return "a" if character.isalnum() else "."
    return "." if stands_apart(character) else "a"


def stands_apart(character: str) -> bool:
    """Whether the flanking rule takes a character that is not ASCII for punctuation. One that Unicode 3.2 did
    not have may be either: yes is the careful answer.
    """
    return unicodedata.ucd_3_2_0.category(character)[0] in "PSCZ"


def _paragraphs(text: str) -> list[list[str]]:
    """The lines of each paragraph: one line break ends a line; two a paragraph, unless inside a pair."""
    paragraphs: list[list[str]] = [[]]
    place = depth = 0
    for found in _BREAKS.finditer(text):
        line = text[place : found.start()]
        paragraphs[-1].append(line)
        depth += len(_OPENING.findall(line)) - len(_CLOSING.findall(line))
        if found[0].count(BREAK) > 1 and depth == 0:
            paragraphs.append([])
        place = found.end()
    paragraphs[-1].append(text[place:])
    return [kept for lines in paragraphs if (kept := [line for line in lines if line])]
