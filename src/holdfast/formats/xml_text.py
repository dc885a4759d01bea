"""Text and attributes of XML: the standard library's (`xml.sax.saxutils`) bring an HTTP client along."""

from __future__ import annotations

from typing import Final

__all__ = ["attribute_of", "text_of"]

_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTE: Final = {**_TEXT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}


def text_of(text: str) -> str:
    """Text as it stands between tags."""
    return text.translate(_TEXT)


def attribute_of(text: str) -> str:
    """A value with its quotes."""
    return f'"{text.translate(_ATTRIBUTE)}"'
