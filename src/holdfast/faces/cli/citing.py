"""Citations in words and in JSON, shared by the commands that show them."""

from __future__ import annotations

import json
from typing import Any

from holdfast.core.citation import Backlink, Citation, CitedPlace
from holdfast.core.link_state import SENTENCES, LinkState, Standing
from holdfast.core.look import notes_of, standing
from holdfast.faces.cli.console import style
from holdfast.formats.http_date import timestamp

__all__ = ["backlink_json", "citation_json", "citing_line", "place_json", "place_words", "where"]

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


def place_words(place: CitedPlace, *, eager: bool = False) -> str:
    """A node's state in a few words, with the status that it rests on."""
    standing_now = standing(place, eager=eager)
    status = f" {place.status}" if place.status else ""
    words = f"{standing_now} {place.state}{status}"
    if standing_now in (Standing.ALIVE, Standing.UNKNOWN):
        words = f"{place.state}{status}"
    return style(words, _COLOURS[standing_now])


def citing_line(backlink: Backlink, place: CitedPlace, *, eager: bool = False) -> str:
    """One citation on one line: where, what became of it, what it says."""
    words = place_words(place, eager=eager)
    moved = f" -> {place.final_url}" if place.final_url else ""
    sentence = SENTENCES[LinkState(place.state)]
    return f"{where(backlink.document, backlink.citation)}: {words}: {place.place.url}{moved} ({sentence})"


def citation_json(citation: Citation) -> dict[str, Any]:
    """A citation, with its exact place."""
    mention, span = citation.mention, citation.mention.span
    return {
        "url": citation.place.url,
        "raw": mention.raw,
        "text": mention.text,
        "kind": mention.kind,
        "fragment": citation.fragment,
        "line": span.line,
        "column": span.column,
        "utf16_column": span.utf16_column,
        "start": span.start,
        "end": span.end,
        "ignored": citation.ignored,
        "finding": citation.finding,
    }


def backlink_json(backlink: Backlink) -> dict[str, Any]:
    """A citation, with its document."""
    return {"document": backlink.document, **citation_json(backlink.citation)}


def place_json(place: CitedPlace, *, eager: bool = False) -> dict[str, Any]:
    """A node, with all that its state rests on."""
    notes = notes_of(place)
    return {
        "url": place.place.url,
        "url_bid": place.url_bid,
        "bid": place.bid,
        "state": place.state,
        "standing": standing(place, eager=eager),
        "status_code": place.status,
        "final_url": place.final_url,
        "content_hash": place.content_sha256,
        "fetched_at": timestamp(place.fetched_at) if place.fetched_at else None,
        "checked_at": timestamp(place.checked_at) if place.checked_at else None,
        "failures": place.failures,
        "failing_since": timestamp(place.failing_since) if place.failing_since else None,
        "evidence": json.loads(json.dumps(notes.evidence)),
        "warnings": list(notes.warnings),
    }
