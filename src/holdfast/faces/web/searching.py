"""Search: the sections that say something, as `holdfast search` finds them, in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.answers.search import SearchEverywhere, SearchResults, StateResults
from holdfast.core.errors import HoldfastError
from holdfast.core.section import SectionKind, section_kind
from holdfast.core.word_diff import Piece
from holdfast.faces.web.asking import (
    PageRequest,
    Redirect,
    Responder,
    ShownPage,
    asked_limit,
    asked_moment,
    is_for_programs,
)
from holdfast.faces.web.shown import address

if TYPE_CHECKING:
    from holdfast.questions.reader import Reader

__all__ = ["everywhere", "search"]

_HITS, _HERE = 30, 10
_ASKED = ("q", "site", "at", "kind", "limit")


class SearchWish(NamedTuple):
    """What is searched for; `day` is as it was written."""

    words: str
    site: str
    day: str
    kind: str
    limit: int

    @property
    def title(self) -> str:
        """What the page is called."""
        return f"Search: {self.words}" if self.words else "Search"

    def of(self, reader: Reader) -> SearchResults:
        """What a state folder answers; nothing, where there are no words yet."""
        site, at, kind = (
            self.site or None,
            asked_moment(self.day),
            section_kind(self.kind) if self.kind else None,
        )
        if not self.words:
            return SearchResults("", (), site, at, kind)
        return reader.search(self.words, site=site, at=at, kind=kind, limit=self.limit)

    def shown(self) -> dict[str, Any]:
        """What the page shows of it, and as what."""
        asked = {"q": self.words, "site": self.site, "at": self.day, "kind": self.kind}
        return {**asked, "kinds": tuple(SectionKind), "marked": _marked, "most": self.limit}


def _wish(request: Request, number: int) -> SearchWish:
    words, site, day, kind = (
        request.query_params.get(name, "").strip() for name in ("q", "site", "at", "kind")
    )
    return SearchWish(words[:400], site, day, kind, asked_limit(request, number))


def search(ask: PageRequest) -> ShownPage:
    """What was found, the best first."""
    wish = _wish(ask.request, _HITS)
    return ShownPage("search.html", "search", wish.of(ask.reader), wish.title, wish.shown())


def everywhere(responder: Responder) -> Callable[[Request], Response]:
    """A search of every state folder, one after the other; of a single one its own page."""

    def answer(request: Request) -> Response:
        as_json = is_for_programs(request)
        if len(responder.sources) == 1 and not as_json:
            asked = {name: request.query_params.get(name) for name in _ASKED}
            where = address("s", responder.sources[0].name, "search", **asked)
            return responder.respond(request, Redirect(where), as_json=False)
        try:
            wish = _wish(request, _HERE)
            found = []
            for source in responder.sources:
                with source.open() as reader:
                    found.append(StateResults(source.name, wish.of(reader)))
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=as_json)
        first = found[0].results
        everything = SearchEverywhere(wish.words, tuple(found), first.site, first.at, first.kind)
        shown = ShownPage("everywhere.html", "search-everywhere", everything, wish.title, wish.shown())
        return responder.respond(request, shown, as_json=as_json)

    return answer


def _marked(text: str, marks: tuple[tuple[int, int], ...]) -> tuple[Piece, ...]:
    """A passage in pieces: the words that were asked for, and what is around them."""
    pieces, at = [], 0
    for first, last in marks:
        pieces += [Piece(text[at:first]), Piece(text[first:last], is_changed=True)]
        at = last
    return (*pieces, Piece(text[at:]))
