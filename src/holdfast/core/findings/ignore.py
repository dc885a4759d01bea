"""Which citations do not count, because someone said so and why.

1. An ignore covers lines of one document, or one URL wherever it is cited (`UrlIgnore`); with a fragment
   that section of it alone. It says its reason, and perhaps its last day.
2. An ignore that covers no link is reported: what it was for is gone.
3. It is obeyed up to and including that day; then it has expired, and is reported instead.
4. URLs are named by their `web` keys, so that any spelling of a URL is the URL. `mark` says what was
   obeyed: documents that were read under another mark are read anew.

URLs that do not count stand in the root's `.holdfastignore`:

    https://old.example/x until 2027-01-31 they are moving their archive

5. No path has `://` in it, so such a line is not a pattern of files (`core/documents/ignore_file`). Without
   a reason it is reported and not obeyed.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import date
from typing import Final, NamedTuple

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.citation import Citation
from holdfast.core.links.citing import place_of_text
from holdfast.core.page.page import Mention
from holdfast.core.url.policy import Policy


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


class IgnoredUrls(NamedTuple):
    """The URLs, and sections of URLs (`#fragment`; empty for all of it), that are ignored today."""

    places: frozenset[tuple[UrlKey, str]] = frozenset()

    def cover(self, citation: Citation) -> bool:
        """Whether a citation does not count."""
        key = citation.place.web_key
        return bool(self.places) and ((key, "") in self.places or (key, citation.fragment) in self.places)

    @property
    def mark(self) -> str:
        """What was obeyed, in short; empty where nothing is ignored."""
        if not self.places:
            return ""
        text = "\n".join(sorted(f"{key}#{fragment}" for key, fragment in self.places))
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def ignored_urls(ignores: Iterable[UrlIgnore], policy: Policy, today: date) -> IgnoredUrls:
    """What the ignores in force cover; `policy` is the one that cited URLs are known by."""
    named = (_named(each, policy) for each in ignores if not each.expired(today))
    return IgnoredUrls(frozenset(place for place in named if place is not None))


def url_ignore_findings(
    ignores: Sequence[UrlIgnore],
    problems: Iterable[IgnoreProblem],
    policy: Policy,
    today: date,
    fragments_cited: Callable[[UrlKey], Iterable[str]],
) -> list[IgnoreFinding]:
    """What is wrong with the ignores of URLs; `fragments_cited` gives the sections of a URL that are cited,
    empty text for the whole.
    """
    found = [IgnoreFinding(each.line, each.message, RuleCode.IGNORE_UNCLEAR) for each in problems]
    for ignore in ignores:
        place = _named(ignore, policy)
        if place is None:
            message = f"{ignore.url} is not a URL that could be cited"
            found.append(IgnoreFinding(ignore.line, message, RuleCode.IGNORE_UNCLEAR))
        elif ignore.expired(today):
            message = f"an ignore expired on {ignore.until}: {ignore.reason}"
            found.append(IgnoreFinding(ignore.line, message, RuleCode.IGNORE_EXPIRED))
        elif not any(place[1] in ("", cited) for cited in fragments_cited(place[0])):
            message = f"nothing cites {ignore.url}, which is ignored: {ignore.reason}"
            found.append(IgnoreFinding(ignore.line, message, RuleCode.IGNORE_UNUSED))
    return found


def _named(ignore: UrlIgnore, policy: Policy) -> tuple[UrlKey, str] | None:
    place = place_of_text(ignore.url, policy)
    return (place.web_key, ignore.url.partition("#")[2]) if place is not None else None


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
