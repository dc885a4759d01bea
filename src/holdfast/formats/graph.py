"""The graph of documents and the URLs they cite, for other programs: DOT, GraphML (TRK-3). Its JSON is in
`formats.schemas`.

1. A document is a node by its `bid`, a URL by its `url_bid`: two URLs with one body stay two nodes, and a URL
   that could not be fetched has one.
2. The relation document → URL is `Epistemic`; its weight carries the URL as written, its text and place.
3. Nodes and relations stand in the order of their ids and places: equal graphs are equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdfast.core.redaction import Shown
from holdfast.core.values import dataclass
from holdfast.formats.xml_text import attribute_of, text_of

__all__ = [
    "DocumentNode",
    "Graph",
    "Relation",
    "UrlNode",
    "write_dot",
    "write_graphml",
]


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
