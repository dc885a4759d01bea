"""The places on a page that can be linked to."""

from __future__ import annotations

from holdfast.formats.html.tree import Element, ParsedPage
from holdfast.formats.html.walk import elements

__all__ = ["anchor_of", "anchors_of"]


def anchors_of(document: ParsedPage) -> frozenset[str]:
    """Every id, and every name of a link."""
    anchors = {attrs["id"] for attrs in document.attributes if "id" in attrs}
    tags = (document.tags[at] for at in document.collected)
    anchors |= {tag.attrs["name"] for tag in tags if tag.name == "a" and "name" in tag.attrs}
    return frozenset(anchors)


def anchor_of(heading: Element) -> str | None:
    """A heading's own id, or that of an anchor in it."""
    if "id" in heading.attrs:
        return heading.attrs["id"]
    for inner in elements(heading):
        if found := inner.attrs.get("id") or (inner.attrs.get("name") if inner.tag == "a" else None):
            return found
    return None
