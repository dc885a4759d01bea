"""Citations in words, shared by the commands that show them."""

from __future__ import annotations

from holdfast.core.answers.citations import CitedUrl
from holdfast.core.citation import Backlink, Citation
from holdfast.core.link_state import Standing
from holdfast.faces.cli.console import style

__all__ = ["citing_line", "url_words", "where"]

_COLOURS = {
    Standing.ALIVE: "green",
    Standing.SUSPECT: "yellow",
    Standing.DEAD: "red",
    Standing.UNKNOWN: "dim",
}


def where(document: str, citation: Citation) -> str:
    """The place of a citation, as editors and terminals make it a link."""
    span = citation.mention.span
    return f"{document}:{span.line}:{span.column}"


def url_words(cited: CitedUrl) -> str:
    """A cited URL's state in a few words, with the status that it rests on."""
    status = f" {cited.status}" if cited.status else ""
    words = f"{cited.standing} {cited.state}{status}"
    if cited.standing in (Standing.ALIVE, Standing.UNKNOWN):
        words = f"{cited.state}{status}"
    return style(words, _COLOURS[cited.standing])


def citing_line(backlink: Backlink, cited: CitedUrl) -> str:
    """One citation on one line: where, what became of it, what it says."""
    moved = f" -> {cited.final_url}" if cited.final_url else ""
    place = where(backlink.document, backlink.citation)
    return f"{place}: {url_words(cited)}: {cited.url}{moved} ({cited.state.sentence})"
