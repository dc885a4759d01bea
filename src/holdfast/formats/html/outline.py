"""The headings of the content, and the places on the page that can be linked to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdfast.core.page import Heading
from holdfast.formats.html.tree import Document, Element
from holdfast.formats.html.walk import elements, text_of

__all__ = ["anchors_of", "headings_of"]

_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}


def headings_of(main: Iterable[Element]) -> tuple[Heading, ...]:
    """Every heading with text, with its own id, that of an anchor in it, or that of its section."""
    headings: list[Heading] = []
    for root in main:
        section: str | None = root.attrs.get("id")
        for element in [root, *elements(root)]:
            if element.tag in _LEVELS:
                if text := text_of(element):
                    headings.append(Heading(_LEVELS[element.tag], text, _anchor(element) or section))
                section = None
            elif element.tag in ("section", "div") and "id" in element.attrs:
                section = element.attrs["id"]
    return tuple(headings)


def anchors_of(document: Document) -> frozenset[str]:
    """Every id, and every name of a link."""
    anchors = {attrs["id"] for attrs in document.attributes if "id" in attrs}
    anchors |= {item.attrs["name"] for item in document.collected if item.tag == "a" and "name" in item.attrs}
    return frozenset(anchors)


def _anchor(heading: Element) -> str | None:
    if "id" in heading.attrs:
        return heading.attrs["id"]
    for inner in elements(heading):
        if found := inner.attrs.get("id") or (inner.attrs.get("name") if inner.tag == "a" else None):
            return found
    return None
