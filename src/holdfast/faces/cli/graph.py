"""`holdfast graph`: documents and the URLs they cite, for other programs."""

from __future__ import annotations

import argparse

from holdfast.core.citation import CitedPlace
from holdfast.core.errors import ExitStatus
from holdfast.core.look import standing
from holdfast.faces.cli.console import out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.formats.graph import (
    DocumentNode,
    Graph,
    Relation,
    UrlNode,
    write_dot,
    write_graphml,
    write_json,
)
from holdfast.formats.http_date import timestamp
from holdfast.wiring import Store, read_store

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Write the graph of documents and the URLs they cite: for Graphviz (dot), for Gephi, yEd and NetworkX
(graphml), or as JSON with the ids and payloads of every node. Nothing is asked."""

_WRITERS = {"dot": write_dot, "graphml": write_graphml, "json": write_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--format", choices=tuple(_WRITERS), default="dot", help="by default dot")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer from the ledger."""
    with read_store(settings_from(args)) as store:
        graph = _graph(store)
    out(_WRITERS[args.format](graph))
    return ExitStatus.SUCCESS


def _graph(store: Store) -> Graph:
    ledger = store.ledger
    bids = {document.path: document.bid for document in ledger.citations.documents()}
    places = {place.place.web_key: place for place in ledger.citations.places()}
    relations = []
    for backlink in ledger.citations.backlinks_like("*"):
        citation = backlink.citation
        place = places.get(citation.place.web_key)
        if place is not None:
            span = citation.mention.span
            relations.append(
                Relation(
                    bids[backlink.document],
                    place.url_bid,
                    citation.mention.raw,
                    citation.mention.text,
                    span.line,
                    span.column,
                    citation.finding,
                )
            )
    documents = tuple(DocumentNode(bid, path) for path, bid in bids.items())
    return Graph(documents, tuple(_node(store, place) for place in places.values()), tuple(relations))


def _node(store: Store, place: CitedPlace) -> UrlNode:
    return UrlNode(
        url_bid=place.url_bid,
        url=place.place.url,
        state=place.state,
        standing=standing(place),
        bid=place.bid,
        content_hash=place.content_sha256,
        fetched_at=timestamp(place.fetched_at) if place.fetched_at else None,
        status=place.status,
        mirrored_as=tuple(page.path for page in store.ledger.pages.mirrored(place.place.web_key)),
    )
