"""What the parts of the writer share: the page's links, and the way back to the writing of blocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from holdfast.formats.html.tree import Element, Node
from holdfast.formats.markdown.anchors import Anchors

__all__ = ["BLOCKS", "MAX_NESTING", "TABLES", "Blocks", "Destinations", "holds_block"]

MAX_NESTING: Final = 24
"""Lists, quotes and definitions inside each other; deeper ones are written flat, so that output stays
proportional to input."""

BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol p pre "
    "search section summary table tbody td tfoot th thead tr ul #document #note optgroup frameset".split()
)
"""Elements that are laid out as blocks."""
_BLOCK_NAMES: Final = frozenset(("structfield",))
"""Classes of others that are: a rustdoc page has a `span` for each field."""
TABLES: Final = {"block": BLOCKS, "block name": _BLOCK_NAMES}
"""What the native reader is told of these tables."""


class Destinations(Protocol):
    """Resolves the references of the page."""

    def destination(self, reference: str) -> str:
        """A reference as a link destination; empty where it leads nowhere."""
        ...


class Blocks(Protocol):
    """The writer, as its parts see it."""

    @property
    def links(self) -> Destinations:
        """The page's links."""
        ...

    @property
    def anchors(self) -> Anchors:
        """The page's anchors."""
        ...

    def mark(self, element: Element) -> str:
        """What stands for the place of a heading or a term until all is written."""
        ...

    def blocks(self, children: Iterable[Node], depth: int) -> list[str]:
        """Children as Markdown blocks."""
        ...

    def line(self, children: Iterable[Node], line_break: str = " ") -> str:
        """Children as inline Markdown on one line, the anchors that wait before them."""
        ...


def holds_block(element: Element) -> bool:
    """Whether an element must be laid out as a block: it is one, or one is inside."""
    if element.tag in BLOCKS or (element.names and not _BLOCK_NAMES.isdisjoint(element.names)):
        return True
    for child in element.children:  # noqa: SIM110 - a generator costs twice as much, here
        if type(child) is Element and holds_block(child):
            return True
    return False
