"""Which tags close themselves: `<path/>` in SVG does, `<div/>` does not.

Only an element of SVG or MathML may. Whether a tag stands in one is followed as long as each end tag closes
the element that was opened last; from the first that does not, and from the first HTML element that ends the
drawing, nothing closes itself until the next `svg` or `math`. So this errs to one side: what is said to
close itself does.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.core.page.html.tokens import VOID

_ROOTS: Final = frozenset(("svg", "math"))
_HOLDS_HTML: Final = frozenset(
    ("foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext")
)
_ENDS_FOREIGN: Final = frozenset(
    "b big blockquote body br center code dd div dl dt em embed font h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strike strong sub sup table tt u ul var".split()
)
"""The start tags before which the standard closes all SVG and MathML; `font` only with some attributes."""
_VALUE = re.compile(r"=[ \t\n\f\r]*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\f\r=\"'][^ \t\n\f\r]*+|)")


class ForeignContent:
    """The elements that are open from the outermost `svg` or `math` on, each with whether what is in it is
    foreign too.
    """

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []

    def closes_itself(self, name: str, words: str) -> bool:
        """Whether this start tag, the next of the page, closes itself. `words` is what follows its name."""
        if name not in _ROOTS:
            if not self._open:
                return False
            if not self._open[-1][1]:
                if name not in VOID:
                    self._open.append((name, False))
                return False
            if name in _ENDS_FOREIGN:
                self._open.clear()
                return False
        if words.endswith("/") and _VALUE.sub("", words).endswith("/"):
            return True
        self._open.append((name, name not in _HOLDS_HTML))
        return False

    def end(self, name: str) -> None:
        """An end tag, the next of the page."""
        if self._open:
            if self._open[-1][0] == name:
                self._open.pop()
            else:
                self._open.clear()

    def pass_raw(self, html: str) -> None:
        """An element in which HTML has no tags: SVG has, so one that holds any is not followed."""
        if self._open and html.find("<", 1) != html.rfind("</"):
            self._open.clear()
