"""Links: cited URLs by state, host and document; one with its evidence; documents; the graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from markupsafe import Markup
from starlette.responses import Response

from holdfast import jobs
from holdfast.core.base.errors import UsageError
from holdfast.core.links.citation import CitedOrder
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.faces.web.request import PageRequest, ShownPage, feed_of, of_today
from holdfast.faces.web.safe_markdown import quiet
from holdfast.faces.web.shown import address
from holdfast.questions.log.log_forms import event_entry
from holdfast.questions.log.mirror_log import citation_events
from holdfast.questions.log.page_log import history
from holdfast.questions.status import CitedFilter

if TYPE_CHECKING:
    from holdfast.questions.link_graph import Graph

_FAR: Final = 190
_FEED: Final = 50
_HEADS: Final = {"URL": CitedOrder.URL, "failing since": CitedOrder.AGE, "asked": CitedOrder.ASKED}
_AGES: Final = (1, 7, 30, 90, 365)
"""Days that links can be asked for that fail for so long at least."""


def links(ask: PageRequest) -> ShownPage:
    """Cited URLs, by what was asked for."""
    wanted, counts = _filter(ask), ask.overview().citations
    found = ask.reader.parts.cited(wanted, datetime.now(UTC), ask.text("after"), ask.limit)
    more = {
        "next_part": found.next,
        "wanted": wanted,
        "counts": counts,
        "standings": tuple(Standing),
        "ages": _AGES,
        "heads": _heads(ask, wanted),
        "at": lambda **other: _at(ask, wanted, **other),
        "feed": address("s", ask.name, "links.atom"),
    }
    if (moment := ask.moment) is not None:
        more["then"] = ask.reader.parts.citations_at(moment)
    shown = replace(found, states=counts.states)
    return ShownPage("links.html", "cited", shown, _title(wanted), of_today(ask, more))


def _title(wanted: CitedFilter) -> str:
    which = wanted.states[0].replace("_", " ") if wanted.states else wanted.standing or ""
    words = [which.capitalize(), "links" if which else "Links"] if which else ["Links"]
    words += [f"on {wanted.host}"] if wanted.host else []
    words += [f"of {wanted.document}"] if wanted.document else []
    words += [f"that fail for {wanted.days} days and more"] if wanted.days else []
    return " ".join(words)


def _at(ask: PageRequest, wanted: CitedFilter, **other: Any) -> str:
    """The address of this list, with something else about it."""
    now = {
        "state": wanted.states[0] if wanted.states else None,
        "standing": wanted.standing,
        "host": wanted.host,
        "document": wanted.document,
        "days": wanted.days,
        "sort": wanted.order if wanted.order is not CitedOrder.URL else None,
    }
    return ask.address("s", ask.name, "links", **{**now, **other})


def _heads(ask: PageRequest, wanted: CitedFilter) -> list[tuple[str, str, str]]:
    """The heads of the table: words, where each leads, and how it is sorted now."""
    heads = []
    for words, order in _HEADS.items():
        is_up, is_down = wanted.order == order, wanted.order == f"-{order}"
        then = f"-{order}" if is_up else order
        sorted_now = "ascending" if is_up else "descending" if is_down else "none"
        heads.append((words, _at(ask, wanted, sort=None if then == CitedOrder.URL else then), sorted_now))
    return heads


def _filter(ask: PageRequest) -> CitedFilter:
    state, standing, days, order = (ask.text(name) for name in ("state", "standing", "days", "sort"))
    if state and state not in set(LinkState):
        raise UsageError(f"{state[:40]!r} is not a state of links", hint=f"there are: {', '.join(LinkState)}")
    if standing and standing not in set(Standing):
        raise UsageError(f"{standing[:40]!r} is not a standing", hint=f"there are: {', '.join(Standing)}")
    if order and order not in set(CitedOrder):
        raise UsageError(f"{order[:40]!r} is not an order", hint=f"there are: {', '.join(CitedOrder)}")
    if days and not (days.isascii() and days.isdigit() and len(days) < 6):
        raise UsageError("days is a number")
    return CitedFilter(
        (LinkState(state),) if state else (),
        Standing(standing) if standing else None,
        ask.text("host") or None,
        ask.text("document") or None,
        int(days) if days and int(days) else None,
        CitedOrder(order) if order else CitedOrder.URL,
    )


def links_feed(ask: PageRequest) -> Response:
    """What happened to cited URLs, as a feed: Atom, or JSON."""
    found = ask.reader.ask(citation_events, limit=_FEED)
    return feed_of(ask, f"{ask.source.root.name}: links", [event_entry(event) for event in found])


def link(ask: PageRequest) -> ShownPage:
    """One cited URL: how it stands, the evidence, the last looks, the kept copies, the fix, who cites it."""
    url = ask.required("url")
    found = ask.reader.backlinks(url)
    ignores = jobs.sync.acting.url_ignores_of(ask.source)
    rows, following = ask.part(found.citations)
    more = {
        "rows": rows,
        "next_part": following,
        "known": ask.reader.ask(history, url=url),
        "url": found.target,
        "live": found.target,
        "fixes": ask.reader.proposed_fixes(url).fixes if found.is_url else (),
        "ignore": next((one for one in ignores if one.url == found.target), None),
        "all_ignored": all(one.citation.ignored for one in found.citations),
    }
    return ShownPage("link.html", "backlinks", found, f"Link: {found.target}", of_today(ask, more))


def documents(ask: PageRequest) -> ShownPage:
    """The documents that were checked."""
    found = ask.reader.parts.documents(ask.text("after"), ask.limit)
    more = {"next_part": found.next, "number": ask.overview().citations.documents}
    return ShownPage("documents.html", "documents", found, "Documents", of_today(ask, more))


def document(ask: PageRequest) -> ShownPage:
    """What a document cites."""
    found = ask.reader.links(ask.required("path"))
    rows, following = ask.part(found.links)
    more = {"rows": rows, "next_part": following}
    return ShownPage("document.html", "links", found, f"Links of {found.document}", of_today(ask, more))


def graph(ask: PageRequest) -> ShownPage:
    """The neighbourhood of a document or a URL."""
    target = ask.required("node")
    found = ask.reader.parts.neighbourhood(target)
    more = {
        "drawing": _drawing(found, target, partial(ask.address, "s", ask.name, "graph")),
        "target": target,
    }
    return ShownPage("graph.html", "graph", found, f"Around {target}", of_today(ask, more))


class _Node(NamedTuple):
    words: str
    where: str
    kind: str


def _drawing(found: Graph, target: str, around: Callable[..., str]) -> Markup:
    """The node in the middle, the others around it; each is a link to its own neighbourhood."""
    nodes = [_Node(d.path, around(node=d.path), "document") for d in found.documents]
    nodes += [_Node(u.url, around(node=u.url), str(u.standing)) for u in found.urls]
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
