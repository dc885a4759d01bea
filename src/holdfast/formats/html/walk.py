"""Small questions to the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdfast.formats.html.tree import Element, Node

__all__ = ["elements", "find", "raw_text", "text_length", "text_of"]


def elements(root: Node) -> Iterator[Element]:
    """Every element below, in document order."""
    stack: list[Node] = root.children[::-1] if type(root) is Element else []
    while stack:
        node = stack.pop()
        if type(node) is Element:
            yield node
            stack.extend(reversed(node.children))


def find(root: Element, wanted: Callable[[Element], bool]) -> Element | None:
    """The first element below that is wanted."""
    return next((element for element in elements(root) if wanted(element)), None)


def raw_text(root: Node) -> str:
    """All text below, as it stands."""
    while type(root) is Element and len(root.children) == 1:  # most links and code spans are boxed text
        root = root.children[0]
    if type(root) is str:
        return root
    parts: list[str] = []
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if type(node) is str:
            parts.append(node)
        elif type(node) is Element:
            stack.extend(node.children[::-1])
    return "".join(parts)


def text_of(root: Element) -> str:
    """All text below in one line."""
    return " ".join(raw_text(root).split())


def text_length(root: Element) -> int:
    """How many characters of text are below, white space around them not counted."""
    total = 0
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if type(node) is str:
            total += len(node.strip())
        elif type(node) is Element:
            stack.extend(node.children)
    return total
