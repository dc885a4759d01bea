"""Links: cited URLs by state, host and document; one with its evidence; documents; the graph."""

from __future__ import annotations

import math
from html import escape
from typing import Final, NamedTuple

from markupsafe import Markup

from holdfast import wiring
from holdfast.core.answers.browsing import CitedFilter
from holdfast.core.errors import UsageError
from holdfast.core.link_state import LinkState, Standing
from holdfast.faces.web.asking import ShownPage, Visit
from holdfast.faces.web.shown import address
from holdfast.formats.graph import Graph
from holdfast.formats.safe_markdown import quiet

__all__ = ["document", "documents", "graph", "link", "links"]

_FAR: Final = 190


def links(ask: Visit) -> ShownPage:
    """Cited URLs, by what was asked for."""
    wanted = _filter(ask)
    found = ask.reader.parts.cited(wanted, ask.text("after"), ask.limit)
    more = {
        "next_part": found.next,
        "wanted": wanted,
        "counts": ask.reader.citation_counts(),
        "standings": tuple(Standing),
    }
    return ShownPage("links.html", "cited", found, "Links", more)


def _filter(ask: Visit) -> CitedFilter:
    state, standing = ask.text("state"), ask.text("standing")
    if state and state not in set(LinkState):
        raise UsageError(f"{state[:40]!r} is not a state of links", hint=f"there are: {', '.join(LinkState)}")
    if standing and standing not in set(Standing):
        raise UsageError(f"{standing[:40]!r} is not a standing", hint=f"there are: {', '.join(Standing)}")
    return CitedFilter(
        (LinkState(state),) if state else (),
        Standing(standing) if standing else None,
        ask.text("host") or None,
        ask.text("document") or None,
    )


def link(ask: Visit) -> ShownPage:
    """One cited URL: how it stands, on what evidence, the last looks, the kept copies, who cites it."""
    url = ask.required("url")
    found = ask.reader.backlinks(url)
    ignores = wiring.acting.url_ignores_of(ask.source)
    more = {
        "known": ask.reader.history(url),
        "url": found.target,
        "live": found.target,
        "ignore": next((one for one in ignores if one.url == found.target), None),
        "all_ignored": all(one.citation.ignored for one in found.citations),
    }
    return ShownPage("link.html", "backlinks", found, f"Link: {found.target}", more)


def documents(ask: Visit) -> ShownPage:
    """The documents that were tracked."""
    found = ask.reader.documents()
    more = {"paths": found}
    return ShownPage("documents.html", "overview", (ask.reader.parts.overview(ask.name),), "Documents", more)


def document(ask: Visit) -> ShownPage:
    """What a document cites."""
    found = ask.reader.links(ask.required("path"))
    return ShownPage("document.html", "links", found, f"Links of {found.document}")


def graph(ask: Visit) -> ShownPage:
    """The neighbourhood of a document or a URL."""
    target = ask.required("node")
    found = ask.reader.parts.neighbourhood(target)
    more = {"drawing": _drawing(found, target, ask.name), "target": target}
    return ShownPage("graph.html", "graph", found, f"Around {target}", more)


class _Node(NamedTuple):
    words: str
    where: str
    kind: str


def _drawing(found: Graph, target: str, name: str) -> Markup:
    """The node in the middle, the others around it; each is a link to its own neighbourhood."""
    nodes = [_Node(d.path, address("s", name, "graph", node=d.path), "document") for d in found.documents]
    nodes += [_Node(u.url, address("s", name, "graph", node=u.url), str(u.standing)) for u in found.urls]
    middle = next((node for node in nodes if node.words == target), nodes[0] if nodes else None)
    others = [node for node in nodes if node is not middle]
    if middle is None:
        return Markup("")
    height = max(200, 30 * math.ceil(len(others) / 2) + 40)
    parts = [_text(middle, 450, height / 2, "middle")]
    for number, other in enumerate(others):
        is_left = number % 2 == 0
        rows = math.ceil(len(others) / 2)
        y = height / 2 + (number // 2 - (rows - 1) / 2) * 30
        x = 450 - _FAR if is_left else 450 + _FAR
        line = f'<line x1="{x + (8 if is_left else -8)}" y1="{y}" x2="{450}" y2="{height / 2}"/>'
        parts = [line, *parts, _text(other, x, y, "end" if is_left else "start")]
    return Markup(  # every text in it is escaped below
        f'<svg class=graph role=group aria-label="the nodes around {escape(quiet(target))}" '
        f'viewBox="0 0 900 {height:.0f}">{"".join(parts)}</svg>'
    )


def _text(node: _Node, x: float, y: float, anchor: str) -> str:
    words = quiet(node.words)
    cut = words if len(words) <= 38 else f"{words[:20]}…{words[-16:]}"
    return (
        f'<a href="{escape(node.where)}"><text class="{escape(node.kind)}" x="{x:.0f}" y="{y + 4:.0f}" '
        f'text-anchor="{anchor}"><title>{escape(words)} ({escape(node.kind)})</title>{escape(cut)}</text></a>'
    )
