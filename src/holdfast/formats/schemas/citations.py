"""The JSON of answers about citations."""

from __future__ import annotations

from typing import Final

from holdfast.core.change_detail import SectionVerdict
from holdfast.formats.graph import DocumentNode, UrlNode
from holdfast.formats.schemas.pieces import (
    BACKLINK,
    BID,
    CITATION,
    DRIFT,
    NODE,
    SECONDS,
    SHOWN,
    STANDING,
    STATE,
)
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    described,
    either,
    exactly,
    inside,
    mapping,
    matching,
    one_of,
    optional,
    record,
    sometimes,
)

__all__ = ["BACKLINKS", "BROKEN", "CHANGED", "CITED_URL", "GRAPH", "LINKS", "SITE_BROKEN"]

CITED_URL: Final = record(NODE, citations=array(BACKLINK))

BROKEN: Final = Schema("broken", "What `holdfast broken --json` prints.", record(urls=array(CITED_URL)))

SITE_BROKEN: Final = Schema(
    "site-broken",
    "What `holdfast broken --mirror DIR --json` prints: addresses of the site that could not be had, and the "
    "pages of the mirror that link to them.",
    record(
        label=TEXT,
        urls=array(
            record(
                url=TEXT,
                reason=TEXT,
                is_dead=BOOLEAN,
                pages=array(record(url=TEXT, path=TEXT, text=TEXT)),
            )
        ),
        suspects=INTEGER,
    ),
)

BACKLINKS: Final = Schema(
    "backlinks",
    "What `holdfast backlinks --json` prints; `node`, `mirrored_as` and `pages` are there when a URL was "
    "asked for.",
    record(
        target=SHOWN,
        node=sometimes("node", optional(NODE), when=lambda found: found.is_url),
        mirrored_as=sometimes("mirrored_as", array(TEXT), when=lambda found: found.is_url),
        backlinks=at("citations", array(BACKLINK)),
        pages=sometimes("pages", array(TEXT), when=lambda found: found.is_url),
    ),
)

LINKS: Final = Schema(
    "links",
    "What `holdfast links --json` prints.",
    record(
        document=TEXT,
        links=array(
            record(
                **inside("citation", CITATION),
                node=optional(NODE),
                mirrored_as=array(TEXT),
            )
        ),
    ),
)

CHANGED: Final = Schema(
    "changed",
    "What `holdfast changed --json` prints.",
    record(
        changes=array(
            record(
                at=at("at", SECONDS),
                url=SHOWN,
                old=optional(TEXT),
                new=optional(TEXT),
                drift=described(
                    optional(DRIFT),
                    "How much of the page is different; null where it has no text, or a copy is gone.",
                ),
                sections=described(
                    mapping(one_of(SectionVerdict)),
                    "What the change means for each section that is cited, by fragment.",
                ),
                citations=array(BACKLINK),
            )
        )
    ),
)

_DOCUMENT_NODE: Final = record(kind=at(lambda _: "Document", exactly("Document")), bid=BID, path=TEXT)
_URL_NODE: Final = record(
    kind=at(lambda _: "External", exactly("External")),
    id=sometimes(
        lambda node: f"sha256-{node.content_hash}" if node.content_hash else None,
        matching("^sha256-[0-9a-f]{64}$"),
    ),
    bid=optional(BID),
    url_bid=BID,
    payload=at(
        lambda node: node,
        record(
            url=TEXT,
            content_hash=optional(TEXT),
            fetched_at=optional(TEXT),
            status=optional(INTEGER),
            state=STATE,
            standing=STANDING,
        ),
    ),
    mirrored_as=sometimes("mirrored_as", array(TEXT), when=lambda node: bool(node.mirrored_as)),
)


def _node_shape(node: DocumentNode | UrlNode) -> Shape:
    return _DOCUMENT_NODE if isinstance(node, DocumentNode) else _URL_NODE


GRAPH: Final = Schema(
    "graph",
    "What `holdfast graph --format json` prints: documents, cited URLs, and who cites what.",
    record(
        nodes=at(
            lambda graph: (*graph.documents, *graph.urls),
            array(either(_DOCUMENT_NODE, _URL_NODE, by=_node_shape)),
        ),
        relations=array(
            record(
                kind=at(lambda _: "Epistemic", exactly("Epistemic")),
                source=BID,
                target=BID,
                weight=at(
                    lambda relation: relation, record(url=TEXT, text=TEXT, line=INTEGER, column=INTEGER)
                ),
                finding=sometimes("finding", exactly("fragment_missing")),
            )
        ),
    ),
)
