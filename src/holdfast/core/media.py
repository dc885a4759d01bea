"""Which responses become pages (MIR-2).

    text/html, application/xhtml+xml                        HTML
    no type, or a type that says nothing, and it looks so   HTML
    text/markdown, text/x-markdown, text/plain              TEXT, kept as it is
    everything else                                         OTHER: a placeholder

A body looks like HTML when, after white space, comments and an XML declaration, it begins with a tag that
an HTML document can begin with (the sniffing rules of browsers).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

__all__ = ["Media", "looks_like_html", "media_of"]

_HTML: Final = frozenset(("text/html", "application/xhtml+xml"))
_TEXT: Final = frozenset(("text/markdown", "text/x-markdown", "text/plain"))
_SAYS_NOTHING: Final = frozenset(("", "unknown/unknown", "application/unknown", "*/*"))
_BEGINS: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.{0,2000}?-->|<\?xml[^>]{0,200}>)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|h1|div|p|a|table|br|font|b|iframe)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
_LOOKED_AT: Final = 4096


class Media(StrEnum):
    """What a response is to the mirror."""

    HTML = "html"
    TEXT = "text"
    OTHER = "other"


def media_of(content_type: str, body: bytes) -> Media:
    """What becomes of a response; the type is lower case and without parameters."""
    if content_type in _HTML:
        return Media.HTML
    if content_type in _TEXT:
        return Media.TEXT
    if content_type in _SAYS_NOTHING and looks_like_html(body):
        return Media.HTML
    return Media.OTHER


def looks_like_html(body: bytes) -> bool:
    """Whether a body begins like an HTML document."""
    return _BEGINS.match(body[:_LOOKED_AT]) is not None
