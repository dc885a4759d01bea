"""The difference between two texts, line by line, in hunks with a few lines around each.

Lines that both begin or end with are set aside first, so that a small change in a long page is found at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from holdfast.core.values import dataclass

__all__ = ["Hunk", "added_and_removed", "compare", "unified"]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of change: where it begins and how long it is on both sides, and its lines.

    A line's mark is `-` (old), `+` (new) or a space (both).
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[tuple[str, str], ...]

    @property
    def head(self) -> str:
        """The line that unified diffs put above a hunk."""
        return f"@@ -{self.old_start},{self.old_count} +{self.new_start},{self.new_count} @@"


def compare(old: str, new: str, context: int = 3) -> tuple[Hunk, ...]:
    """The hunks between two texts; none where their lines are equal."""
    before, after = old.splitlines(), new.splitlines()
    if before == after:
        return ()
    start = _common(before, after)
    tail = _common(before[start:][::-1], after[start:][::-1])
    # Keep as much of what is common as a hunk shows.
    start, tail = max(start - context, 0), max(tail - context, 0)
    middle = SequenceMatcher(None, before[start : len(before) - tail], after[start : len(after) - tail])
    return tuple(_hunk(group, before, after, start) for group in middle.get_grouped_opcodes(context) if group)


def unified(hunks: Sequence[Hunk]) -> Iterator[tuple[str, str]]:
    """Every line to print, with its mark; the mark of a hunk's head is `@`."""
    for hunk in hunks:
        yield "@", hunk.head
        yield from ((mark, f"{mark}{text}") for mark, text in hunk.lines)


def added_and_removed(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines came and went."""
    marks = [mark for hunk in hunks for mark, _ in hunk.lines]
    return marks.count("+"), marks.count("-")


def _hunk(
    group: list[tuple[str, int, int, int, int]], before: list[str], after: list[str], start: int
) -> Hunk:
    lines: list[tuple[str, str]] = []
    for kind, i1, i2, j1, j2 in group:
        if kind == "equal":
            lines += [(" ", line) for line in before[start + i1 : start + i2]]
        else:
            lines += [("-", line) for line in before[start + i1 : start + i2]]
            lines += [("+", line) for line in after[start + j1 : start + j2]]
    first, last = group[0], group[-1]
    return Hunk(
        old_start=start + first[1] + 1,
        old_count=last[2] - first[1],
        new_start=start + first[3] + 1,
        new_count=last[4] - first[3],
        lines=tuple(lines),
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
