"""Which cited URLs an ignore file names: by their `web` keys, so that any spelling of a URL is the URL.

An ignore with a fragment covers the citations of that section alone. `mark` says what was obeyed: documents
that were read under another mark are read anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import NamedTuple

from holdfast.core.citation import Citation
from holdfast.core.citing import place_of_text
from holdfast.core.hashing import UrlKey
from holdfast.core.ignore import IgnoreFinding, IgnoreProblem, UrlIgnore
from holdfast.core.policy import Policy
from holdfast.core.report_rules import RuleCode

__all__ = ["IgnoredUrls", "ignored_urls", "url_ignore_findings"]


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
