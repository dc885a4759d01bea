"""Cited URLs that do not count, in the root's `.holdfastignore`: each with a reason, and perhaps a last day.

    https://old.example/x until 2027-01-31 they are moving their archive

No path has `://` in it, so such a line is not a pattern of files (`formats.ignore_file`). Without a reason it
is reported and not obeyed.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from holdfast.core.ignore import IgnoreProblem, UrlIgnore

__all__ = ["read_url_ignores", "with_url_ignore"]

_URL_LINE: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://\S+)(?:[ \t]+until[ \t]+(\S+))?[ \t]*(.*)")


def read_url_ignores(text: str) -> tuple[tuple[UrlIgnore, ...], tuple[IgnoreProblem, ...]]:
    """The cited URLs that a file names, and the lines that were not understood."""
    ignores: list[UrlIgnore] = []
    problems: list[IgnoreProblem] = []
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if (match := _URL_LINE.fullmatch(line.strip())) is None:
            continue
        url, until, reason = match[1], None, " ".join(match[3].split())
        try:
            until = date.fromisoformat(match[2]) if match[2] is not None else None
        except ValueError:
            problems.append(IgnoreProblem(number, f"{match[2]!r} is not a date; expected until YYYY-MM-DD"))
            continue
        if not reason:
            problems.append(IgnoreProblem(number, "an ignore needs a reason: URL [until YYYY-MM-DD] REASON"))
            continue
        ignores.append(UrlIgnore(number, url, reason, until))
    return tuple(ignores), tuple(problems)


def with_url_ignore(text: str, url: str, reason: str, until: date | None) -> str:
    """A file that ignores a URL, too; what it said of that URL before is replaced. ValueError where the words
    would not be read as they are meant.
    """
    words = [url, *([f"until {until}"] if until else []), " ".join(reason.split())]
    line = " ".join(words)
    read, _ = read_url_ignores(line)
    if read != (UrlIgnore(1, url, words[-1], until),):
        raise ValueError(f"this cannot be written as one line: {line!r}")
    stays = [old for old in text.split("\n") if old.split(maxsplit=1)[:1] != [url]]
    before = "\n".join(stays).rstrip("\n")
    return (f"{before}\n" if before else "") + line + "\n"
