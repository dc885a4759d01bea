"""Lines, words and drift: the difference between two texts.

The difference line by line, in hunks with a few lines around each. Lines that both texts begin or end with
are set aside first, so that a small change in a long page is found at once.

Which words of two lines differ:

1. Words, spaces and signs are pieces of their own; equal neighbours are joined again, so that the pieces of
   a line, put together, are the line.
2. Two lines that share less than a third of their letters say different things: all of both is marked.
3. A line of more than `LONGEST` pieces is marked whole: comparing costs the product of both lengths.

How alike two texts are:

4. Words are runs of anything but white space. A shingle is four words in a row; a text of fewer words is
   one shingle.
5. Resemblance is the Jaccard index of the two sets of shingles: common ones over all of them. Two empty
   texts resemble each other fully.
6. Nearly equal means a resemblance of at least 0.9 (ID-10). The sets are exact, so the answer depends on
   nothing but the texts.

How much a revision differs from the one before:

7. Drift is 1 minus the resemblance of the two texts: 0 for the same words in the same order, 1 for nothing
   in common. It is rounded to three digits, upward from 0 and downward from 1: only equal texts have a
   drift of 0.
8. A changed title is said beside it: it is a sign of its own that a page is about something else now.
9. Texts of other than pages (images, archives) have no drift: their bytes differ or they do not.

Unified diffs, written for people, `git apply` and `patch`, and read for the lines that a change touched:

10. Written lines keep their bytes: a text is decoded with `surrogateescape`, and so must be encoded.
11. A line ends at LF alone; CR belongs to the line. A last line without LF is marked as git does.
12. A name is written as git writes it: after one with a space stands a tab, without which `patch` takes its
    first word; one with a quote, a backslash or a control character is quoted.
13. Of a diff that is read, only file names and hunk heads count. Names may be quoted as git quotes them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from holdfast.core.base.values import dataclass


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


@dataclass(frozen=True, slots=True, order=True)
class Drift:
    """How much of a page is different, and whether its title is."""

    amount: float
    title_changed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"amount": self.amount, "title_changed": self.title_changed}


def drift_between(old: str, new: str, *, old_title: str = "", new_title: str = "") -> Drift:
    """The drift from one text to the next."""
    titles_differ = " ".join(old_title.split()) != " ".join(new_title.split())
    if old == new:
        return Drift(0.0, titles_differ)
    amount = 1 - resemblance(shingles(old), shingles(new))
    edge = 0.001 if amount < 0.001 else 0.999 if 0.999 < amount < 1 else amount
    return Drift(round(edge, 3), titles_differ)


def read_drift(value: object) -> Drift | None:
    """What `as_dict` wrote; None where there is none."""
    if not isinstance(value, Mapping) or not isinstance(value.get("amount"), (int, float)):
        return None
    return Drift(float(value["amount"]), bool(value.get("title_changed")))


_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_LETTERS = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))
_ESCAPES = {code: f"\\{code:03o}" for code in (*range(0x20), 0x7F)} | {
    code: f"\\{chr(letter)}" for letter, code in _LETTERS.items()
}


def unified_diff(path: str, old: bytes, new: bytes) -> str:
    """The difference between two versions of a file; empty where there is none."""
    return "".join(
        line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"
        for line in difflib.unified_diff(_lines(old), _lines(new), _name(f"a/{path}"), _name(f"b/{path}"))
    )


def changed_lines(diff: bytes) -> dict[str, list[range]]:
    """The lines of each file that a diff without context added or changed, as they are numbered after it."""
    found: dict[str, list[range]] = {}
    path = None
    left = 0
    for line in diff.split(b"\n"):
        if left and line.startswith((b"+", b"-")):
            left -= 1  # a line of the file, whatever it looks like
        elif line.startswith(b"+++ "):
            path = _path(line[4:])
        elif hunk := _HUNK.match(line):
            taken, first, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            left = taken + added
            if path is not None:
                found.setdefault(path, []).append(range(first, first + added))
    return {path: [lines for lines in ranges if lines] for path, ranges in found.items()}


def _name(path: str) -> str:
    quoted = path.translate(_ESCAPES)
    if quoted != path:
        return f'"{quoted}"'
    return f"{path}\t" if " " in path else path


def _path(name: bytes) -> str | None:
    name = name.removesuffix(b"\t")
    if name.startswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name[1:-1])
    if name == b"/dev/null":
        return None
    return name.removeprefix(b"b/").decode("utf-8", "surrogateescape")


def _unescaped(match: re.Match[bytes]) -> bytes:
    word = match[1]
    return bytes([_LETTERS[word[0]] if len(word) == 1 else int(word, 8)])


def _lines(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])
