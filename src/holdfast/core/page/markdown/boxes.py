"""Boxes of documentation: admonitions as quotes with a title, details, tabs with their labels.

A family of admonitions is known by one class name; the kind, where no title says it, by another.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from holdfast.core.page.html.tree import Element, Node, elements, find, text_of
from holdfast.core.page.markdown.context import MAX_NESTING, Blocks, escape_line_start, holds_block

_BOXED: Final = frozenset("div aside section details blockquote figure".split())
_FAMILIES: Final = frozenset(
    "admonition theme-admonition custom-block starlight-aside markdown-alert admonitionblock callout alert "
    "hint gdoc-hint book-hint notices pageinfo".split()
)
_KINDS: Final = (
    "note", "tip", "warning", "important", "caution", "danger", "info", "seealso", "hint", "error",
    "attention", "success", "question", "example", "bug", "abstract", "versionadded", "versionchanged",
    "deprecated",
)  # fmt: skip
_TABBED: Final = ("tabbed-labels", "vp-code-group", "sd-tab-set")
_TITLES: Final = frozenset(
    "admonition-title custom-block-title starlight-aside__title markdown-alert-title alert-title title "
    "callout-title admonition-heading".split()
)
TABLES: Final = {
    "boxed": _BOXED, "family": _FAMILIES, "kinds": _KINDS, "tabbed": _TABBED, "title": _TITLES,
}  # fmt: skip
"""What the native reader is told of these tables."""


def is_admonition(element: Element) -> bool:
    """Whether an element is a note, a warning, or one of their kin."""
    names = element.names
    if not names or element.tag not in _BOXED:
        return False
    return not _FAMILIES.isdisjoint(names) or any(name.startswith("theme-admonition") for name in names)


def admonition(writer: Blocks, element: Element, depth: int) -> list[str]:
    """An admonition as a quote that begins with its title."""
    title, rest = _title_in_table(element) if "admonitionblock" in element.names else _title(element)
    line = writer.line(title.children).strip() if title is not None else ""
    body = writer.blocks(rest, depth + 1)
    if not line and body:
        line = next((kind.capitalize() for kind in _KINDS if _says(element, kind)), "")
        if body[0].lower().startswith(line.lower()):
            line = ""
    blocks = ([_strong(line)] if line else []) + body
    return quoted(blocks) if depth < MAX_NESTING else blocks


def details(writer: Blocks, element: Element, depth: int) -> list[str]:
    """`details`: the summary in bold, then what it hides."""
    summary = next(
        (child for child in element.children if type(child) is Element and child.tag == "summary"), None
    )
    rest = [child for child in element.children if child is not summary]
    blocks: list[str] = []
    if summary is not None:
        if any(type(child) is Element and holds_block(child) for child in summary.children):
            blocks = writer.blocks(summary.children, depth)
        elif line := writer.line(summary.children).strip():
            blocks = [_strong(line)]
    return blocks + writer.blocks(rest, depth)


def quoted(blocks: list[str]) -> list[str]:
    """Blocks as one quote."""
    if not blocks:
        return []
    return ["\n".join(f"> {line}" if line else ">" for line in "\n\n".join(blocks).split("\n"))]


def has_tabs(attributes: Iterable[dict[str, str]]) -> bool:
    """Whether a page with these attributes has tabs at all."""
    return any(
        attrs.get("role") == "tablist" or any(name in attrs.get("class", "") for name in _TABBED)
        for attrs in attributes
    )


def label_tabs(root: Element) -> None:
    """Put each tab's label at the head of its panel, in place of the bar of tabs."""
    for element in [root, *elements(root)]:
        bars = [place for place, child in enumerate(element.children) if _is_bar(child, element)]
        if "sd-tab-set" in element.names:
            _label_each(element)
        elif bars:
            for bar, end in pairwise([*bars, len(element.children)]):
                _label(element, bar, end)
            element.children = [child for child in element.children if child != ""]


def _label(parent: Element, bar: int, end: int) -> None:
    """The panels of a bar stand between it and the next; a bar that does not match them stays."""
    tabs = [inner for inner in elements(parent.children[bar]) if _is_tab(inner)]
    panels = [panel for child in parent.children[bar + 1 : end] for panel in _panels_in(child)]
    if tabs and len(tabs) == len(panels):
        for tab, panel in zip(tabs, panels, strict=True):
            panel.children.insert(0, _paragraph(text_of(tab)))
        parent.children[bar] = ""


def _label_each(parent: Element) -> None:
    """Labels that stand before their panels one by one (sphinx-design)."""
    for place, child in enumerate(parent.children):
        if type(child) is Element and child.tag == "label":
            parent.children[place] = _paragraph(text_of(child))


def _title(element: Element) -> tuple[Element | None, list[Node]]:
    for place, child in enumerate(element.children):
        if type(child) is Element:
            is_title = child.tag in ("p", "div", "strong") and any(
                name in _TITLES or name.startswith("admonitionHeading") for name in child.names
            )
            if is_title or child.tag == "summary":
                return child, element.children[:place] + element.children[place + 1 :]
            return None, element.children
    return None, element.children


def _title_in_table(element: Element) -> tuple[Element | None, list[Node]]:
    """AsciiDoc lays its admonitions out as a table: an icon, which may be a picture, and the content."""
    icon = find(element, lambda inner: inner.tag == "td" and "icon" in inner.names)
    content = find(element, lambda inner: inner.tag == "td" and "content" in inner.names)
    if icon is None or content is None:
        return _title(element)
    title = Element("p", {}, frozenset())
    title.children = [text_of(icon) or next(filter(None, map(_label_of, elements(icon))), "")]
    return title, content.children


def _label_of(icon: Element) -> str:
    return icon.attrs.get("title") or icon.attrs.get("alt") or ""


def _says(element: Element, kind: str) -> bool:
    return any(kind == name or name.endswith(f"-{kind}") for name in element.names)


def _strong(line: str) -> str:
    return escape_line_start(line) if "*" in line else f"**{line}**"


def _is_bar(node: Node, parent: Element) -> bool:
    """A bar of tabs, or a box that holds nothing else."""
    while type(node) is Element:
        if node.attrs.get("role") == "tablist" or "tabbed-labels" in node.names:
            return True
        if "vp-code-group" in parent.names:
            return "tabs" in node.names
        inner = [child for child in node.children if type(child) is Element or str(child).strip()]
        if len(inner) != 1:
            return False
        parent, node = node, inner[0]
    return False


def _is_tab(element: Element) -> bool:
    return element.attrs.get("role") == "tab" or element.tag == "label"


def _panels_in(node: Node) -> list[Element]:
    """The outermost panels."""
    panels: list[Element] = []
    stack = [node]
    while stack:
        inner = stack.pop()
        if type(inner) is not Element:
            continue
        if inner.attrs.get("role") == "tabpanel" or "tabbed-block" in inner.names:
            panels.append(inner)
        elif "blocks" in inner.names:  # of VitePress, whose panels have no name
            panels.extend(child for child in inner.children if type(child) is Element)
        else:
            stack.extend(reversed(inner.children))
    return panels


def _paragraph(label: str) -> Element:
    paragraph = Element("p", {}, frozenset())
    strong = Element("strong", {}, frozenset())
    strong.children = [label]
    paragraph.children = [strong]
    return paragraph
