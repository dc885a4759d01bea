"""Percent-encoding on bytes, by sets that the policies own (ID-3).

1. A triplet of an unreserved character (RFC 3986 §2.3) is decoded; every other triplet is kept, its hex
   in upper case. So `%2F`, and bytes that are no UTF-8, stay what they are.
2. A `%` that begins no triplet becomes `%25`.
3. What is outside the component's set is encoded as its UTF-8 bytes.

The sets are ours, not the parser's: parsers change theirs (`^` joined the WHATWG path set in 2025).
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote_to_bytes

__all__ = ["decode_key", "encode_path", "encode_query", "path_is_plain", "query_is_plain"]

UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@"
PCHAR: Final = UNRESERVED | frozenset(b"!$&'()*+,;=:@")
PATH_SAFE: Final = PCHAR | frozenset(b"/")
# The apostrophe is encoded in queries, as browsers do; a "+" is a space there and is written %20.
QUERY_SAFE: Final = (PCHAR | frozenset(b"/?")) - frozenset(b"'+")

_PLAIN_PATH: Final = bytes(sorted(PATH_SAFE))
_PLAIN_QUERY: Final = bytes(sorted(QUERY_SAFE))
_TRIPLET: Final = re.compile(r"%([0-9A-Fa-f]{2})?").sub
_OUTSIDE_PATH: Final = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+").sub
_OUTSIDE_QUERY: Final = re.compile(r"[^A-Za-z0-9\-._~!$&()*,;=:@/?%]+").sub


def _normal_form(byte: int) -> str:
    return chr(byte) if byte in UNRESERVED else f"%{byte:02X}"


_NORMAL: Final = {
    high + low: _normal_form(int(high + low, 16))
    for high in "0123456789ABCDEFabcdef"
    for low in "0123456789ABCDEFabcdef"
}


def _repair(match: re.Match[str]) -> str:
    digits = match[1]
    return _NORMAL[digits] if digits else "%25"


def _encode(match: re.Match[str]) -> str:
    return "".join([f"%{byte:02X}" for byte in match[0].encode()])


def path_is_plain(path: str) -> bool:
    """Whether a path needs nothing done: the common case, told by one pass in C."""
    return not path.encode().translate(None, _PLAIN_PATH)


def query_is_plain(query: str) -> bool:
    """Whether a query, or a part of it, needs nothing done."""
    return not query.encode().translate(None, _PLAIN_QUERY)


def encode_path(path: str) -> str:
    """A path in its one form; slashes are kept."""
    if "%" in path:
        path = _TRIPLET(_repair, path)
    return _OUTSIDE_PATH(_encode, path)


def encode_query(part: str) -> str:
    """A key, a value or a whole pair of a query in its one form; `+` is a space."""
    if "+" in part:
        part = part.replace("+", "%20")
    if "%" in part:
        part = _TRIPLET(_repair, part)
    return _OUTSIDE_QUERY(_encode, part)


def decode_key(key: str) -> str:
    """A query key as trackers are matched: decoded, ASCII letters lower-cased, other bytes as latin-1."""
    return unquote_to_bytes(key.replace("+", " ")).lower().decode("latin-1")
