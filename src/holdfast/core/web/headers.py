"""What a body is, and where `Link` fields lead.

The kind of a body (MIR-2, TXT-2) is decided by its declared type, and by its first bytes where it has none.

`Link` fields (RFC 8288) are read as far as is needed to find one relation. A target stands between `<` and
`>`; parameters follow, each after a semicolon, quoted or not. A field that does not read so ends where it
stops making sense: what was read before counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from holdfast.core.web.capture import Headers


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


_TARGET: Final = re.compile(r"[\s,]*<([^<>]*)>")
_PARAMETER: Final = re.compile(
    r"""\s*;\s*([\w!#$&+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?"""
)


def linked(headers: Headers, relation: str, media: str) -> str | None:
    """The first target with this relation and media type, as it is written."""
    for name, value in headers:
        if name.lower() == "link":
            for target, parameters in _links(value):
                found = relation in parameters.get("rel", "").lower().split()
                if found and parameters.get("type", "").partition(";")[0].strip().lower() == media:
                    return target
    return None


def _links(value: str) -> Iterator[tuple[str, dict[str, str]]]:
    at = 0
    while match := _TARGET.match(value, at):
        at, parameters = match.end(), dict[str, str]()
        while parameter := _PARAMETER.match(value, at):
            at = parameter.end()
            quoted = re.sub(r"\\(.)", r"\1", parameter[2]) if parameter[2] is not None else parameter[3]
            parameters.setdefault(parameter[1].lower(), quoted or "")
        yield match[1].strip(), parameters
