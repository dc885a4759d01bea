"""The graph of documents and the URLs they cite, for other programs: DOT, GraphML, JSON (TRK-3).

1. A document is a node by its `bid`, a URL by its `url_bid`: two URLs with one body stay two nodes, and a
   URL that could not be fetched has one.
2. The relation document → URL is `Epistemic`; its weight carries the URL as written, its text and place.
3. Nodes and relations stand in the order of their ids and places: equal graphs are equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import timestamp
from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.json_shape import (
    BID,
    INTEGER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    either,
    exactly,
    matching,
    optional,
    record,
    sometimes,
)
from holdfast.core.base.shown_text import attribute_of, text_of
from holdfast.core.base.values import dataclass
from holdfast.core.links.after_look import standing
from holdfast.core.links.citation import Backlink, Bid, CitedPlace
from holdfast.core.links.link_shapes import STANDING, STATE
from holdfast.core.url.redaction import Shown, shown
from holdfast.questions.links import mirrored

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True)
class DocumentNode:
    """A document of the user's own."""

    bid: str
    path: str


@dataclass(frozen=True, slots=True)
class UrlNode:
    """A cited URL; `bid` and `content_hash` are its revision, absent while nothing was fetched."""

    url_bid: str
    url: Shown
    state: str
    standing: str
    bid: str | None = None
    content_hash: str | None = None
    fetched_at: str | None = None
    status: int | None = None
    mirrored_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """That a document cites a URL, and how."""

    source: str
    target: str
    url: Shown
    text: Shown
    line: int
    column: int
    finding: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Documents, URLs, and who cites what."""

    documents: tuple[DocumentNode, ...]
    urls: tuple[UrlNode, ...]
    relations: tuple[Relation, ...]


_COLOURS: Final = {"alive": "darkgreen", "suspect": "darkorange", "dead": "red", "unknown": "gray40"}


def write_dot(graph: Graph) -> str:
    """The graph for Graphviz."""
    lines = ["digraph citations {", "  rankdir=LR;", '  node [fontname="sans-serif"];']
    lines += [f"  {_quoted(d.bid)} [shape=note, label={_quoted(d.path)}];" for d in graph.documents]
    for url in graph.urls:
        colour = _COLOURS.get(url.standing, "gray40")
        label = _quoted(f"{url.url}\n{url.state}")
        lines.append(f"  {_quoted(url.url_bid)} [shape=box, color={colour}, label={label}];")
    lines += [f"  {_quoted(source)} -> {_quoted(target)};" for source, target in _pairs(graph.relations)]
    return "\n".join([*lines, "}"])


def write_graphml(graph: Graph) -> str:
    """The graph for Gephi, yEd, NetworkX."""
    keys = (
        ("kind", "node", "string"), ("label", "node", "string"), ("state", "node", "string"),
        ("standing", "node", "string"), ("bid", "node", "string"), ("weight", "edge", "string"),
        ("line", "edge", "int"),
    )  # fmt: skip
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    lines += [
        f'  <key id="{name}" for="{where}" attr.name="{name}" attr.type="{kind}"/>'
        for name, where, kind in keys
    ]
    lines.append('  <graph id="citations" edgedefault="directed">')
    for document in graph.documents:
        lines.append(_node(document.bid, kind="Document", label=document.path))
    for url in graph.urls:
        lines.append(
            _node(
                url.url_bid,
                kind="External",
                label=url.url,
                state=url.state,
                standing=url.standing,
                bid=url.bid,
            )
        )
    for relation in graph.relations:
        lines.append(
            f"    <edge source={attribute_of(relation.source)} target={attribute_of(relation.target)}>"
            f'<data key="weight">{_xml(relation.url)}</data><data key="line">{relation.line}</data></edge>'
        )
    return "\n".join([*lines, "  </graph>", "</graphml>"])


def _pairs(relations: Iterable[Relation]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((relation.source, relation.target) for relation in relations))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _node(name: str, **values: str | None) -> str:
    pieces = "".join(
        f'<data key="{key}">{_xml(value)}</data>' for key, value in values.items() if value is not None
    )
    return f"    <node id={attribute_of(name)}>{pieces}</node>"


def _xml(text: str) -> str:
    allowed = "".join(char if char >= " " or char in "\t\n" else "\ufffd" for char in text)
    return text_of(allowed)


def graph(ledger: Ledger) -> Graph:
    """Documents, the URLs they cite, and who cites what."""
    bids = {document.path: document.bid for document in ledger.citations.documents()}
    nodes = {node.place.web_key: node for node in ledger.citations.places()}
    return _graph(ledger, bids, nodes, ledger.citations.backlinks_like("*"))


def graph_of(ledger: Ledger, found: Iterable[Backlink]) -> Graph:
    """The graph of some citations alone."""
    chosen = tuple(found)
    paths = {each.document for each in chosen}
    bids = {known.path: known.bid for known in ledger.citations.documents() if known.path in paths}
    keys = dict.fromkeys(each.citation.place.web_key for each in chosen)
    nodes = {key: node for key in keys if (node := ledger.citations.place(key)) is not None}
    return _graph(ledger, bids, nodes, chosen)


def _graph(
    ledger: Ledger, bids: Mapping[str, Bid], nodes: Mapping[UrlKey, CitedPlace], found: Iterable[Backlink]
) -> Graph:
    relations = tuple(
        _relation(backlink, bids[backlink.document], node)
        for backlink in found
        if (node := nodes.get(backlink.citation.place.web_key)) is not None
    )
    nodes_of_documents = tuple(DocumentNode(bid, path) for path, bid in bids.items())
    return Graph(nodes_of_documents, tuple(_url_node(ledger, node) for node in nodes.values()), relations)


def _relation(backlink: Backlink, document: str, node: CitedPlace) -> Relation:
    citation = backlink.citation
    mention, span = citation.mention, citation.mention.span
    return Relation(
        document,
        node.url_bid,
        shown(mention.raw),
        shown(mention.text),
        span.line,
        span.column,
        citation.finding,
    )


def _url_node(ledger: Ledger, node: CitedPlace) -> UrlNode:
    return UrlNode(
        url_bid=node.url_bid,
        url=shown(node.place.url),
        state=node.state,
        standing=standing(node),
        bid=node.bid,
        content_hash=node.content_sha256,
        fetched_at=timestamp(node.fetched_at) if node.fetched_at else None,
        status=node.status,
        mirrored_as=mirrored(ledger, node.place.web_key),
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
