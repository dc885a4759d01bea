"""What a search found: title, address and the words around the hit."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.core.answers.search import SearchHit, SearchResults, Snippet
from holdfast.core.redaction import shown
from holdfast.core.shown_text import harmless
from holdfast.formats.words.paint import Paint

__all__ = ["search_lines"]


def search_lines(found: SearchResults, paint: Paint) -> Iterator[str]:
    """The hits, an empty line between two."""
    for number, hit in enumerate(found.hits):
        if number:
            yield ""
        yield from _hit_lines(hit, paint)


def _hit_lines(hit: SearchHit, paint: Paint) -> Iterator[str]:
    above = " › ".join(hit.headings[:-1]) or (hit.page_title if hit.page_title != hit.title else "")
    yield paint(harmless(hit.title), "bold") + (paint(f"  {harmless(above)}", "dim") if above else "")
    yield paint(shown(hit.url), "blue")
    if hit.snippet.text:
        yield "  " + _marked(hit.snippet, paint)


def _marked(snippet: Snippet, paint: Paint) -> str:
    parts, at = [], 0
    for first, last in snippet.marks:
        parts += [_one_line(snippet.text[at:first]), paint(_one_line(snippet.text[first:last]), "bold")]
        at = last
    return "".join([*parts, _one_line(snippet.text[at:])])


def _one_line(text: str) -> str:
    return harmless(text.replace("\n", " "))
