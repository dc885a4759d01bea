"""Inline content: each element to its part of a run.

The anchors of a link, of emphasis or of code stand before it, with those of everything inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from holdfast.core.page.html.page_links import image_source
from holdfast.core.page.html.tokens import TEX
from holdfast.core.page.html.tree import Element, Node, elements, raw_text
from holdfast.core.page.markdown.code import MATH_NAMES, is_math, tex_of, written_tex
from holdfast.core.page.markdown.context import BLOCKS, Destinations
from holdfast.core.page.markdown.footnotes import REFERENCE
from holdfast.core.page.markdown.inline_run import InlineRun
from holdfast.core.page.markdown.marks import Anchors

CODE_NAMES: Final = frozenset(("mw-geshi",))
"""Classes of a `span` that is code: MediaWiki's, when it stands in a line."""
CODE: Final = frozenset(("code", "tt", "kbd", "samp"))
_EMPHASIS: Final = {
    **dict.fromkeys(("em", "i", "cite", "var", "dfn"), ("*", "em")),
    **dict.fromkeys(("strong", "b"), ("**", "strong")),
    **dict.fromkeys(("del", "s", "strike"), ("~~", "del")),
}
_SILENT: Final = frozenset(
    "script style noscript template head title button select textarea svg iframe object embed canvas dialog "
    "link meta datalist option audio video source track param base".split()
)
TABLES: Final = {
    "unread": _SILENT,
    "code": CODE,
    "code name": CODE_NAMES,
    **{
        kind: [tag for tag, (_, kept) in _EMPHASIS.items() if kept == kind]
        for kind in ("em", "strong", "del")
    },
}
"""What the native reader is told of these tables."""
_BRACKET = re.compile(r"([\[\]])")


class Inline:
    """Puts inline nodes into a run."""

    __slots__ = ("_anchors", "_emphasis", "_hoisted", "_link", "_links", "met", "run")

    def __init__(self, links: Destinations, anchors: Anchors) -> None:
        self.run = InlineRun()
        self.met: list[str] = []
        """The anchors that stand in the run."""
        self._links = links
        self._anchors = anchors
        self._link = False
        self._hoisted = False
        self._emphasis: set[str] = set()

    def add(self, nodes: Iterable[Node]) -> None:
        """Nodes in order."""
        run = self.run
        for node in nodes:
            if type(node) is str:
                if self._link and ("[" in node or "]" in node):
                    self._bracketed(node)
                else:
                    run.text(node)
            elif type(node) is Element:
                self._element(node)

    def _element(self, element: Element) -> None:
        tag = element.tag
        if element.attrs:
            self._meet(element)
        write = _WRITERS.get(tag)
        if write is not None:
            if tag not in _HOISTED or self._hoisted:
                write(self, element)
                return
            for inner in elements(element):
                if inner.attrs:
                    self._meet(inner)
            self._hoisted = True
            write(self, element)
            self._hoisted = False
        elif element.names and not MATH_NAMES.isdisjoint(element.names):
            self.formula(element)
        elif element.names and not CODE_NAMES.isdisjoint(element.names) and tag == "span":
            self.code(element)
        elif tag in BLOCKS:
            self.run.text(" ")
            self.add(element.children)
            self.run.text(" ")
        elif tag == "q":
            self.add(["“", *element.children, "”"])
        else:
            self.add(element.children)

    def _meet(self, element: Element) -> None:
        for name in self._anchors.of(element):
            self.met.append(name)
            self.run.anchor(self._anchors.written(name))

    def line_break(self, _: Element) -> None:
        """A line break."""
        self.run.line_break()

    def check_box(self, element: Element) -> None:
        """A box of a task list."""
        if element.attrs.get("type", "").lower() == "checkbox":
            self.run.piece("[x]" if "checked" in element.attrs else "[ ]")
            self.run.text(" ")

    def _bracketed(self, text: str) -> None:
        """Brackets in the text of a link are escaped whatever stands around them."""
        for place, part in enumerate(_BRACKET.split(text)):
            if place % 2:
                self.run.piece("\\" + part)
            elif part:
                self.run.text(part)

    def anchor(self, element: Element) -> None:
        """A link. One inside of another is its text."""
        destination = "" if self._link else self._links.destination(element.attrs.get("href", ""))
        if not destination or "href" not in element.attrs:
            self.add(element.children)
            return
        number = self.run.open("[", f"]({destination})")
        self._link = True
        self.add(element.children)
        self._link = False
        self.run.close(number)

    def emphasized(self, element: Element) -> None:
        """Emphasis; inside of the same emphasis it is nothing."""
        mark, tag = _EMPHASIS[element.tag]
        if mark in self._emphasis:
            self.add(element.children)
            return
        self._emphasis.add(mark)
        number = self.run.open(mark, mark, tag)
        self.add(element.children)
        self.run.close(number)
        self._emphasis.discard(mark)

    def code(self, element: Element) -> None:
        """A code span."""
        if not _is_composed(element):
            self._code_text(raw_text(element))
        elif (link := _main_link(element)) is not None and not self._link:
            self._linked_code(raw_text(element), link)
        else:
            self._composed_code(element.children)

    def _linked_code(self, text: str, link: Element) -> None:
        destination = self._links.destination(link.attrs["href"])
        if not destination:
            self._code_text(text)
            return
        number = self.run.open("[", f"]({destination})")
        self._code_text(text)
        self.run.close(number)

    def _code_text(self, text: str) -> None:
        words = " ".join(text.split())
        if not words:
            if text:
                self.run.text(text)
            return
        if text[0].isspace():
            self.run.text(" ")
        self.run.code(words)
        if text[-1].isspace():
            self.run.text(" ")

    def _composed_code(self, nodes: Iterable[Node]) -> None:
        """Code that holds links or line breaks is several spans, so that these stay what they are."""
        between: list[str] = []
        for node in nodes:
            if type(node) is str:
                between.append(node)
            elif type(node) is Element:
                if _is_part(node) or _is_composed(node):
                    self._code_text("".join(between))
                    between.clear()
                    if _is_part(node):
                        self._code_part(node)
                    else:
                        self._composed_code(node.children)
                else:
                    between.append(raw_text(node))
        self._code_text("".join(between))

    def _code_part(self, element: Element) -> None:
        if element.tag == "br":
            self.run.line_break()
            return
        if self._link or "href" not in element.attrs:
            self._code_text(raw_text(element))
        else:
            self._linked_code(raw_text(element), element)

    def reference(self, element: Element) -> None:
        """A reference to a footnote."""
        self.run.piece(f"[^{element.attrs['label']}]")

    def image(self, element: Element) -> None:
        """An image; where it leads nowhere, what it shows."""
        attrs = element.attrs
        alt = " ".join(attrs.get("alt", "").split())
        source = image_source(attrs)
        destination = self._links.destination(source) if source else ""
        if not destination:
            self.run.text(alt)
            return
        self.run.piece(f"![{_escaped_alt(alt)}]({destination})")

    def raised(self, element: Element) -> None:
        """`sup` and `sub`; a lone link in one is a reference, not a power."""
        only = [child for child in element.children if type(child) is Element or str(child).strip()]
        if len(only) == 1 and type(only[0]) is Element and only[0].tag == "a":
            self.add(element.children)
            return
        number = self.run.open(f"<{element.tag}>", f"</{element.tag}>")
        self.add(element.children)
        self.run.close(number)

    def formula(self, element: Element) -> None:
        """A formula, as its TeX."""
        tex = tex_of(element) if is_math(element) else None
        if tex:
            self.run.piece(written_tex(tex, block=False))
        elif element.tag != TEX:
            self.add(element.children)


def _nothing(_inline: Inline, _element: Element) -> None:
    """Elements whose content is not text."""


_WRITERS: Final[dict[str, Callable[[Inline, Element], None]]] = {
    **dict.fromkeys(_SILENT, _nothing),
    **dict.fromkeys(CODE, Inline.code),
    **dict.fromkeys(_EMPHASIS, Inline.emphasized),
    **dict.fromkeys(("sup", "sub"), Inline.raised),
    **dict.fromkeys(("math", TEX), Inline.formula),
    "a": Inline.anchor,
    "br": Inline.line_break,
    "img": Inline.image,
    REFERENCE: Inline.reference,
    "input": Inline.check_box,
}

_HOISTED: Final = CODE | frozenset(_EMPHASIS) | {"a", "sup", "sub"}
"""Between their marks stands no anchor."""
_ALT_SPECIAL = re.compile(r"[\\`*_\[\]<&]")


def _escaped_alt(alt: str) -> str:
    return _ALT_SPECIAL.sub(r"\\\g<0>", alt)


def _is_part(element: Element) -> bool:
    return element.tag == "br" or (element.tag == "a" and "href" in element.attrs)


def _main_link(element: Element) -> Element | None:
    """The one link in code that is at least half of it: the code is then linked as a whole."""
    only: Element | None = None
    for inner in elements(element):
        if inner.tag == "br" or (only is not None and _is_part(inner)):
            return None
        if _is_part(inner):
            only = inner
    if only is None or 2 * len(raw_text(only)) < len(raw_text(element).strip()):
        return None
    return only


def _is_composed(element: Element) -> bool:
    for child in element.children:
        if type(child) is Element and (_is_part(child) or _is_composed(child)):
            return True
    return False
