"""Inline content: each element to its part of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from holdfast.formats.html.links import image_source
from holdfast.formats.html.tokens import TEX
from holdfast.formats.html.tree import Element, Node
from holdfast.formats.html.walk import raw_text
from holdfast.formats.markdown.context import BLOCKS, Destinations
from holdfast.formats.markdown.run import Run
from holdfast.formats.markdown.tex import MATH_NAMES, is_math, tex_of, written_tex

__all__ = ["CODE", "Inline"]

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
_BRACKET = re.compile(r"([\[\]])")


class Inline:
    """Puts inline nodes into a run."""

    __slots__ = ("_emphasis", "_link", "_links", "run")

    def __init__(self, links: Destinations) -> None:
        self.run = Run()
        self._links = links
        self._link = False
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
        write = _WRITERS.get(tag)
        if write is not None:
            write(self, element)
        elif element.names and not MATH_NAMES.isdisjoint(element.names):
            self.formula(element)
        elif tag in BLOCKS:
            self.run.text(" ")
            self.add(element.children)
            self.run.text(" ")
        elif tag == "q":
            self.add(["“", *element.children, "”"])
        else:
            self.add(element.children)

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
        if _is_composed(element):
            self._composed_code(element.children)
            return
        self._code_text(raw_text(element))

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
        refers = "href" in element.attrs and not self._link
        destination = self._links.destination(element.attrs["href"]) if refers else ""
        if not destination:
            self._code_text(raw_text(element))
            return
        number = self.run.open("[", f"]({destination})")
        self._code_text(raw_text(element))
        self.run.close(number)

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
    """Elements whose content is no text."""


_WRITERS: Final[dict[str, Callable[[Inline, Element], None]]] = {
    **dict.fromkeys(_SILENT, _nothing),
    **dict.fromkeys(CODE, Inline.code),
    **dict.fromkeys(_EMPHASIS, Inline.emphasized),
    **dict.fromkeys(("sup", "sub"), Inline.raised),
    **dict.fromkeys(("math", TEX), Inline.formula),
    "a": Inline.anchor,
    "br": Inline.line_break,
    "img": Inline.image,
    "input": Inline.check_box,
}

_ALT_SPECIAL = re.compile(r"[\\`*_\[\]<&]")


def _escaped_alt(alt: str) -> str:
    return _ALT_SPECIAL.sub(r"\\\g<0>", alt)


def _is_part(element: Element) -> bool:
    return element.tag == "br" or (element.tag == "a" and "href" in element.attrs)


def _is_composed(element: Element) -> bool:
    for child in element.children:
        if type(child) is Element and (_is_part(child) or _is_composed(child)):
            return True
    return False
