"""Inline ignores: a wish in a comment of the format's own, that links near it are not counted.

    holdfast: ignore [until YYYY-MM-DD] REASON          links on this line; on a line of its own: the next
    line holdfast: ignore-next [until YYYY-MM-DD] REASON     links on the next line that is not blank
    holdfast: ignore-start [until YYYY-MM-DD] REASON    links from here …
    holdfast: ignore-end                                … to here
    holdfast: ignore-file [until YYYY-MM-DD] REASON     all links of the file

1. A reason is required: an ignore that nobody can judge later is reported and not obeyed.
2. The last day counts; after it the ignore has expired, is reported, and not obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from holdfast.core.documents.found import Comment, Source
from holdfast.core.findings.ignore import Ignore, IgnoreProblem

_DIRECTIVE = re.compile(
    r"\s*holdfast:[ \t]*ignore(?:-(?P<scope>[a-z]+))?(?:[ \t]+until[ \t]+(?P<until>\S+))?"
    r"[ \t]*(?P<reason>.*?)\s*\Z",
    re.DOTALL,
)
_MARKS = re.compile(rb"[ \t>#/.]*+")
_LINE_END = re.compile(rb"[ \t\v\f]*+(?:[\r\n]|\Z)")
_HAS_TEXT = re.compile(rb"[ \t\r\n>]*+[^ \t\r\n>]")
_SCOPES = (None, "next", "start", "end", "file")


def read_ignores(
    comments: Sequence[Comment], source: Source
) -> tuple[tuple[Ignore, ...], tuple[IgnoreProblem, ...]]:
    """What comments wish for, and what is wrong with them."""
    ignores: list[Ignore] = []
    problems: list[IgnoreProblem] = []
    open_at: Ignore | None = None
    around = _Around(source)
    for comment in sorted(comments, key=lambda comment: comment.start):
        match = _DIRECTIVE.match(comment.text)
        if match is None:
            continue
        line = source.line(comment.start)
        scope = match["scope"]
        if scope == "end":
            if open_at is None:
                problems.append(IgnoreProblem(line, "ignore-end without ignore-start"))
            else:
                ignores.append(_until_line(open_at, line))
                open_at = None
            continue
        made = _ignore(match, comment, around, line)
        if isinstance(made, IgnoreProblem):
            problems.append(made)
        elif scope == "start":
            open_at = made
        else:
            ignores.append(made)
    if open_at is not None:
        problems.append(IgnoreProblem(open_at.line, "ignore-start without ignore-end; it holds to the end"))
        ignores.append(open_at)
    return tuple(ignores), tuple(problems)


def _ignore(match: re.Match[str], comment: Comment, around: _Around, line: int) -> Ignore | IgnoreProblem:
    scope, until, reason = match["scope"], None, " ".join((match["reason"] or "").split())
    if scope not in _SCOPES:
        return IgnoreProblem(line, f"there is no ignore-{scope}; known: next, start, end, file")
    if match["until"] is not None:
        try:
            until = date.fromisoformat(match["until"])
        except ValueError:
            return IgnoreProblem(line, f"{match['until']!r} is not a date; expected until YYYY-MM-DD")
    if not reason:
        return IgnoreProblem(line, "an ignore needs a reason: holdfast: ignore [until YYYY-MM-DD] REASON")
    first, last = around.lines(scope, comment, line)
    return Ignore(line, first, last, reason, until)


class _Around:
    """What stands around comments; each line is looked at once."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text_starts: dict[int, int] = {}
        self._next: dict[int, int] = {}

    def lines(self, scope: str | None, comment: Comment, line: int) -> tuple[int, int]:
        """The lines that an ignore on a line covers."""
        source = self._source
        if scope == "file":
            return 1, len(source.lines)
        if scope == "start":
            return line, len(source.lines)
        last = source.line(max(comment.end - 1, comment.start))
        if scope == "next" or self._is_alone(comment, line):
            following = self._next_with_text(last + 1)
            return following, following
        return line, last

    def _is_alone(self, comment: Comment, line: int) -> bool:
        data = self._source.data
        if line not in self._text_starts:
            marks = _MARKS.match(data, self._source.line_range(line)[0])
            self._text_starts[line] = marks.end() if marks else 0
        return self._text_starts[line] >= comment.start and _LINE_END.match(data, comment.end) is not None

    def _next_with_text(self, line: int) -> int:
        source, passed = self._source, []
        while line < len(source.lines) and line not in self._next:
            if _HAS_TEXT.match(source.data, *source.line_range(line)):
                break
            passed.append(line)
            line += 1
        line = self._next.get(line, line)
        self._next |= dict.fromkeys(passed, line)
        return line


def _until_line(ignore: Ignore, line: int) -> Ignore:
    return Ignore(ignore.line, ignore.first, line, ignore.reason, ignore.until)
