"""A page beyond the limits of `guard`, reduced to what is within them, so that it is read as well (TXT-7).

docs/reference/identity/text.md says the same in prose. Only tags and attributes are left out, never text:

1. The attributes of a tag that has more than `MAX_ATTRIBUTES`.
2. The tags of what would be opened while `MAX_OPEN` elements are open: deeper nesting is flat.
3. The tags of formatting elements, those first that are most often opened again, until the others are opened
   again at most `MAX_REBUILT` times.
4. All tags after the first `MAX_TAGS`, but for the end tags of what is open.

Where the tag of an element that parts words is left out, a space stands. What closes itself in SVG or MathML
is written with an end tag.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from holdfast.core.page.html.foreign_tags import ForeignContent
from holdfast.core.page.html.limits import (
    FORMATTING,
    MAX_OPEN,
    MAX_REBUILT,
    MAX_TAGS,
    SELF_CLOSING,
    TAG,
    has_too_many_attributes,
)
from holdfast.core.page.html.text_v1 import INLINE
from holdfast.core.page.html.tokens import VOID

_WHOLE_TAG = re.compile(TAG.pattern + ">?", TAG.flags)
_OPENED_AGAIN: Final = FORMATTING | {"a", "nobr"}
"""All elements that the standard opens again."""


def reduced(html: str) -> str:
    """The page, within the limits."""
    return _Reduction(_most_often_opened_again(html)).of(html)


def without_formatting(html: str) -> str:
    """The same without any element that could be opened again: for a page whose tree is still too large."""
    return _Reduction(_OPENED_AGAIN).of(html)


def _most_often_opened_again(html: str) -> Collection[str]:
    """The formatting elements to leave out."""
    starts = 0
    opened, since, again = (dict.fromkeys(FORMATTING, 0) for _ in range(3))
    for match in TAG.finditer(html):
        tag = (match[2] or "/").lower()
        name = tag.removeprefix("/")
        starts += tag == name
        if name in FORMATTING and (tag == name or opened[name]):
            again[name] += opened[name] * (starts - since[name])
            since[name] = starts
            opened[name] += 1 if tag == name else -1
    for name in FORMATTING:
        again[name] += opened[name] * (starts - since[name])
    left_out: list[str] = []
    for name in sorted(FORMATTING, key=lambda name: (-again[name], name)):
        if sum(again.values()) > MAX_REBUILT:
            left_out.append(name)
            again[name] = 0
    return left_out


class _Reduction:
    """One walk over the tags of a page. `beyond` are the elements whose start tags were left out since
    an element ended whose start tag was not.
    """

    def __init__(self, left_out: Collection[str]) -> None:
        self._left_out = left_out
        self._opened: dict[str, int] = {}
        self._beyond: dict[str, int] = {}
        self._depth = self._tags = 0
        self._foreign = ForeignContent()

    def of(self, html: str) -> str:
        """The page as it is left."""
        return _WHOLE_TAG.sub(self._piece, html)

    def _piece(self, match: re.Match[str]) -> str:
        """What stands in the place of a tag, a comment or an element that holds no tags."""
        whole, name, words = match[0], match[2], match[3]
        if name is None:
            if match[1] is not None:
                self._foreign.pass_raw(whole)
            return whole
        if not whole.endswith(">"):  # the page ends inside of it
            return ""
        self._tags += 1
        name = name.lower()
        if has_too_many_attributes(words):
            whole, words = f"<{name}>", ""
        if name[0] == "/":
            return self._end(name[1:], whole)
        return self._start(name, words, whole)

    def _start(self, name: str, words: str, whole: str) -> str:
        if name in self._left_out:
            return ""
        if self._foreign.closes_itself(name, words):
            return f"<{name}{words[:-1]}></{name}>" if self._tags <= MAX_TAGS else _space(name)
        is_void = name in VOID
        if self._tags > MAX_TAGS or (self._depth >= MAX_OPEN and not is_void):
            if not is_void:
                self._beyond[name] = self._beyond.get(name, 0) + 1
            return _space(name)
        if not is_void and not (name in SELF_CLOSING and self._opened.get(name)):
            self._opened[name] = self._opened.get(name, 0) + 1
            self._depth += 1
        return whole

    def _end(self, name: str, whole: str) -> str:
        if name in self._left_out:
            return ""
        self._foreign.end(name)
        if self._beyond.get(name):
            self._beyond[name] -= 1
            return _space(name)
        if self._opened.get(name):
            self._opened[name] -= 1
            self._depth -= 1
            self._beyond.clear()
        elif self._tags > MAX_TAGS:
            return _space(name)
        return whole


def _space(name: str) -> str:
    return "" if name in INLINE else " "
