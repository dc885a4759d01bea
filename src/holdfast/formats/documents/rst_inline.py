"""Inline markup of reStructuredText, as far as links need it: literals, emphasis, phrases, names, URLs.

1. Markup starts at the start of a text or after one of the characters that the specification names, and ends
   before one of them: spaces, opening brackets and punctuation, those of other scripts included.
2. What is met first counts: a literal hides what it holds, so does emphasis.
3. A run of letters is measured once, whichever of its places markup could start at; a closing mark is looked
   for once. So a text costs as much as it is long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from holdfast.formats.documents.ahead import Ahead

__all__ = ["InlineKind", "InlineMarkup", "inlines"]

_URIC = rb"[-_.!~*'()\[\];/:@&=+$,%a-zA-Z0-9\\]"
_LAST = rb"(?:[_~*/=+a-zA-Z0-9]|" + _URIC + rb"(?=>))"
_PART = _URIC + rb"*" + _LAST
_AFTER = rb"(?=\s|[\x80-\xff.,;!?\-/:\"')>\]}]|\Z)"
_BEFORE = (
    rb"(?<![\s\S])",
    rb"(?<=[\s\"'(<\[{\-/:])",
    rb"(?<=\xc2[\xa0\xa1\xab\xb7\xbb\xbf])",  # Latin: no-break space, quotes, points
    rb"(?<=\xd6\xbe)|(?<=\xd8[\x8c\x9b\x9f])|(?<=\xdb\x94)|(?<=\xe0\xa5[\xa4\xa5])",  # Hebrew, Arabic, Hindi
    rb"(?<=\xe2[\x80-\xbf][\x80-\xbf])",  # General punctuation and what follows it
    rb"(?<=\xe3\x80[\x80-\x83\x88\x8a\x8c\x8e\x90\x94\x96\x98\x9a\x9c\x9d\xb0\xbd])|(?<=\xe3\x83\xbb)",  # CJK
    rb"(?<=\xef\xbc[\x81-\x83\x85-\x88\x8a\x8c-\x8f\x9a\x9b\x9f\xa0\xbb\xbc])",  # the wide forms of ASCII's
    rb"(?<=\xef\xbd[\x9b\x9f\xa1\xa2\xa4\xa5])",
)
_STARTS = re.compile(rb"(?:" + rb"|".join(_BEFORE) + rb")[`*:|A-Za-z0-9\x80-\xff]")
_LITERAL_END = re.compile(rb"(?<=\S)``(?!`)" + _AFTER)
_EMPHASIS = re.compile(rb"(?:\*\*(?![\s*])[^*]++(?<![\s\\])\*\*|\*(?![\s*])[^*]++(?<![\s\\])\*)" + _AFTER)
_PHRASE = re.compile(rb"`(?P<phrase>(?![\s`])[^`\\]*+(?:\\.[^`\\]*+)*+)`", re.DOTALL)
_SUBSTITUTION = re.compile(rb"\|(?P<name>(?![\s|])[^|]++(?<![\s\\]))\|(?P<mark>__?)" + _AFTER)
_LETTER = rb"[A-Za-z0-9\x80-\xff]"
_NAME = re.compile(_LETTER + rb"++(?:[-._+:]" + _LETTER + _LETTER + rb"*+)*+")
_SCHEME = re.compile(rb"[a-zA-Z0-9.+\-]++")
_REST = re.compile(rb"://" + _PART + rb"(?:\?" + _PART + rb")?(?:#" + _PART + rb")?" + _AFTER)
_REFERS = re.compile(rb"(__?)" + _AFTER)
_ENDS = re.compile(_AFTER)


class InlineKind(Enum):
    """What a piece of inline markup is."""

    URL = auto()
    PHRASE = auto()
    NAME = auto()
    ROLE = auto()


class InlineMarkup(NamedTuple):
    """A URL, a phrase in backticks, a name or a substitution that refers, or what a role is given;
    `mark` is `_` or `__`, or the role.
    """

    kind: InlineKind
    start: int
    end: int
    mark: bytes = b""
    whole_end: int = 0


def inlines(text: bytes) -> Iterator[InlineMarkup]:
    """The markup that may be a link, in order."""
    reader = _Reader(text)
    at = 0
    while start := _STARTS.search(text, at):
        found, at = reader.read(start.start())
        if found is not None:
            yield found


class _Runs:
    """Where runs of a kind of character end; places are asked in order, and each run is measured once."""

    __slots__ = ("_end", "_pattern", "_start", "_text")

    def __init__(self, pattern: re.Pattern[bytes], text: bytes) -> None:
        self._pattern, self._text = pattern, text
        self._start = self._end = -1

    def end(self, place: int) -> int:
        """The end of the run in which a place stands; the place itself where there is no run."""
        if not self._start <= place < self._end:
            match = self._pattern.match(self._text, place)
            self._start, self._end = place, match.end() if match else place
        return self._end


class _Reader:
    """Reads one piece of markup at a time; `read` returns it, and where to go on."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._literal_ends = Ahead(_LITERAL_END, text)
        self._names = _Runs(_NAME, text)
        self._schemes = _Runs(_SCHEME, text)

    def read(self, at: int) -> tuple[InlineMarkup | None, int]:
        text = self._text
        match text[at]:
            case 0x60 if text.startswith(b"``", at):
                return None, self._literal(at)
            case 0x60:
                return self._phrase(at)
            case 0x2A:
                emphasis = _EMPHASIS.match(text, at)
                return None, emphasis.end() if emphasis else at + 1
            case 0x7C if refers := _SUBSTITUTION.match(text, at):
                found = InlineMarkup(InlineKind.NAME, *refers.span("name"), refers["mark"], refers.end())
                return found, refers.end()
            case 0x7C:
                return None, at + 1
            case 0x3A:
                end = self._names.end(at + 1) if at + 1 < len(text) else at + 1
                is_role = end > at + 1 and text.startswith(b":`", end)
                return self._phrase(end + 1, text[at + 1 : end]) if is_role else (None, at + 1)
            case _:
                return self._word(at)

    def _literal(self, at: int) -> int:
        """A literal's end; without one its first backtick may begin a phrase, which is empty and none."""
        begins = at + 2 < len(self._text) and not self._text[at + 2 : at + 3].isspace()
        end = self._literal_ends.after(at + 3) if begins else None
        return end.end() if end else at + 1

    def _phrase(self, at: int, role: bytes = b"") -> tuple[InlineMarkup | None, int]:
        text = self._text
        phrase = _PHRASE.match(text, at)
        if phrase is None:
            return None, at + 1
        if refers := _REFERS.match(text, phrase.end()):
            found = InlineMarkup(InlineKind.PHRASE, *phrase.span("phrase"), refers[1], refers.end())
            return (None if role else found), refers.end()
        if text.startswith(b":", phrase.end()):
            end = self._names.end(phrase.end() + 1)
            if end > phrase.end() + 1 and text.startswith(b":", end) and _ENDS.match(text, end + 1):
                return None, end + 1
        if not _ENDS.match(text, phrase.end()):
            return None, at + 1
        given = InlineMarkup(InlineKind.ROLE, *phrase.span("phrase"), role, phrase.end()) if role else None
        return given, phrase.end()

    def _word(self, at: int) -> tuple[InlineMarkup | None, int]:
        text = self._text
        if text[at : at + 1].isalpha():
            end = self._schemes.end(at)
            if text.startswith(b"://", end) and (rest := _REST.match(text, end)):
                return InlineMarkup(InlineKind.URL, at, rest.end()), rest.end()
        end = self._names.end(at)
        if end > at and (refers := _REFERS.match(text, end)):
            return InlineMarkup(InlineKind.NAME, at, end, refers[1], refers.end()), refers.end()
        return None, at + 1
