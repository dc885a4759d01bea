"""Searching sections: what is asked, what is found, and in which order (SRC-1).

1. A question is words, `"phrases in quotes"` and `beginnings*`. All of them must be there; only where no
   section has all, those that have some answer. Common words do not have to be there.
2. The order is by how exactly a section is what was asked for: its name (`flask.Flask.route`), then the end
   of its name (`route`) or its title, then the words as a phrase in either, then as a phrase in its text,
   then all words, then some. Within one of these by BM25, then by place: the same question finds the same
   order, in every face. Where more than some thousand sections have the words, those are compared that were
   kept first: of a site that is where its first pages are, those nearest to its start.
3. `word_key` is how names and titles are compared: lower case, without `()`, marks at the ends and
   doubled spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Final, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.page.section import PageSection, SectionKind
from holdfast.core.url.url import Place
from holdfast.core.web.rank import Rank

_TERM: Final = re.compile(r'"([^"]*)"?|(\S+)')
_WORD: Final = re.compile(r"[^\W_]+")
_ENDS: Final = " \t.,:;!?'\"`¶#"
_COMMON: Final = frozenset(
    "a an and are as at be by can do does for from how i in into is it its my not of on or that the this to"
    " was what when where which who why will with you your".split()
)


class Closeness(IntEnum):
    """How near a section is to what was asked for, the nearest first."""

    NAME = 0
    TITLE = 1
    IN_TITLE = 2
    PHRASE = 3
    ALL_WORDS = 4
    SOME_WORDS = 5


class SearchQuery(NamedTuple):
    """What to look for: `terms` must all be there, `optional` are common words; `key` is the whole, as names
    and titles are compared. With `at` the sections as they were then, with `site` those of a host, or below
    an address, with `kind` those that are mostly that.
    """

    text: str
    terms: tuple[str, ...]
    optional: tuple[str, ...]
    key: str
    site: str | None = None
    at: datetime | None = None
    kind: SectionKind | None = None

    @property
    def words(self) -> MatchWords:
        """The question in the language of full-text search."""
        every = " ".join(self.terms)
        phrase = '"' + " ".join(_WORD.findall(self.text)) + '"'
        is_plain = '"' not in self.text and not any(term.endswith("*") for term in self.terms)
        return MatchWords(every, phrase if is_plain else f"({every})", " OR ".join(self.terms))


class MatchWords(NamedTuple):
    """All terms, the whole as one phrase, any of the terms."""

    every: str
    phrase: str
    some: str


class PageInIndex(NamedTuple):
    """What an index has of a page: the capture it was made of, when that was last seen, whether it is of a
    mirror, and the place of the last sight among all of them (LIN-10).
    """

    key: UrlKey
    capture_id: str
    seen_at: datetime
    is_mirrored: bool
    rank: Rank


class IndexedPage(NamedTuple):
    """A page on its way into an index; without sections it says what it said before. What the index has under
    the key `known_as` is the same page.
    """

    place: Place
    title: str
    capture_id: str
    seen_at: datetime
    is_mirrored: bool
    sections: tuple[PageSection, ...] | None
    known_as: UrlKey
    rank: Rank


class IndexMark(NamedTuple):
    """Up to where something is read: which ledger, how often that forgot, its last observation, its last
    change. An index that has the ledger's mark is up to date.
    """

    store_id: str
    purges: int
    observed: int
    changed_at: datetime | None

    def follows(self, earlier: IndexMark | None) -> bool:
        """Whether what was read up to an earlier mark is still right, so that one can go on there."""
        return (
            earlier is not None
            and (earlier.store_id, earlier.purges) == (self.store_id, self.purges)
            and earlier.observed <= self.observed
        )

    def missing(self, earlier: IndexMark | None) -> int:
        """How many observations were not read up to an earlier mark: all, where one cannot go on there."""
        return self.observed - (earlier.observed if earlier is not None and self.follows(earlier) else 0)


class FoundSection(NamedTuple):
    """A section that answers, how closely, and how well among those (`rank`: less is better).

    `until` is set where it says something else by now, or is gone.
    """

    number: int
    place: Place
    page_title: str
    anchor: str
    path: tuple[str, ...]
    name: str | None
    kind: str
    language: str | None
    since: datetime
    until: datetime | None
    rank: float
    closeness: Closeness


def read_query(
    text: str, *, site: str | None = None, at: datetime | None = None, kind: SectionKind | None = None
) -> SearchQuery:
    """What somebody typed; what no index can be asked for parts words."""
    text = text.replace("\0", " ").encode("utf-8", "replace").decode()
    terms: list[str] = []
    optional: list[str] = []
    for phrase, word in _TERM.findall(text):
        said = phrase or word
        if not _WORD.search(said):
            continue
        quoted = '"' + said.rstrip("*").replace('"', "") + '"'
        if word.endswith("*"):
            terms.append(f"{quoted} *")
        elif word.lower() in _COMMON:
            optional.append(quoted)
        else:
            terms.append(quoted)
    if not terms:
        terms, optional = optional, []
    if not terms:
        raise UsageError(
            "there is no word to search for", hint='such as: holdfast search "list comprehension"'
        )
    return SearchQuery(text, tuple(terms), tuple(optional), word_key(text), site, at, kind)


def word_key(text: str) -> str:
    """A name or a title as it is compared."""
    return " ".join(text.replace("()", "").casefold().split()).strip(_ENDS)


def called(title: str, name: str | None) -> list[str]:
    """All that a section can be asked for by exactly: its title, its name, the end of its name."""
    key = word_key(name) if name else ""
    return sorted({word_key(title), key, _tail(key)} - {""})


def closeness(query: SearchQuery, name: str | None, title: str) -> Closeness | None:
    """How near a section's name and title alone make it."""
    key = query.key
    names = word_key(name) if name else ""
    if names == key:
        return Closeness.NAME
    if key in (_tail(names), word_key(title)):
        return Closeness.TITLE
    asked = _WORD.findall(query.text.casefold())
    if any(_has_run(_WORD.findall(said.casefold()), asked) for said in (names, title)):
        return Closeness.IN_TITLE
    return None


def in_order(found: Iterable[FoundSection]) -> list[FoundSection]:
    """The best first; a section that was found twice stands where it is nearest."""
    best: dict[int, FoundSection] = {}
    for each in found:
        known = best.get(each.number)
        if known is None or (each.closeness, each.rank) < (known.closeness, known.rank):
            best[each.number] = each
    return sorted(best.values(), key=lambda each: (each.closeness, each.rank, each.place.url, each.number))


def _tail(name: str) -> str:
    return re.split(r"[.:/#]+", name)[-1]


def _has_run(words: Sequence[str], run: Sequence[str]) -> bool:
    """Whether words hold others, one after the other."""
    size = len(run)
    return size > 0 and any(
        list(words[first : first + size]) == list(run) for first in range(len(words) - size + 1)
    )


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a section's text; `marks` are the words that were asked for: first and last character."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
