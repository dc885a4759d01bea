"""Which words of two lines differ.

1. Words, spaces and signs are pieces of their own; equal neighbours are joined again, so that the pieces of a
   line, put together, are the line.
2. Two lines that share less than a third of their letters say different things: all of both is marked.
3. A line of more than `LONGEST` pieces is marked whole: comparing costs the product of both lengths.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, NamedTuple

__all__ = ["LONGEST", "Piece", "marked_words", "whole"]

LONGEST: Final = 600
_PIECES: Final = re.compile(r"\s+|\w+|[^\w\s]")
_ALIKE: Final = 1 / 3


class Piece(NamedTuple):
    """A part of a line, and whether the other line lacks it."""

    text: str
    is_changed: bool = False


def whole(line: str, *, is_changed: bool) -> tuple[Piece, ...]:
    """A line as one piece."""
    return (Piece(line, is_changed),) if line else ()


def marked_words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both lines in pieces."""
    before, after = _PIECES.findall(old), _PIECES.findall(new)
    if max(len(before), len(after)) > LONGEST:
        return whole(old, is_changed=True), whole(new, is_changed=True)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    same = sum(len(before[i]) for i, _, size in matcher.get_matching_blocks() for i in range(i, i + size))
    if same < _ALIKE * max(len(old), len(new)):
        return whole(old, is_changed=True), whole(new, is_changed=True)
    left: list[Piece] = []
    right: list[Piece] = []
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        is_changed = kind != "equal"
        left += whole("".join(before[i1:i2]), is_changed=is_changed)
        right += whole("".join(after[j1:j2]), is_changed=is_changed)
    return tuple(left), tuple(right)
