"""What a page says, as facts that can be compared: words, links, code, tables, headings.

Read by another parser (turbohtml) than the one Holdfast uses, with rules of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote, urljoin, urlsplit

import turbohtml
from turbohtml import Element, Text

BLOCKS: Final = frozenset(
    "address article aside blockquote body br caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary "
    "table tbody td tfoot th thead tr ul img input".split()
)
SILENT: Final = frozenset(
    "script style noscript template button svg nav select textarea iframe object title head option".split()
)
PERMALINKS: Final = frozenset(
    "headerlink hash-link anchor permalink mark selflink copiable-anchor link doc-anchor".split()
)
GUTTERS: Final = frozenset("linenos lineno linenodiv ttc".split())
MARKS: Final = frozenset("¶ # § 🔗 ◆".split())
FOOTNOTES: Final = frozenset("footnote-reference footnote-ref footnote fn-backref footnote-backref".split())
WORD = re.compile(r"\w+")
LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)-?\s?([A-Za-z0-9_+#-]+)")
NO_LANGUAGE: Final = frozenset("default none text plain plaintext txt notranslate source".split())


@dataclass
class Facts:
    """What was found."""

    words: list[str] = field(default_factory=list)
    links: Counter[str] = field(default_factory=Counter)
    code: list[tuple[str, str]] = field(default_factory=list)
    spans: Counter[str] = field(default_factory=Counter)
    tables: list[tuple[tuple[str, ...], ...]] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    fragments: set[str] = field(default_factory=set)
    foreign: int = 0


def classes(element: Any) -> set[str]:
    value = element.attrs.get("class") or ""
    return set(value.split() if isinstance(value, str) else value)


def is_address(href: str | None) -> bool:
    """Whether a link leads anywhere for whoever reads a mirror."""
    return bool(href) and not href.strip().lower().startswith(("javascript:", "file:", "data:", "vbscript:"))


def is_of_footnote(element: Any) -> bool:
    """Whether a link is the reference to a footnote, or leads back from one: they are written `[^1]`."""
    if element.attrs.get("role") in ("doc-noteref", "doc-backlink"):
        return True
    names = classes(element)
    back = "para" in names and element.attrs.get("href", "").startswith("#")  # DocBook
    return back or bool(names & FOOTNOTES)


def is_permalink(element: Any) -> bool:
    if element.tag != "a" or "#" not in (element.attrs.get("href") or ""):
        return False
    text = element.text.strip()
    return text in MARKS or not text or (bool(classes(element) & PERMALINKS) and len(text) < 3)


def skipped(element: Any, drop: frozenset[int]) -> bool:
    return (
        element.tag in SILENT
        or id(element) in drop
        or ("hidden" in element.attrs and element.attrs.get("role") != "tabpanel")
        or element.attrs.get("role") in ("navigation", "search")
        or bool(
            classes(element)
            & {"headerlink", "linenos", "lineno", "listing_lines", "ttc", "navheader", "navfooter"}
        )
        or is_permalink(element)
    )


def text_of(element: Any, drop: Any = frozenset()) -> str:
    parts: list[str] = []

    def walk(node: Any) -> None:
        for child in node:
            if isinstance(child, Element):
                if skipped(child, drop):
                    continue
                parting = child.tag in BLOCKS
                if parting:
                    parts.append("\n")
                walk(child)
                if parting:
                    parts.append("\n")
            elif isinstance(child, Text):
                parts.append(child.data)

    walk(element)
    return "".join(parts)


def words_of(text: str) -> list[str]:
    return WORD.findall(text.replace("_", " "))


def code_of(pre: Any) -> str:
    parts: list[str] = []

    def walk(node: Any) -> None:
        for child in node:
            if isinstance(child, Text):
                parts.append(child.data)
            elif isinstance(child, Element):
                if child.tag == "br" or (child.tag == "div" and parts and parts[-1][-1:] != "\n"):
                    parts.append("\n")
                if child.tag not in ("button", "style", "script") and not classes(child) & GUTTERS:
                    walk(child)

    walk(pre)
    return "".join(parts).strip("\n")


def is_code(element: Any) -> bool:
    """`pre`, and what Doxygen has instead."""
    return element.tag == "pre" or (element.tag == "div" and "fragment" in classes(element))


def language_of(pre: Any) -> str:
    inner = [child for child in pre if isinstance(child, Element)][:1]
    around = [pre, *inner]
    parent = pre.parent
    for _ in range(2):
        if parent is not None and hasattr(parent, "attrs"):
            around.append(parent)
            parent = parent.parent
    for element in around:
        stated = element.attrs.get("data-lang") or element.attrs.get("data-language")
        found = [stated] if stated else LANGUAGE.findall(" ".join(sorted(classes(element))))
        for name in found:
            if name.lower() not in NO_LANGUAGE:
                return name.lower()
    return "rust" if pre.tag == "pre" and "rust" in classes(pre) else ""


def grid_of(table: Any) -> tuple[tuple[str, ...], ...] | None:
    """The words of a simple table's cells; None for any other table."""
    if table.select("table, pre, div.fragment, h1, h2, h3, h4, [rowspan], [colspan]"):
        return None
    rows = []
    for row in table.select("tr"):
        cells = [child for child in row if isinstance(child, Element) and child.tag in ("td", "th")]
        if cells:
            rows.append(tuple(" ".join(words_of(text_of(cell))) for cell in cells))
    widths = {len(row) for row in rows}
    if len(rows) < 2 or len(widths) != 1 or widths == {1}:
        return None
    return tuple(row for row in rows if any(row))


def facts_of(roots: list[Any], base: str, drop: frozenset[int] = frozenset()) -> Facts:
    facts = Facts()
    for root in roots:
        facts.words += words_of(text_of(root, drop))
        _gather(root, base, drop, facts, in_code=False)
    return facts


def _gather(node: Any, base: str, drop: frozenset[int], facts: Facts, *, in_code: bool) -> None:
    for child in node:
        if not isinstance(child, Element) or skipped(child, drop):
            continue
        tag = child.tag
        if tag == "a" and not in_code:
            if child.text.strip() and is_address(child.attrs.get("href")) and not is_of_footnote(child):
                facts.links[resolved(base, child.attrs["href"])] += 1
        elif (is_code(child) or tag == "code") and not in_code:
            _gather_code(child, facts)
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            if text := " ".join(words_of(text_of(child, drop))):
                facts.headings.append((int(tag[1]), text))
        elif tag == "table" and (grid := grid_of(child)):
            facts.tables.append(grid)
        elif tag not in KNOWN:
            facts.foreign += 1
        _gather(child, base, drop, facts, in_code=in_code or is_code(child))


def _gather_code(element: Any, facts: Facts) -> None:
    if not (code := code_of(element)):
        return
    if is_code(element):
        facts.code.append((code, language_of(element)))
    else:
        facts.spans[code] += 1


KNOWN: Final = frozenset(
    "h1 h2 h3 h4 h5 h6 p a img em strong code pre ul ol li blockquote hr br table thead tbody tr th td del s "
    "sup sub input html head body kbd".split()
)


def resolved(base: str, href: str) -> str:
    try:
        parts = urlsplit(urljoin(base, href.strip()))
    except ValueError:
        return href
    return unquote(parts._replace(netloc=parts.netloc.lower(), path=parts.path or "/").geturl())


def parse(html: str) -> Any:
    return turbohtml.parse(html)
