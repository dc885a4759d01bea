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

__all__ = [
    "PLAIN_PATH",
    "PLAIN_QUERY",
    "decode_key",
    "encode_path",
    "encode_query",
    "is_encoded_path",
    "is_encoded_query",
    "list_key",
    "needs_repair",
]

UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# RFC 3986: pchar = unreserved / pct-encoded / sub-delims / ":" / "@"
PCHAR: Final = UNRESERVED | frozenset(b"!$&'()*+,;=:@")
PATH_SAFE: Final = PCHAR | frozenset(b"/")
# The apostrophe is encoded in queries, as browsers do; a "+" is a space there and is written %20.
QUERY_SAFE: Final = (PCHAR | frozenset(b"/?")) - frozenset(b"'+")

MAX_KEY: Final = 4_096
# `text.encode().translate(None, PLAIN_PATH)` is empty where nothing has to be done: one pass in C.
PLAIN_PATH: Final = bytes(sorted(PATH_SAFE))
PLAIN_QUERY: Final = bytes(sorted(QUERY_SAFE))
# A stray percent sign, a lower-case hex digit, or the triplet of an unreserved character.
needs_repair: Final = re.compile(
    r"%(?:2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE]|(?![0-9A-F]{2}))"
).search
_OUTSIDE_PATH: Final = re.compile(r"[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]+").sub
_OUTSIDE_QUERY: Final = re.compile(r"[^A-Za-z0-9\-._~!$&()*,;=:@/?%]+").sub


def _normal_form(byte: int) -> str:
    return chr(byte) if byte in UNRESERVED else f"%{byte:02X}"


_NORMAL: Final = {
    high + low: _normal_form(int(high + low, 16))
    for high in "0123456789ABCDEFabcdef"
    for low in "0123456789ABCDEFabcdef"
}


# The encoding regexes are the dear part and rarely needed: most odd texts are odd by "%" or "+" alone.
_ENCODED_PATH: Final = PLAIN_PATH + b"%"
_ENCODED_QUERY: Final = PLAIN_QUERY + b"%"


def _repair(text: str) -> str:
    """Every triplet in its one form, every other percent sign as `%25`."""
    if not needs_repair(text):
        return text
    head, *tails = text.split("%")
    normal = _NORMAL.get
    return head + "".join(
        [form + tail[2:] if (form := normal(tail[:2])) else f"%25{tail}" for tail in tails],
    )


def _encode(match: re.Match[str]) -> str:
    return "%" + match[0].encode().hex("%").upper()


def is_encoded_path(path: str) -> bool:
    """Whether every character of a path is in the set, or a percent sign."""
    return not path.encode("utf-8", "replace").translate(None, _ENCODED_PATH)


def is_encoded_query(query: str) -> bool:
    """Whether every character of a query is in the set, or a percent sign."""
    return not query.encode("utf-8", "replace").translate(None, _ENCODED_QUERY)


def encode_path(path: str) -> str:
    """A path in its one form; slashes are kept."""
    if "%" in path:
        path = _repair(path)
    return path if is_encoded_path(path) else _OUTSIDE_PATH(_encode, path)


def encode_query(part: str) -> str:
    """A query, or a part of one, in its one form; `&` and `=` are kept, `+` is a space."""
    if "+" in part:
        part = part.replace("+", "%20")
    if "%" in part:
        part = _repair(part)
    return part if is_encoded_query(part) else _OUTSIDE_QUERY(_encode, part)


def list_key(name: str) -> str:
    """A name on a list (trackers, overrides, allow-list) in the form that `decode_key` gives keys."""
    return name.encode().lower().decode("latin-1")


def decode_key(key: str) -> str:
    """A query key as trackers are matched: decoded, ASCII letters lower-cased, other bytes as latin-1.

    Only its beginning: no name on any list is longer, and prefixes are short.
    """
    return unquote_to_bytes(key[:MAX_KEY].replace("+", " ")).lower().decode("latin-1")
