"""The places of a page that can be linked to, in its Markdown (SCT-3), and where its headings stand.

An anchor is `<a id="x"></a>` where x is:

1. Every id of an element of the content is an anchor, and every name of an `a`: each once, where it first
   stands. Not those of lines of code, of the parts of a user interface, and of the boxes that a page is
   laid out with.
2. An anchor stands before the next text: at the start of its heading, paragraph, term, item or cell, before
   what is emphasized, linked or code, before a block of code or a table as a paragraph of its own.
3. A heading has none where a renderer makes the same one of its text, by GitHub's rule.
4. Only the page's own bytes decide. As `attributes` the first anchor of a heading is written `{#x}` after
   it; as `none` there are none.

Where each heading and each term with an id stands is marked, so that sections know their bytes. While
blocks are written they are moved into lists and quotes; so a mark goes with them, and is taken out at the
end: NUL, a number, NUL, or NUL NUL where what a term says ends. NUL is in no parsed tree.

5. A section's bytes begin with the line of its heading or term and go to the next, whole lines.
6. What follows the end of a term belongs to what the term stood in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from holdfast.core.page.html.main_content import NAMES
from holdfast.core.page.html.tree import Element, elements
from holdfast.core.page.section import heading_slug

_MACHINE_MADE = re.compile(
    r"__(?:codelineno|span|tabbed)[-_]|__skip\Z|__docusaurus_skip|skip-navbar|cb\d+(?:-\d+)?\Z|sd-tab-(?:item|set)-|codecell\d+\Z|MathJax-|mjx-"
)
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\xa0]|^ | $")
"""Java's names of methods have spaces: `call(int, int)`."""
_START: Final = frozenset(("top", "_top"))
"""The start of the page, wherever it is."""
_GITHUB: Final = "user-content-"
_LONGEST: Final = 300
_BOXES: Final = frozenset("div section article main body form fieldset center".split())
_CONTROLS: Final = frozenset("input label select option button svg textarea".split())
TABLES: Final = {"anchor box": _BOXES, "anchorless": _CONTROLS}
"""What the native reader is told of these tables."""
_ESCAPES: Final = (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"))


class Anchors:
    """The anchors of one page, in the order in which they are met; those that wait for the next text."""

    __slots__ = ("_seen", "_slugs", "_style", "waiting")

    def __init__(self, style: str) -> None:
        self.waiting: list[str] = []
        self._style = style
        self._seen: set[str] = set()
        self._slugs: dict[str, int] = {}

    def meet(self, element: Element) -> None:
        """The anchors of an element wait for the next text."""
        if found := self.of(element):
            self.waiting += found

    def meet_all(self, element: Element) -> None:
        """Those of an element and of everything in it."""
        self.meet(element)
        for inner in elements(element):
            if inner.attrs:
                self.meet(inner)

    def of(self, element: Element) -> list[str]:
        """The anchors of an element that were not met before."""
        attrs = element.attrs
        if "id" not in attrs and (element.tag != "a" or "name" not in attrs):
            return []
        tag = element.tag
        if tag in _CONTROLS or attrs.get("role") == "tabpanel":
            return []
        names = (attrs.get("id", ""), attrs.get("name", "") if tag == "a" else "")
        found: list[str] = []
        for given in names:
            name = given.removeprefix(_GITHUB)
            if name in self._seen or not _is_anchor(name) or (tag in _BOXES and f"#{given}" in NAMES):
                continue
            self._seen.add(name)
            found.append(name)
        return found

    def take(self) -> str:
        """The waiting anchors, written; none wait afterwards."""
        if not self.waiting:
            return ""
        names, self.waiting = self.waiting, []
        return "".join(map(self.written, names))

    def around_heading(self, text: str) -> tuple[str, str]:
        """What stands before and after the words of a heading."""
        slug = self._slug(text)
        names = [name for name in self.waiting if name != slug]
        self.waiting = []
        if self._style == "attributes" and names and _is_attribute(names[0]):
            return "".join(map(self.written, names[1:])), f" {{#{names[0]}}}"
        return "".join(map(self.written, names)), ""

    def written(self, name: str) -> str:
        """One anchor."""
        if self._style == "none":
            return ""
        for character, escaped in _ESCAPES:
            if character in name:
                name = name.replace(character, escaped)
        return f'<a id="{name}"></a>'

    def _slug(self, text: str) -> str:
        """The id that a renderer gives to a heading: the second of a name is the first with a number."""
        slug = heading_slug(text)
        number = self._slugs.get(slug, 0)
        self._slugs[slug] = number + 1
        return f"{slug}-{number}" if number else slug


def _is_anchor(name: str) -> bool:
    if not 0 < len(name) <= _LONGEST or name in _START:
        return False
    return _UNFIT.search(name) is None and _MACHINE_MADE.match(name) is None


def _is_attribute(name: str) -> bool:
    """Whether `{#name}` is read as one."""
    return not any(character in name for character in "{}\\`*_<>[]| ")


END: Final = "\x00\x00"
_LINE_END = re.compile(rb"\n[\n> ]*(?:\n|\Z)|\n")
_MARK = re.compile("\x00([0-9]*)\x00")


class Mark(NamedTuple):
    """A heading or a term (None: the end of one), and the byte at which the line begins (ends)."""

    element: Element | None
    at: int


class MarkedLine(NamedTuple):
    """A mark of which it is known whose it is: the number of the section that begins there (None: of none of
    its own), whether it is a term's, or the end of one.
    """

    section: int | None
    is_term: bool
    is_end: bool
    at: int


def mark(number: int) -> str:
    """The mark of the element of a number."""
    return f"\x00{number}\x00"


def unmarked(text: str, elements: list[Element]) -> tuple[str, list[Mark]]:
    """The Markdown without its marks, and where they were."""
    if not elements:
        return text, []
    pieces = _MARK.split(text)
    data = "".join(pieces[::2]).encode("utf-8", "surrogatepass")
    marks: list[Mark] = []
    at = 0
    for place in range(1, len(pieces), 2):
        at += len(pieces[place - 1].encode("utf-8", "surrogatepass"))
        if pieces[place]:
            marks.append(Mark(elements[int(pieces[place])], data.rfind(b"\n", 0, at) + 1))
        else:
            marks.append(Mark(None, _next_line(data, at)))
    return "".join(pieces[::2]), marks


def _next_line(data: bytes, at: int) -> int:
    """Where the next line begins that is not empty."""
    found = _LINE_END.search(data, at)
    return found.end() if found else len(data)


def section_spans(lines: Sequence[MarkedLine], length: int) -> dict[int, list[tuple[int, int]]]:
    """The bytes of each section, by its number. What stands before the first is that of number 0."""
    spans: dict[int, list[tuple[int, int]]] = {}
    owner = begun = 0
    around: list[int] = []
    for section, is_term, is_end, at in [*lines, MarkedLine(None, is_term=False, is_end=True, at=length)]:
        if begun < at:
            own = spans.setdefault(owner, [])
            if own and own[-1][1] == begun:
                own[-1] = (own[-1][0], at)
            else:
                own.append((begun, at))
            begun = at
        if is_end:
            owner = around.pop() if around else owner
            continue
        if is_term:
            around.append(owner)
        owner = owner if section is None else section
    return spans
