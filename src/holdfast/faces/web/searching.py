"""Search: the sections that say something, as `holdfast search` finds them, in the same order."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from holdfast.core.answers.search import SearchResults
from holdfast.core.errors import HoldfastError
from holdfast.core.section import SectionKind, section_kind
from holdfast.core.word_diff import Piece
from holdfast.faces.web.asking import PageRequest, Redirect, Responder, ShownPage, asked_moment
from holdfast.faces.web.shown import address

__all__ = ["everywhere", "search"]

_HITS, _HERE = 30, 10


def search(ask: PageRequest) -> ShownPage:
    """What was found, the best first."""
    words, site, at, kind = (ask.text(name).strip() for name in ("q", "site", "at", "kind"))
    moment = asked_moment(at)
    found = SearchResults("", ())
    wanted = section_kind(kind) if kind else None
    number = ask.limit if ask.text("limit") else _HITS
    if words:
        found = ask.reader.search(words[:400], site=site or None, at=moment, kind=wanted, limit=number)
    more = {
        "q": words,
        "site": site,
        "at": at,
        "kind": kind,
        "kinds": tuple(SectionKind),
        "marked": _marked,
        "most": number,
    }
    return ShownPage("search.html", "search", found, f"Search: {words}" if words else "Search", more)


def everywhere(responder: Responder) -> Callable[[Request], Response]:
    """A search of every state folder, one after the other; of a single one its own page."""

    def answer(request: Request) -> Response:
        words = request.query_params.get("q", "").strip()[:400]
        if len(responder.sources) == 1:
            where = address("s", responder.sources[0].name, "search", q=words)
            return responder.respond(request, Redirect(where), as_json=False)
        try:
            found = []
            for source in responder.sources:
                with source.open() as reader:
                    results = reader.search(words, limit=_HERE) if words else SearchResults("", ())
                found.append((source.name, results))
        except HoldfastError as error:
            return responder.say_error(request, error, as_json=False)
        more = {"q": words, "marked": _marked, "json_address": None}
        title = f"Search: {words}" if words else "Search"
        return responder.respond(
            request, ShownPage("everywhere.html", "search", found, title, more), as_json=False
        )

    return answer


def _marked(text: str, marks: tuple[tuple[int, int], ...]) -> tuple[Piece, ...]:
    """A passage in pieces: the words that were asked for, and what is around them."""
    pieces, at = [], 0
    for first, last in marks:
        pieces += [Piece(text[at:first]), Piece(text[first:last], is_changed=True)]
        at = last
    return (*pieces, Piece(text[at:]))
