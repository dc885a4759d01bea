"""The content's tree to Markdown: blocks in order, each by the part that knows it.

`MARKDOWN_VERSION` is how Markdown is made (TXT-5). It moves when the output of any page can move; it is
no part of identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from holdfast.core.page.html.head import anchor_of
from holdfast.core.page.html.tokens import TEX
from holdfast.core.page.html.tree import Element, Node, elements, find, text_of
from holdfast.core.page.markdown.boxes import admonition, details, is_admonition, quoted
from holdfast.core.page.markdown.code import (
    GUTTER,
    MATH_NAMES,
    fenced,
    is_code_block,
    is_math,
    language_in,
    tex_of,
    written_tex,
)
from holdfast.core.page.markdown.context import BLOCKS, MAX_NESTING, Destinations, holds_block
from holdfast.core.page.markdown.footnotes import NOTE, join_footnotes, written_note
from holdfast.core.page.markdown.inline import CODE_NAMES, Inline
from holdfast.core.page.markdown.inline_run import plain_paragraph
from holdfast.core.page.markdown.lists import SIGNATURES, definition_list, listed, parted
from holdfast.core.page.markdown.marks import Anchors, Mark, mark, unmarked
from holdfast.core.page.markdown.tables import table, table_of_boxes
from holdfast.core.page.page import Heading

MARKDOWN_VERSION: Final = "markdown_v2"

MEANINGFUL: Final = GUTTER | SIGNATURES | MATH_NAMES | CODE_NAMES
"""Class names that give a meaning to an element that has none of its own, such as a `span`."""

_HEADINGS: Final = {f"h{level}": "#" * level for level in range(1, 7)}
_SILENT: Final = frozenset(("script", "style", "noscript", "template", "head", "col", "colgroup"))
_MATH: Final = frozenset(("math", TEX))
TABLES: Final = {"silent": _SILENT, "meaningful": MEANINGFUL}
"""What the native reader is told of these tables."""


class Written(NamedTuple):
    """Markdown, which ends with a newline unless it is empty, the headings in it, and where they stand."""

    markdown: str
    headings: tuple[Heading, ...]
    marks: Sequence[Mark] = ()


def write_markdown(main: tuple[Element, ...], links: Destinations, anchors: str = "html") -> Written:
    """Markdown of the main elements, in order; `anchors` as the setting of that name says. They change."""
    join_footnotes(main)
    writer = _Writer(links, Anchors(anchors))
    blocks: list[str] = []
    for element in main:
        blocks += writer.blocks([element], 0)
    blocks += writer.standing()
    text, marks = unmarked("\n\n".join(parted(blocks)), writer.marked)
    return Written(f"{text}\n" if text else "", tuple(writer.headings), marks)


class _Writer:
    """Writes blocks; the parts call it back for what is inside them."""

    __slots__ = ("_language", "anchors", "headings", "links", "marked")

    def __init__(self, links: Destinations, anchors: Anchors) -> None:
        self.links = links
        self.anchors = anchors
        self.headings: list[Heading] = []
        self.marked: list[Element] = []
        self._language = ""

    def blocks(self, children: Iterable[Node], depth: int) -> list[str]:
        """Children as blocks: inline ones in a row make paragraphs."""
        written: list[str] = []
        inline: list[Node] = []
        for child in children:
            if type(child) is str:
                if inline or not child.isspace():
                    inline.append(child)
            elif type(child) is Element and (tag := child.tag) not in _SILENT:
                if (
                    tag not in BLOCKS
                    and not holds_block(child)
                    and (tag not in _MATH or not _is_block_math(child))
                ):
                    inline.append(child)
                    continue
                if inline:
                    written += self._paragraphs(inline)
                    inline = []
                written += self._block(child, depth)
        if inline:
            written += self._paragraphs(inline)
        return parted(written) if len(written) > 1 else written

    def line(self, children: Iterable[Node], line_break: str = " ") -> str:
        """Children on one line, the anchors that wait before them."""
        line = self._bare_line(children, line_break)
        return self.anchors.take() + line if line else ""

    def mark(self, element: Element) -> str:
        """What stands for the place of an element until all is written."""
        self.marked.append(element)
        return mark(len(self.marked) - 1)

    def standing(self) -> list[str]:
        """The anchors that wait, as a block: for what can have none inside."""
        anchors = self.anchors.take()
        return [anchors] if anchors else []

    def _bare_line(self, children: Iterable[Node], line_break: str = " ") -> str:
        inline = Inline(self.links, self.anchors)
        inline.add(children)
        return "" if self._is_blank(inline) else inline.run.on_one_line(line_break)

    def _paragraphs(self, nodes: list[Node]) -> list[str]:
        if len(nodes) == 1 and type(nodes[0]) is str:
            paragraphs = plain_paragraph(nodes[0])
        else:
            inline = Inline(self.links, self.anchors)
            inline.add(nodes)
            paragraphs = [] if self._is_blank(inline) else inline.run.paragraphs()
        if paragraphs and self.anchors.waiting:
            paragraphs[0] = self.anchors.take() + paragraphs[0]
        return paragraphs

    def _is_blank(self, inline: Inline) -> bool:
        """Whether a run shows nothing; its anchors then wait for what does."""
        if not inline.met or not inline.run.is_blank():
            return False
        self.anchors.waiting += inline.met
        return True

    def _block(self, element: Element, depth: int) -> list[str]:
        tag = element.tag
        if element.attrs:
            self.anchors.meet(element)
        if tag == "p" and not element.names:
            return self.blocks(element.children, depth)
        if tag in _HEADINGS:
            return self._heading(element)
        write = _WRITERS.get(tag)
        if write is not None:
            return write(self, element, depth)
        if tag == "a":
            return self._block_link(element, depth)
        return self._box(element, depth) if element.attrs else self.blocks(element.children, depth)

    def _heading(self, element: Element) -> list[str]:
        wrapped_by = self.anchors.waiting[-1:]
        self.anchors.meet_all(element)
        line = self._bare_line(element.children)
        if line.endswith("#"):
            stem = line.rstrip("#")
            if not stem or stem.endswith(" "):
                line = f"{stem}\\{line[len(stem) :]}"
        if not line:
            return []
        level, text = _HEADINGS[element.tag], text_of(element)
        before, after = self.anchors.around_heading(text)
        anchor = anchor_of(element) or (wrapped_by[0] if wrapped_by else None)
        self.headings.append(Heading(len(level), text, anchor))
        return [f"{self.mark(element)}{level} {before}{line}{after}"]

    def _box(self, element: Element, depth: int) -> list[str]:
        """A box without a meaning of its own, unless its class gives it one."""
        if is_admonition(element):
            return admonition(self, element, depth)
        if is_math(element):
            return [*self.standing(), written_tex(tex, block=True)] if (tex := tex_of(element)) else []
        if "summary-table" in element.names:
            return table_of_boxes(self, element, depth)
        if is_code_block(element):
            return self.pre(element)
        language = language_in(element)
        if not language:
            return self.blocks(element.children, depth)
        outer, self._language = self._language, language
        blocks = self.blocks(element.children, depth)
        self._language = outer
        return blocks

    def _block_link(self, element: Element, depth: int) -> list[str]:
        """A link around blocks: the link goes to the heading, else all is one line."""
        heading = find(element, lambda inner: inner.tag in _HEADINGS)
        if heading is None and find(element, lambda inner: inner.tag in ("pre", "table", "ul", "ol")) is None:
            return self._paragraphs([element])
        target = heading or Element("p", {}, frozenset())
        link = Element("a", element.attrs, element.names)
        link.children, target.children = target.children, [link]
        return self.blocks(element.children, depth)

    def pre(self, element: Element) -> list[str]:
        """A code block. In it no anchor can stand: they stand before it, but for those of its lines."""
        block = fenced(element, self._language)
        if not block:
            return []
        for inner in elements(element):
            if inner.attrs and inner.tag != "span" and "href" not in inner.attrs:
                self.anchors.meet(inner)
        return [*self.standing(), block]


def _quote(writer: _Writer, element: Element, depth: int) -> list[str]:
    if is_admonition(element):
        return admonition(writer, element, depth)
    blocks = writer.blocks(element.children, depth + 1)
    return quoted(blocks) if depth < MAX_NESTING else blocks


def _details(writer: _Writer, element: Element, depth: int) -> list[str]:
    return admonition(writer, element, depth) if is_admonition(element) else details(writer, element, depth)


_WRITERS: Final[dict[str, Callable[[_Writer, Element, int], list[str]]]] = {
    "pre": lambda writer, element, _: writer.pre(element),
    "listing": lambda writer, element, _: writer.pre(element),
    "ul": listed,
    "ol": listed,
    "menu": listed,
    "dir": listed,
    "dl": definition_list,
    "table": table,
    "blockquote": _quote,
    "details": _details,
    NOTE: lambda writer, element, depth: written_note(
        element.attrs["label"], writer.blocks(element.children, depth + 1)
    ),
    "hr": lambda writer, _element, _depth: [*writer.standing(), "___"],
}


def _is_block_math(element: Element) -> bool:
    return (element.tag == "math" and element.attrs.get("display") == "block") or (
        element.tag == TEX and "mode=display" in element.attrs.get("type", "")
    )
