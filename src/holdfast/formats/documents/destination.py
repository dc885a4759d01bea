"""Where a link's destination stands in its source, by CommonMark's grammar.

    destination = "<" no newline, no unescaped < or > ">"
                | no space, no control character, parentheses balanced or escaped, not starting with "<"

The parser says what the destination means; this says which bytes mean it. After a line break the marks of
enclosing block quotes may stand before it.
"""

from __future__ import annotations

import re

__all__ = ["destination_in_definition", "destination_in_link"]

_GAP = rb"[ \t]*(?:(?:\r\n?|\n)[ \t>]*)?"
_AFTER_TEXT = re.compile(rb"\]\(" + _GAP)
_AFTER_LABEL = re.compile(rb"[ \t>]*\[(?:[^\\\[\]]|\\.|\\)*\]:" + _GAP, re.DOTALL)
_POINTED = re.compile(rb"<((?:[^<>\\\r\n]|\\.|\\)*)>")
_RUN = re.compile(rb"(?:\\[!-/:-@\[-`{-~]|[^\x00-\x20\x7f()\\]|\\)+")
_PLAIN = re.compile(rb"[^\x00-\x20\x7f]*")


def destination_in_link(data: bytes, text_end: int, end: int, meaning: str) -> tuple[int, int] | None:
    """The destination of an inline link whose text ends at or after `text_end`; `meaning` is what it says."""
    written = meaning.encode()
    if data.startswith(b"](" + written, text_end) and b"&" not in written and b"\\" not in written:
        return text_end + 2, text_end + 2 + len(written)  # without escapes it says what it means
    bracket = data.find(b"](", text_end, end)
    opening = _AFTER_TEXT.match(data, bracket, end) if bracket >= 0 else None
    if opening is None:
        return None
    at = opening.end()
    if pointed := _POINTED.match(data, at, end):
        return pointed.span(1)
    start, depth = at, 0
    while at < end:
        if run := _RUN.match(data, at, end):
            at = run.end()
        elif data[at] == 0x28:
            depth += 1
            at += 1
        elif data[at] == 0x29 and depth:
            depth -= 1
            at += 1
        else:
            break
    return start, at


def destination_in_definition(data: bytes, start: int, end: int) -> tuple[int, int] | None:
    """The destination of a reference definition."""
    label = _AFTER_LABEL.match(data, start, end)
    if label is None:
        return None
    if pointed := _POINTED.match(data, label.end(), end):
        return pointed.span(1)
    plain = _PLAIN.match(data, label.end(), end)
    return plain.span() if plain else None
