"""Lists: bullets, numbers, tasks, definitions.

1. A list is tight when no item holds more than one block and a list that may follow it without a blank
   line: bullets, or numbers from 1 (CommonMark: only these interrupt a paragraph).
2. A definition list is a list whose items begin with their terms; a signature (Sphinx `dt.sig`) is code.
3. Two lists in a row use different marks (`parted`), else they would be one.
4. Bullets of which every one holds a heading lay out a page (Javadoc's members): they are written as blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from holdfast.core.page.html.tree import Element, Node, elements
from holdfast.core.page.markdown.context import MAX_NESTING, Blocks, escape_line_start, holds_block
from holdfast.core.page.markdown.marks import END

_BULLET = re.compile(r"^- ", re.MULTILINE)
_NUMBER = re.compile(r"^(\d+)\. ", re.MULTILINE)
_LIST = re.compile(r"[-*] |\d+[.)] ")
_MAY_FOLLOW: Final = ("- ", "* ", "1. ", "1) ")
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BOXES: Final = frozenset(("div", "section", "article", "a", "header", "ul", "li"))
SIGNATURES: Final = frozenset(("sig", "sig-object", "sig-name", "descname"))
TABLES: Final = {"signature": SIGNATURES, "heading box": _BOXES}
"""What the native reader is told of these tables."""


def listed(writer: Blocks, element: Element, depth: int) -> list[str]:
    """A `ul` or `ol` as one block."""
    if element.tag == "ul" and _lays_out(element):
        return [block for _, blocks in _items(writer, element, depth) for block in blocks]
    items = _items(writer, element, depth + 1)
    if depth >= MAX_NESTING:
        return [block for _, blocks in items for block in blocks]
    ordered = element.tag == "ol"
    number = _number(element.attrs.get("start"), 1)
    loose = any(_is_loose(blocks) for _, blocks in items)
    written: list[str] = []
    for item, blocks in items:
        if ordered and item is not None:
            number = _number(item.attrs.get("value"), number)
        if blocks:
            written.append(_indented(f"{number}. " if ordered else "- ", blocks, loose=loose))
        number = min(number + 1, 999_999_999)
    return [("\n\n" if loose else "\n").join(written)] if written else []


def definition_list(writer: Blocks, element: Element, depth: int) -> list[str]:
    """A `dl` as one block."""
    items: list[list[str]] = []
    marked: list[int] = []
    follows_term = False
    for entry in _entries(element.children):
        writer.anchors.meet(entry)
        if entry.tag == "div":
            continue
        if entry.tag == "dt":
            term = _term(writer, entry, depth + 1)
            if not follows_term or not items:
                items.append([])
                marked.append(0)
            if term and _is_named(entry):
                term[0] = writer.mark(entry) + term[0]
                marked[-1] += 1
            items[-1] += term
            follows_term = bool(term) or follows_term
            continue
        if not items:
            items.append([])
            marked.append(0)
        items[-1] += writer.blocks(entry.children, depth + 1)
        follows_term = False
    for item, count in zip(items, marked, strict=True):
        if count:
            item[-1] += END * count
    if depth >= MAX_NESTING:
        return [block for blocks in items for block in blocks]
    written = [_indented("- ", blocks, loose=True) for blocks in items if blocks]
    return ["\n\n".join(written)] if written else []


def parted(blocks: list[str]) -> list[str]:
    """Blocks of which no list runs into the one before it."""
    apart = blocks[:1]
    for block in blocks[1:]:
        apart.append(_apart(apart[-1], block))
    return apart


def _apart(before: str, block: str) -> str:
    first = block[:1]
    if first == "-":
        return _BULLET.sub("* ", block) if block.startswith("- ") and before.startswith("- ") else block
    if first.isdecimal() and _NUMBER.match(block) and _NUMBER.match(before):
        return _NUMBER.sub(r"\1) ", block)
    return block


def _items(writer: Blocks, element: Element, depth: int) -> list[tuple[Element | None, list[str]]]:
    items: list[tuple[Element | None, list[str]]] = []
    stray: list[Node] = []

    def settle() -> None:
        if stray:
            blocks = writer.blocks(stray, depth)
            if blocks and items:
                items[-1][1].extend(blocks)
            elif blocks:
                items.append((None, blocks))
            stray.clear()

    for child in element.children:
        if type(child) is Element and child.tag == "li":
            settle()
            writer.anchors.meet(child)
            items.append((child, writer.blocks(child.children, depth)))
        else:
            stray.append(child)  # no item: a list right inside a list, or loose text
    settle()
    return items


def _lays_out(element: Element) -> bool:
    items = [child for child in element.children if type(child) is Element]
    return bool(items) and all(_first_heading(item, 4) for item in items)


def _first_heading(item: Element, levels: int) -> bool:
    """Whether an item begins with a heading, in boxes or not."""
    for child in item.children:
        if type(child) is Element:
            if child.tag in _HEADINGS:
                return True
            if levels and child.tag in _BOXES and _first_heading(child, levels - 1):
                return True
            if child.children:
                return False
        elif type(child) is str and not child.isspace():
            return False
    return False


def _is_loose(blocks: list[str]) -> bool:
    others = [block for block in blocks[1:] if not block.startswith(_MAY_FOLLOW)]
    return bool(others) or (len(blocks) > 1 and _LIST.match(blocks[0]) is None and "```" in blocks[0])


def _indented(mark: str, blocks: list[str], *, loose: bool) -> str:
    body = ("\n\n" if loose else "\n").join(parted(blocks))
    if "\n" not in body:
        return mark + body
    indent = " " * len(mark)
    first, *rest = body.split("\n")
    return "\n".join([mark + first, *(indent + line if line else "" for line in rest)])


def _number(text: str | None, default: int) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else default


def _entries(nodes: Iterable[Node]) -> list[Element]:
    entries: list[Element] = []
    for node in nodes:
        if type(node) is Element:
            if node.tag in ("dt", "dd"):
                entries.append(node)
            elif node.tag == "div":  # for its anchor; what it holds follows
                entries += [node, *_entries(node.children)]
            else:
                entries.append(_as_entry(node))
        elif type(node) is str and node.strip():
            entries.append(_as_entry(node))
    return entries


def _as_entry(node: Node) -> Element:
    entry = Element("dd", {}, frozenset())
    entry.children = [node]
    return entry


def _term(writer: Blocks, term: Element, depth: int) -> list[str]:
    if any(type(child) is Element and holds_block(child) for child in term.children):
        return writer.blocks(term.children, depth)
    children = term.children
    if not SIGNATURES.isdisjoint(term.names) or _is_signature(term):
        signature = Element("code", {}, frozenset())
        signature.children = children
        children = [signature]
    writer.anchors.meet_all(term)
    names, writer.anchors.waiting = writer.anchors.waiting, []
    line = writer.line(children).strip()  # white space of any kind inside of `**` would make it plain text
    if not line:
        writer.anchors.waiting = names
        return []
    anchors = "".join(map(writer.anchors.written, names))
    plain = not any(mark in line for mark in ("`", "*", "[", "<", "!", "\\"))
    if plain and line[-1].isalnum():
        return [f"{anchors}**{line}**"]
    return [anchors + line if anchors else escape_line_start(line)]


def _is_named(term: Element) -> bool:
    return any(
        "id" in inner.attrs or (inner.tag == "a" and "name" in inner.attrs)
        for inner in (term, *elements(term))
    )


def _is_signature(term: Element) -> bool:
    return any(type(child) is Element and not SIGNATURES.isdisjoint(child.names) for child in term.children)
