"""What a body is (MIR-2, TXT-2): decided by its declared type, and by its first bytes where it has none."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

__all__ = ["BodyKind", "body_kind", "type_of_name"]


class BodyKind(StrEnum):
    """How a body is read."""

    HTML = "html"
    MARKDOWN = "markdown"
    PLAIN = "plain"
    DATA = "data"
    BYTES = "bytes"


_TYPES: Final = {
    "text/html": BodyKind.HTML,
    "application/xhtml+xml": BodyKind.HTML,
    "text/markdown": BodyKind.MARKDOWN,
    "text/x-markdown": BodyKind.MARKDOWN,
    "text/plain": BodyKind.PLAIN,
    "application/json": BodyKind.DATA,
    "text/json": BodyKind.DATA,
    "application/xml": BodyKind.DATA,
    "text/xml": BodyKind.DATA,
}
_UNTYPED: Final = frozenset(("", "application/octet-stream", "unknown/unknown", "application/unknown", "*/*"))
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\f\r ]*(?:<!--.*?-->[\t\n\f\r ]*|<\?xml[^>]*>[\t\n\f\r ]*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|div|table|h1|p|a|b|br|iframe|font)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)


_NAMES: Final = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "txt": "text/plain",
    "json": "application/json",
    "xml": "application/xml",
}


def type_of_name(name: str) -> str:
    """The type that a file's name tells; HTML where it tells none."""
    return _NAMES.get(name.rpartition(".")[2].lower(), "text/html")


def body_kind(content_type: str, body: bytes) -> BodyKind:
    """The kind of a body; `content_type` in lower case and without parameters."""
    known = _TYPES.get(content_type)
    if known is not None:
        return known
    if content_type.endswith(("+json", "+xml")):
        return BodyKind.DATA
    if content_type in _UNTYPED and _LOOKS_LIKE_HTML.match(body, 0, 4_096):
        return BodyKind.HTML
    return BodyKind.BYTES
