"""Which citations do not count, because someone said so and why.

1. An ignore covers lines of one document, or one URL wherever it is cited (`UrlIgnore`); with a fragment that
   section of it alone. It says its reason, and perhaps its last day.
2. An ignore that covers no link is reported: what it was for is gone.
3. It is obeyed up to and including that day; then it has expired, and is reported instead.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import NamedTuple

from holdfast.core.page import Mention
from holdfast.core.report_rules import RuleCode
from holdfast.core.values import dataclass

__all__ = [
    "Ignore",
    "IgnoreFinding",
    "IgnoreProblem",
    "LocalReading",
    "UrlIgnore",
    "ignore_findings",
    "ignored_lines",
    "unused",
]


@dataclass(frozen=True, slots=True)
class Ignore:
    """A wish in a comment on `line`, for the lines `first` to `last`."""

    line: int
    first: int
    last: int
    reason: str
    until: date | None = None

    def expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and today > self.until


class LocalReading(NamedTuple):
    """What a document says about files of its own, and which of it shall not count."""

    mentions: tuple[Mention, ...] = ()
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True, slots=True)
class UrlIgnore:
    """A wish on `line` of an ignore file, for a URL wherever it is cited."""

    line: int
    url: str
    reason: str
    until: date | None = None

    def expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.until is not None and today > self.until


@dataclass(frozen=True, slots=True)
class IgnoreProblem:
    """An ignore that was not understood, or no longer applies."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class IgnoreFinding:
    """What is told about the wishes of a document."""

    line: int
    message: str
    code: RuleCode


def ignore_findings(
    ignores: Sequence[Ignore], problems: Sequence[IgnoreProblem], lines: Collection[int], today: date
) -> list[IgnoreFinding]:
    """What is wrong with the ignores of a document; `lines` are those on which links stand."""
    found = [IgnoreFinding(problem.line, problem.message, RuleCode.IGNORE_UNCLEAR) for problem in problems]
    for ignore in ignores:
        if ignore.expired(today):
            message = f"an ignore expired on {ignore.until}: {ignore.reason}"
            found.append(IgnoreFinding(ignore.line, message, RuleCode.IGNORE_EXPIRED))
    for ignore in unused(ignores, lines, today):
        message = f"an ignore covers no link: {ignore.reason}"
        found.append(IgnoreFinding(ignore.line, message, RuleCode.IGNORE_UNUSED))
    return found


def ignored_lines(ignores: Sequence[Ignore], today: date) -> Callable[[int], bool]:
    """Whether an ignore in force covers a line, for every line of a document."""
    starts: list[int] = []
    ends: list[int] = []
    for first, last in sorted((i.first, i.last) for i in ignores if not i.expired(today)):
        if ends and first <= ends[-1]:
            ends[-1] = max(ends[-1], last)
        else:
            starts.append(first)
            ends.append(last)

    def is_ignored(line: int) -> bool:
        part = bisect_right(starts, line) - 1
        return part >= 0 and line <= ends[part]

    return is_ignored


def unused(ignores: Sequence[Ignore], lines: Collection[int], today: date) -> tuple[Ignore, ...]:
    """The ignores in force that cover none of the lines on which links stand."""
    ordered = sorted(lines)

    def covers(ignore: Ignore) -> bool:
        return bisect_left(ordered, ignore.first) < bisect_right(ordered, ignore.last)

    return tuple(ignore for ignore in ignores if not ignore.expired(today) and not covers(ignore))
