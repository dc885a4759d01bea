"""`holdfast links`: what a document cites."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast.core.citation import Citation, CitedPlace
from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.nearest import nearest
from holdfast.faces.cli.citing import citation_json, place_json, place_words
from holdfast.faces.cli.console import json_document, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import Store, read_store
from holdfast.wiring.tracking import document_path

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show what a document cites, as the last `holdfast track` read it: line and column, what became of the URL, the
URL as written, its text. A URL that is also mirrored shows its file. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("document", metavar="DOC", help="a tracked document")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer from the ledger."""
    settings = settings_from(args)
    with read_store(settings) as store:
        path = document_path(settings, Path(args.document))
        citations = store.ledger.citations.of_document(path)
        if not citations and path not in (known := [d.path for d in store.ledger.citations.documents()]):
            guess = nearest(path, known)
            raise UsageError(
                f"{path} is no document that was tracked",
                hint=f"did you mean {guess}?" if guess else "run `holdfast track` first",
            )
        places = {key: store.ledger.citations.place(key) for key in {c.place.web_key for c in citations}}
        rows = [(c, places[c.place.web_key], _mirrored(store, c)) for c in citations]
    if args.json:
        links = [_as_json(*row) for row in rows]
        json_document("links", {"document": path, "links": links})
    else:
        for row in rows:
            out(_as_text(path, *row))
    return ExitStatus.SUCCESS


def _mirrored(store: Store, citation: Citation) -> tuple[str, ...]:
    return tuple(page.path for page in store.ledger.pages.mirrored(citation.place.web_key))


def _as_json(citation: Citation, place: CitedPlace | None, mirrored: tuple[str, ...]) -> dict[str, object]:
    node = place_json(place) if place else None
    return {**citation_json(citation), "node": node, "mirrored_as": list(mirrored)}


def _as_text(path: str, citation: Citation, place: CitedPlace | None, mirrored: tuple[str, ...]) -> str:
    span = citation.mention.span
    words = place_words(place) if place else "unchecked"
    notes = [f'"{citation.mention.text}"'] if citation.mention.text else []
    notes += [citation.finding] if citation.finding else []
    notes += ["ignored"] if citation.ignored else []
    notes += [f"mirrored as {name}" for name in mirrored]
    return "  ".join([f"{path}:{span.line}:{span.column}", words, citation.mention.raw, *notes])
