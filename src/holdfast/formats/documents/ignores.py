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

from holdfast.core.ignore import Ignore, IgnoreProblem
from holdfast.formats.documents.found import Comment
from holdfast.formats.documents.source import Source

__all__ = ["read_ignores"]

_DIRECTIVE = re.compile(
    r"\s*holdfast:[ \t]*ignore(?:-(?P<scope>[a-z]+))?(?:[ \t]+until[ \t]+(?P<until>\S+))?"
    r"[ \t]*(?P<reason>.*?)\s*\Z",
    re.DOTALL,
)
_SCOPES = (None, "next", "start", "end", "file")


def read_ignores(
    comments: Sequence[Comment], source: Source
) -> tuple[tuple[Ignore, ...], tuple[IgnoreProblem, ...]]:
    """What comments wish for, and what is wrong with them."""
    ignores: list[Ignore] = []
    problems: list[IgnoreProblem] = []
    open_at: Ignore | None = None
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
        made = _ignore(match, comment, source, line)
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


def _ignore(match: re.Match[str], comment: Comment, source: Source, line: int) -> Ignore | IgnoreProblem:
    scope, until, reason = match["scope"], None, " ".join((match["reason"] or "").split())
    if scope not in _SCOPES:
        return IgnoreProblem(line, f"there is no ignore-{scope}; known: next, start, end, file")
    if match["until"] is not None:
        try:
            until = date.fromisoformat(match["until"])
        except ValueError:
            return IgnoreProblem(line, f"{match['until']!r} is no date; expected until YYYY-MM-DD")
    if not reason:
        return IgnoreProblem(line, "an ignore needs a reason: holdfast: ignore [until YYYY-MM-DD] REASON")
    first, last = _lines(scope, comment, source, line)
    return Ignore(line, first, last, reason, until)


def _lines(scope: str | None, comment: Comment, source: Source, line: int) -> tuple[int, int]:
    if scope == "file":
        return 1, len(source.lines)
    if scope == "start":
        return line, len(source.lines)
    last = source.line(max(comment.end - 1, comment.start))
    start, _ = source.line_range(line)
    _, end = source.line_range(last)
    alone = (
        not source.data[start : comment.start].strip(b" \t>#/.")
        and not source.data[comment.end : end].strip()
    )
    if scope == "next" or alone:
        following = _next_with_text(source, last + 1)
        return following, following
    return line, last


def _next_with_text(source: Source, line: int) -> int:
    while line < len(source.lines):
        start, end = source.line_range(line)
        if source.data[start:end].strip(b" \t\r\n>"):
            break
        line += 1
    return line


def _until_line(ignore: Ignore, line: int) -> Ignore:
    return Ignore(ignore.line, ignore.first, line, ignore.reason, ignore.until)
