"""`Link` fields of a response (RFC 8288): as much of them as is needed to find one relation.

A target stands between `<` and `>`; parameters follow, each after a semicolon, quoted or not. A field that
does not read so ends where it stops making sense: what was read before counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdfast.core.capture import Headers

__all__ = ["linked"]

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
