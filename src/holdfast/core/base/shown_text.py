"""Texts that came from outside, made fit to be shown: in a message, on a terminal, in XML.

Text and attributes of XML are escaped here: the standard library's (`xml.sax.saxutils`) bring an HTTP
client along.
"""

from __future__ import annotations

import re
from typing import Final

_USERINFO = re.compile(r"(?<=[/\\])[^/\\?#]*@")
_ADDRESSED = re.compile(
    r"^(\s*(?:(?:https?|ftp|wss?):[/\\]*|[/\\]{2,}))[^/\\?#]*@|([a-z][a-z0-9+.-]*:[/\\]{2})[^/\\?#\s]*@",
    re.IGNORECASE,
)
_NAMED = re.compile(r"postgres(?:ql)?://[\w.-]*@", re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_LONGEST: Final = 200
_BYTES: Final = 0xDC00
"""What stands before a byte that was not UTF-8 (PEP 383)."""
_MARKS = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """A text that can be written: bytes that were not UTF-8 come out as `\\xNN`."""
    return text if is_utf8(text) else _SURROGATES.sub(_named, text)


def harmless(text: str) -> str:
    """A text of the web, fit for a terminal: characters that control it, or turn the direction of writing,
    come out as `\\xNN` and `\\uNNNN`, so none is obeyed.
    """
    return _CONTROLS.sub(_named, printable(text))


def harmless_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(harmless, text.split("\n"))) if "\n" in text else harmless(text)


def harmless_json(text: str) -> str:
    """JSON that says the same without a raw character that a terminal could obey."""
    if text.isascii() and "\x7f" not in text:  # as nearly all are: no need to walk through it
        return text
    return _MARKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _named(match: re.Match[str]) -> str:
    code = ord(match[0])
    code -= _BYTES if _BYTES + 0x80 <= code < _BYTES + 0x100 else 0
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def loggable(text: str) -> str:
    """A URL as typed, fit for a message: whatever looks like user and password is left out (SEC-3)."""
    return _USERINFO.sub("", printable(text))


def without_userinfo(words: str) -> str:
    """Words without the user and password of any address among them. The name alone by which somebody is
    known to a database is not a secret, and our own words have it: `postgresql://user@host`.
    """
    return _ADDRESSED.sub(_without_secret, words) if "@" in words else words


def shown_typed(text: str) -> str:
    """What somebody typed, fit for a message: harmless, not too long, without user and password."""
    shown = harmless(without_userinfo(text))
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def _without_secret(match: re.Match[str]) -> str:
    return match[0] if _NAMED.fullmatch(match[0]) else match[1] or match[2]


def is_utf8(text: str) -> bool:
    """Whether a text has no byte or surrogate in it that is not UTF-8."""
    return text.isascii() or _SURROGATES.search(text) is None


_TEXT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ATTRIBUTE: Final = {**_TEXT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}


def text_of(text: str) -> str:
    """Text as it stands between tags."""
    return text.translate(_TEXT)


def attribute_of(text: str) -> str:
    """A value with its quotes."""
    return f'"{text.translate(_ATTRIBUTE)}"'
