"""Inline content: each element to its part of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from holdfast.formats.html.links import image_source
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

    def _element(self, element: Element) -> None:  # noqa: C901, PLR0912 - a table of elements, in the hot path
        tag = element.tag
        if tag == "a":
            self._anchor(element)
        elif tag in CODE:
            self._code(element)
        elif tag in _EMPHASIS:
            self._emphasized(element, *_EMPHASIS[tag])
        elif tag == "br":
            self.run.line_break()
        elif tag == "img":
            self._image(element)
        elif tag in _SILENT:
            pass
        elif tag in ("sup", "sub"):
            self._raised(element)
        elif tag == "input":
            if element.attrs.get("type", "").lower() == "checkbox":
                self.run.piece("[x]" if "checked" in element.attrs else "[ ]")
                self.run.text(" ")
        elif tag in ("math", "script-tex") or (element.names and not MATH_NAMES.isdisjoint(element.names)):
            self._formula(element)
        elif tag in BLOCKS:
            self.run.text(" ")
            self.add(element.children)
            self.run.text(" ")
        elif tag == "q":
            self.add(["“", *element.children, "”"])
        elif tag == "wbr":
            pass
        else:
            self.add(element.children)

    def _bracketed(self, text: str) -> None:
        """Brackets in the text of a link are escaped whatever stands around them."""
        for place, part in enumerate(_BRACKET.split(text)):
            if place % 2:
                self.run.piece("\\" + part)
            elif part:
                self.run.text(part)

    def _anchor(self, element: Element) -> None:
        destination = "" if self._link else self._links.destination(element.attrs.get("href", ""))
        if not destination or "href" not in element.attrs:
            self.add(element.children)
            return
        number = self.run.open("[", f"]({destination})")
        self._link = True
        self.add(element.children)
        self._link = False
        self.run.close(number)

    def _emphasized(self, element: Element, mark: str, tag: str) -> None:
        if mark in self._emphasis:
            self.add(element.children)
            return
        self._emphasis.add(mark)
        number = self.run.open(mark, mark, tag)
        self.add(element.children)
        self.run.close(number)
        self._emphasis.discard(mark)

    def _code(self, element: Element) -> None:
        if _is_composed(element):
            self._composed_code(element.children)
            return
        self._code_text(raw_text(element))

    def _code_text(self, text: str) -> None:
        words = " ".join(text.split())
        if not words:
            self.run.text(text)
            return
        if text[0].isspace():
            self.run.text(" ")
        self.run.code(words)
        if text[-1].isspace():
            self.run.text(" ")

    def _composed_code(self, nodes: Iterable[Node]) -> None:
        """Code that holds links or line breaks is several spans, so that these stay what they are."""
        for node in nodes:
            if type(node) is str:
                self._code_text(node)
            elif type(node) is Element:
                if node.tag == "a" or not _is_composed(node):
                    self._code_part(node)
                else:
                    self._composed_code(node.children)

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

    def _image(self, element: Element) -> None:
        attrs = element.attrs
        alt = " ".join(attrs.get("alt", "").split())
        destination = self._links.destination(image_source(attrs)) if image_source(attrs) else ""
        if not destination:
            self.run.text(alt)
            return
        self.run.piece(f"![{_escaped_alt(alt)}]({destination})")

    def _raised(self, element: Element) -> None:
        only = [child for child in element.children if type(child) is Element or str(child).strip()]
        if len(only) == 1 and type(only[0]) is Element and only[0].tag == "a":
            self.add(element.children)
            return
        number = self.run.open(f"<{element.tag}>", f"</{element.tag}>")
        self.add(element.children)
        self.run.close(number)

    def _formula(self, element: Element) -> None:
        tex = tex_of(element) if is_math(element) else None
        if tex:
            self.run.piece(written_tex(tex, block=False))
        elif element.tag != "script-tex":
            self.add(element.children)


_ALT_SPECIAL = re.compile(r"[\\`*_\[\]<&]")


def _escaped_alt(alt: str) -> str:
    return _ALT_SPECIAL.sub(r"\\\g<0>", alt)


def _is_composed(element: Element) -> bool:
    return any(
        type(child) is Element
        and (child.tag == "br" or (child.tag == "a" and "href" in child.attrs) or _is_composed(child))
        for child in element.children
    )
