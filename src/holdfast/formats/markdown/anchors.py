"""The places of a page that can be linked to, in its Markdown (SCT-3): `<a id="x"></a>` where x is.

1. Every id of an element of the content is an anchor, and every name of an `a`: each once, where it first
   stands. Not those of lines of code, of the parts of a user interface, and of the boxes that a page is laid
   out with.
2. An anchor stands before the next text: at the start of its heading, paragraph, term, item or cell, before
   what is emphasized, linked or code, before a block of code or a table as a paragraph of its own.
3. A heading has none where a renderer makes the same one of its text, by GitHub's rule.
4. Only the page's own bytes decide. As `attributes` the first anchor of a heading is written `{#x}` after it;
   as `none` there are none.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.section import heading_slug
from holdfast.formats.html.main_content import NAMES
from holdfast.formats.html.tree import Element
from holdfast.formats.html.walk import elements

__all__ = ["TABLES", "Anchors"]

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
