"""Rules of the user's own about asking: statuses that are fine, header fields sent with every request.

1. A status is a number or a range: `403`, `200..=299`, `500..504` (without its end), `..300`, `500..`.
2. A header field is `Name: value`. What is secret is sent to origins that are named, never to all; what says
   who asks, and how, is not to be set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from holdfast.core.errors import ConfigError

__all__ = ["SECRET_FIELDS", "header_fields", "statuses"]

_RANGE: Final = re.compile(r"(\d{3})?\s*\.\.(=?)\s*(\d{3})?")
_LEAST, _MOST = 100, 1000
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
SECRET_FIELDS: Final = frozenset(("authorization", "cookie", "proxy-authorization", "x-api-key"))
"""Header fields that hold what only one origin may see."""
_OURS: Final = frozenset(
    "accept-encoding connection content-length expect host if-modified-since if-none-match range te "
    "transfer-encoding upgrade user-agent".split()
)


def statuses(words: Sequence[str]) -> frozenset[int]:
    """The statuses that are named, one by one or as ranges."""
    found: set[int] = set()
    for word in (part.strip() for given in words for part in given.split(",")):
        match = _RANGE.fullmatch(word)
        if word.isdigit() and _LEAST <= int(word) < _MOST:
            found.add(int(word))
        elif match is not None and (match[3] or not match[2]):
            end = int(match[3]) + bool(match[2]) if match[3] else _MOST
            found.update(range(int(match[1] or _LEAST), end))
        elif word:
            raise ConfigError(f"accept_status: {word!r} is not a status or a range of them")
    return frozenset(found)


def header_fields(lines: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The fields to send with every request."""
    return tuple(_field(line) for line in lines)


def _field(line: str) -> tuple[str, str]:
    name, mark, value = (part.strip() for part in line.partition(":"))
    if not mark or not _TOKEN.fullmatch(name) or not value.isprintable():
        raise ConfigError(f"link_headers: {name!r} is not a header field", hint="write it as 'Name: value'")
    if name.lower() in SECRET_FIELDS:
        raise ConfigError(
            f"link_headers: {name} is a secret, and would go to every host",
            hint='name the origin it is for: [origin."https://host"] in holdfast.toml',
        )
    if name.lower() in _OURS:
        raise ConfigError(f"link_headers: {name} is not to be set")
    return name, value
