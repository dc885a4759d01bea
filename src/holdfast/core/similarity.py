"""How alike two texts are: the resemblance of their word shingles.

1. Words are runs of anything but white space. A shingle is four words in a row; a text of fewer words is
   one shingle.
2. Resemblance is the Jaccard index of the two sets of shingles: common ones over all of them. Two empty
   texts resemble each other fully.
3. Nearly equal means a resemblance of at least 0.9 (ID-10). The sets are exact, so the answer depends on
   nothing but the texts.
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

__all__ = ["NEARLY", "Shingles", "nearly_equal", "resemblance", "shingles", "without_numbers"]

NEARLY: Final = 0.9
WORDS: Final = 4

Shingles = Set[tuple[str, ...]]

_NUMBER = re.compile(r"\d+")


def shingles(text: str) -> Shingles:
    """The set of a text's shingles."""
    words = text.split()
    if len(words) < WORDS:
        return frozenset((tuple(words),)) if words else frozenset()
    return set(zip(words, words[1:], words[2:], words[3:], strict=False))


def resemblance(one: Shingles, other: Shingles) -> float:
    """Between 0 and 1."""
    if not one and not other:
        return 1.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def nearly_equal(one: Shingles, other: Shingles) -> bool:
    """Whether two texts are the same for a reader."""
    if min(len(one), len(other)) < NEARLY * max(len(one), len(other)):
        return False  # the index cannot be larger than the ratio of the sizes
    return resemblance(one, other) >= NEARLY


def without_numbers(text: str) -> str:
    """A text in which every number looks alike: how a calendar repeats itself."""
    return _NUMBER.sub("0", text)
