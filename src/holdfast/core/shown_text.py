"""Texts that came from outside, made fit to be shown: in a message, on a terminal."""

from __future__ import annotations

import re

__all__ = ["harmless", "loggable", "printable"]

_USERINFO = re.compile(r"(?<=[/\\])[^/\\?#]*@")
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """A text that can be written: bytes that were no UTF-8 come out as `\\xNN`."""
    return text.encode("utf-8", "backslashreplace").decode() if _has_surrogates(text) else text


def harmless(text: str) -> str:
    """A text of the web, fit for a terminal: control characters come out as `\\xNN`, so none is obeyed."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", printable(text))


def loggable(text: str) -> str:
    """A URL as typed, fit for a message: whatever looks like user and password is left out (SEC-3)."""
    return _USERINFO.sub("", printable(text))


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
