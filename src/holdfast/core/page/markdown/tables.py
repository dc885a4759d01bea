"""Tables: GFM where the table is one, blocks in reading order where it only lays out a page.

1. A table of layout has one column, says so (`role=presentation`), or holds what no cell can: tables,
   headings, code of several lines, line numbers.
2. Spans are expanded: the cell's text stands in its first field, the others are empty. A table of more
   than `MAX_FIELDS` fields is written as blocks.
3. In a cell paragraphs and list items are parted by `<br>`, and every `|` is escaped, in code too.
4. A row that is only a heading parts a table in two (Doxygen's lists of members).
5. The first row is the header if it is in `thead` or all `th`; else the header is empty.
6. A column is aligned as its header says, else as all its cells say.
7. Boxes in columns that begin with a row of headers are a table too (Javadoc's summaries).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from holdfast.core.page.html.tree import Element, Node, elements, find, text_of
from holdfast.core.page.markdown.code import code_text, is_code_block
from holdfast.core.page.markdown.context import Blocks, code_span, holds_block

MAX_FIELDS: Final = 20_000
_MAX_COLUMNS: Final = 500
_LAYOUT_NAMES: Final = frozenset(("highlighttable", "rouge-table", "lntable", "layout", "code-table"))
_GUTTERS: Final = frozenset(
    ("linenos", "gutter", "lineno", "rouge-gutter", "listing_lines", "hljs-ln-numbers")
)
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_TOO_MUCH: Final = _HEADINGS | {"table"}
_PARTS: Final = frozenset(("caption", "thead", "tbody", "tfoot", "tr"))
_TEXT_ALIGN = re.compile(r"text-align:\s*(left|right|center)\b", re.IGNORECASE)
_RULES: Final = {"left": ":---", "right": "---:", "center": ":---:"}
_CLASSES: Final = {
    **dict.fromkeys(("halign-right", "text-right", "align-right", "has-text-align-right"), "right"),
    **dict.fromkeys(("halign-center", "text-center", "align-center", "has-text-align-center"), "center"),
}
TABLES: Final = {
    "layout": _LAYOUT_NAMES, "numbers": _GUTTERS, "part": _PARTS, "aligned": list(_CLASSES.items()),
}  # fmt: skip
"""What the native reader is told of these tables."""


class _Row(NamedTuple):
    header: bool
    cells: list[Element]
    element: Element | None = None


def table(writer: Blocks, element: Element, depth: int) -> list[str]:
    """A table as blocks: its captions, then one GFM table, or what it lays out."""
    rows, captions = _rows(element)
    for holder in (element, *(child for child in element.children if type(child) is Element)):
        _meet_parts(writer, holder)
    blocks = [block for caption in captions for block in writer.blocks(caption.children, depth)]
    if not rows:
        return blocks + writer.blocks([child for child in element.children if child not in captions], depth)
    for part in _parts(rows):
        blocks += _part(writer, element, part, depth)
    return blocks


def _meet_parts(writer: Blocks, element: Element) -> None:
    """The anchors of what is neither a row nor a cell, and of rows without cells."""
    for part in element.children:
        if type(part) is Element and part.attrs and part.tag in _PARTS:
            cells = part.tag == "tr" and any(type(child) is Element for child in part.children)
            if not cells:
                writer.anchors.meet(part)


def table_of_boxes(writer: Blocks, element: Element, depth: int) -> list[str]:
    """Boxes in as many columns as the first row has headers; as blocks where they do not fill the rows."""
    cells = [child for child in element.children if type(child) is Element]
    columns = sum("table-header" in cell.names for cell in cells)
    if not columns or len(cells) % columns or any("table-header" in cell.names for cell in cells[columns:]):
        return writer.blocks(element.children, depth)
    rows = [_Row(place == 0, cells[place : place + columns]) for place in range(0, len(cells), columns)]
    return _part(writer, element, rows, depth)


def _parts(rows: list[_Row]) -> list[list[_Row]]:
    """The rows between rows that are only a heading, and these on their own; lines that only part go."""
    parts: list[list[_Row]] = [[]]
    for row in rows:
        if len(row.cells) > 1 or find(row.cells[0], lambda inner: inner.tag in _HEADINGS) is None:
            parts[-1].append(row)
        else:
            parts += [row], []
    if len(parts) == 1:
        return parts
    return [kept for part in parts if (kept := [row for row in part if not _is_separator(row)])]


def _is_separator(row: _Row) -> bool:
    return len(row.cells) == 1 and _span(row.cells[0], "colspan") > 1 and not text_of(row.cells[0])


def _part(writer: Blocks, element: Element, rows: list[_Row], depth: int) -> list[str]:
    grid = None if _is_layout(element, rows) else _grid(rows)
    if grid is None:
        return _unrolled(writer, rows, depth)
    before = writer.anchors.take()
    written: list[list[str]] = []
    for row, line in zip(rows, grid, strict=True):
        if row.element is not None:
            writer.anchors.meet(row.element)
        written.append([_cell(writer, cell) if cell is not None else "" for cell in line])
    rules = _rules(grid, header=rows[0].header)
    header = written.pop(0) if rows[0].header else [""] * len(written[0])
    lines = "\n".join([_line(header), _line(rules), *map(_line, written)])
    return [before, lines] if before else [lines]


def _rules(grid: list[list[Element | None]], *, header: bool) -> list[str]:
    """What stands under the header, a field a column: how it is aligned."""
    aligned = [[_alignment(cell) if cell is not None else None for cell in line] for line in grid]
    rules: list[str] = []
    for column in range(len(grid[0])):
        said = [line[column] for line in aligned]
        of_header = said[0] if header else None
        of_cells = {name for name in (said[1:] if header else said) if name is not None}
        name = of_header or (of_cells.pop() if len(of_cells) == 1 else "")
        rules.append(_RULES.get(name, "---"))
    return rules


def _alignment(cell: Element) -> str | None:
    """`left`, `right`, `center`, nothing; None of a cell that has no text to align."""
    attrs = cell.attrs
    if not attrs:
        return "" if cell.children else None
    if stated := alignment_in(attrs.get("style", "")):
        return stated
    stated = attrs.get("align", "").strip().lower()
    return stated or next((_CLASSES[name] for name in attrs.get("class", "").split() if name in _CLASSES), "")


def alignment_in(style: str) -> str:
    """How a style aligns text; empty where it says nothing of it."""
    match = _TEXT_ALIGN.search(style)
    return match[1].lower() if match else ""


def _line(fields: list[str]) -> str:
    return f"| {' | '.join(fields)} |"


def _rows(element: Element) -> tuple[list[_Row], list[Element]]:
    rows: list[_Row] = []
    captions: list[Element] = []
    for part in element.children:
        if type(part) is not Element:
            continue
        if part.tag == "caption":
            captions.append(part)
        elif part.tag == "tr":
            rows += _row(part, in_head=False)
        elif part.tag in ("thead", "tbody", "tfoot"):
            for child in part.children:
                if type(child) is Element and child.tag == "tr":
                    rows += _row(child, in_head=part.tag == "thead")
    return rows, captions


def _row(element: Element, *, in_head: bool) -> list[_Row]:
    cells = [child for child in element.children if type(child) is Element and child.tag in ("td", "th")]
    return [_Row(in_head or all(cell.tag == "th" for cell in cells), cells, element)] if cells else []


def _is_layout(element: Element, rows: list[_Row]) -> bool:
    if element.attrs.get("role") in ("presentation", "none") or not _LAYOUT_NAMES.isdisjoint(element.names):
        return True
    if max(len(row.cells) for row in rows) == 1:
        return True
    if len(rows) == 1 and any(inner.tag == "pre" for cell in rows[0].cells for inner in elements(cell)):
        return True
    return any(_is_too_much(inner) for row in rows for cell in row.cells for inner in elements(cell))


def _is_too_much(inner: Element) -> bool:
    return inner.tag in _TOO_MUCH or (is_code_block(inner) and "\n" in code_text(inner).strip("\n"))


def _grid(rows: list[_Row]) -> list[list[Element | None]] | None:
    """The fields, spans expanded; None when there are too many."""
    grid: list[list[Element | None]] = []
    reserved: dict[int, int] = {}
    total = 0
    for row in rows:
        line: list[Element | None] = []
        following: dict[int, int] = {}
        for cell in row.cells:
            while reserved.get(len(line), 0):
                line.append(None)
            column, width = len(line), _span(cell, "colspan")
            height = _span(cell, "rowspan")
            line.append(cell)
            line.extend([None] * (width - 1))
            if height > 1:
                following.update(dict.fromkeys(range(column, column + width), height - 1))
        while reserved.get(len(line), 0):
            line.append(None)
        reserved = {at: left - 1 for at, left in reserved.items() if left > 1} | following
        total += len(line)
        if len(line) > _MAX_COLUMNS or total > MAX_FIELDS:
            return None
        grid.append(line)
    width = max(map(len, grid))
    if width * len(grid) > MAX_FIELDS:
        return None
    return [line + [None] * (width - len(line)) for line in grid]


def _span(cell: Element, name: str) -> int:
    text = cell.attrs.get(name, "1").strip()
    return min(max(int(text), 1), 1_000) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def _cell(writer: Blocks, cell: Element) -> str:
    lines: list[str] = []
    writer.anchors.meet(cell)
    _gather(writer, cell.children, lines)
    return "<br>".join(lines).replace("|", "\\|")


def _gather(writer: Blocks, nodes: Iterable[Node], lines: list[str]) -> None:
    """The lines of a cell: each block is one, each list item begins with a dash."""
    inline: list[Node] = []

    def settle() -> None:
        if inline and (line := writer.line(inline, "<br>")):
            lines.append(line)
        inline.clear()

    for node in nodes:
        if type(node) is not Element or not holds_block(node):
            inline.append(node)
            continue
        settle()
        writer.anchors.meet(node)
        if is_code_block(node):
            lines.extend(code_span(line) for line in code_text(node).split("\n") if line.strip())
        else:
            before = len(lines)
            _gather(writer, node.children, lines)
            if node.tag == "li" and len(lines) > before:
                lines[before] = f"- {lines[before]}"
    settle()


def _unrolled(writer: Blocks, rows: list[_Row], depth: int) -> list[str]:
    blocks: list[str] = []
    for row in rows:
        if row.element is not None:
            writer.anchors.meet(row.element)
        for cell in row.cells:
            if _GUTTERS.isdisjoint(cell.names):
                writer.anchors.meet(cell)
                blocks += writer.blocks(cell.children, depth)
    return blocks
