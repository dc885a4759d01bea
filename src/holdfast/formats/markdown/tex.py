"""Mathematics, as the TeX it was written in: `$…$` in a line, `$$…$$` as a block."""

from __future__ import annotations

import re
from typing import Final

from holdfast.formats.html.tokens import TEX
from holdfast.formats.html.tree import Element
from holdfast.formats.html.walk import find, raw_text

__all__ = ["MATH_NAMES", "TABLES", "is_math", "tex_of", "written_tex"]

MATH_NAMES: Final = frozenset(
    ("math", "katex", "katex-display", "mwe-math-element", "MathJax", "mjx-container", "arithmatex")
)

TABLES: Final = {"math": MATH_NAMES}
"""What the native reader is told of these tables."""
_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\]|\$\$(.*)\$\$|\$(.*)\$)\s*", re.DOTALL)
_SPACE = re.compile(r"\s+")


def is_math(element: Element) -> bool:
    """Whether an element holds a formula."""
    return element.tag in ("math", TEX) or (
        bool(element.names) and not MATH_NAMES.isdisjoint(element.names) and tex_of(element) is not None
    )


def tex_of(element: Element) -> str | None:
    """The TeX source that an element carries; None where it carries none."""
    if element.tag == TEX:
        return raw_text(element).strip()
    annotation = find(
        element, lambda inner: inner.tag == "annotation" and "tex" in inner.attrs.get("encoding", "")
    )
    if annotation is not None:
        return raw_text(annotation).strip()
    formula = element if element.tag == "math" else find(element, lambda inner: inner.tag == "math")
    if formula is not None:
        return formula.attrs.get("alttext", "").strip() or None
    image = find(element, lambda inner: inner.tag == "img")
    if image is not None:
        return image.attrs.get("alt", "").strip() or None
    match = _DELIMITED.fullmatch(raw_text(element))
    return next(group for group in match.groups() if group is not None).strip() if match else None


def written_tex(tex: str, *, block: bool) -> str:
    """TeX between its marks."""
    if block:
        return f"$$\n{tex}\n$$"
    return f"${_SPACE.sub(' ', tex)}$"
