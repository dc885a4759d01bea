"""Boxes of documentation: admonitions as quotes with a title, details, tabs with their labels.

A family of admonitions is known by one class name; the kind, where no title says it, by another.
"""

from __future__ import annotations

from typing import Final

from holdfast.formats.html.tree import Element, Node
from holdfast.formats.html.walk import elements, text_of
from holdfast.formats.markdown.context import MAX_NESTING, Blocks, holds_block

__all__ = ["admonition", "details", "is_admonition", "label_tabs", "quoted"]

_FAMILIES: Final = frozenset(
    "admonition theme-admonition custom-block starlight-aside markdown-alert admonitionblock callout alert hint "
    "gdoc-hint book-hint notices pageinfo".split()
)
_KINDS: Final = (
    "note", "tip", "warning", "important", "caution", "danger", "info", "seealso", "hint", "error", "attention",
    "success", "question", "example", "bug", "abstract", "versionadded", "versionchanged", "deprecated",
)  # fmt: skip
_TITLES: Final = frozenset(
    "admonition-title custom-block-title starlight-aside__title markdown-alert-title alert-title title "
    "callout-title admonition-heading".split()
)


def is_admonition(element: Element) -> bool:
    """Whether an element is a note, a warning, or one of their kin."""
    names = element.names
    if not names or element.tag not in ("div", "aside", "section", "details", "blockquote", "figure"):
        return False
    return not _FAMILIES.isdisjoint(names) or any(name.startswith("theme-admonition") for name in names)


def admonition(writer: Blocks, element: Element, depth: int) -> list[str]:
    """An admonition as a quote that begins with its title."""
    title, rest = _title(element)
    line = writer.line(title.children) if title is not None else ""
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
        elif line := writer.line(summary.children):
            blocks = [_strong(line)]
    return blocks + writer.blocks(rest, depth)


def quoted(blocks: list[str]) -> list[str]:
    """Blocks as one quote."""
    if not blocks:
        return []
    return ["\n".join(f"> {line}" if line else ">" for line in "\n\n".join(blocks).split("\n"))]


def label_tabs(root: Element) -> None:
    """Put each tab's label at the head of its panel, in place of the bar of tabs."""
    for element in [root, *elements(root)]:
        bars = [child for child in element.children if type(child) is Element and _is_bar(child)]
        for bar in bars:
            labels = _labels(bar)
            panels = _panels(element, bar, len(labels))
            if labels and len(labels) == len(panels):
                for label, panel in zip(labels, panels, strict=True):
                    panel.children.insert(0, _paragraph(label))
                element.children = [child for child in element.children if child is not bar]


def _title(element: Element) -> tuple[Element | None, list[Node]]:
    for place, child in enumerate(element.children):
        if type(child) is Element:
            is_title = child.tag in ("p", "div", "summary", "strong") and any(
                name in _TITLES or name.startswith("admonitionHeading") for name in child.names
            )
            if is_title:
                return child, element.children[:place] + element.children[place + 1 :]
            return None, element.children
    return None, element.children


def _says(element: Element, kind: str) -> bool:
    return any(kind == name or name.endswith(f"-{kind}") for name in element.names)


def _strong(line: str) -> str:
    return line if "*" in line else f"**{line}**"


def _is_bar(element: Element) -> bool:
    return element.attrs.get("role") == "tablist" or "tabbed-labels" in element.names


def _labels(bar: Element) -> list[str]:
    tabs = [inner for inner in elements(bar) if inner.attrs.get("role") == "tab" or inner.tag == "label"]
    return [text_of(tab) for tab in tabs]


def _panels(parent: Element, bar: Element, count: int) -> list[Element]:
    panels = [
        inner
        for inner in elements(parent)
        if inner.attrs.get("role") == "tabpanel" or "tabbed-block" in inner.names
    ]
    return panels[:count] if len(panels) == count else []


def _paragraph(label: str) -> Element:
    paragraph = Element("p", {}, frozenset())
    strong = Element("strong", {}, frozenset())
    strong.children = [label]
    paragraph.children = [strong]
    return paragraph
