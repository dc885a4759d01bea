"""Inline passthroughs of AsciiDoc: what they hold is shown as it is, and is blanked before links are read.

In `compat-mode` backticks are passthroughs, and pluses are not.
"""

from __future__ import annotations

import re
from typing import Final

from holdfast.formats.documents.ahead import Ahead

__all__ = ["without_passthroughs"]

_OPENS = re.compile(rb"\+\+\+|\$\$|pass:[a-z,]*+\[|stem:\[|(?<!link:)\+\+(?!\+)|(?<![\w+;:])\+(?![\s+])")
_OPENS_IN_COMPAT = re.compile(rb"\+\+\+|\$\$|pass:[a-z,]*+\[|stem:\[|(?<![\w`])`(?![\s`])")
_ONE_PLUS = re.compile(rb"[^+]*+(?<!\s)\+(?![\w+])")
_ONE_TICK = re.compile(rb"[^`]*+(?<!\s)`(?![\w`])")
_CLOSES: Final = {
    b"+++": re.compile(rb"\+\+\+"),
    b"$$": re.compile(rb"\$\$"),
    b"[": re.compile(rb"[^\\]\]", re.DOTALL),
    b"++": re.compile(rb"(?<=[\s\S])\+\+"),
}


def without_passthroughs(text: bytes, *, compat: bool) -> bytes:
    """The text with its passthroughs blanked; every byte keeps its place."""
    opens = _OPENS_IN_COMPAT if compat else _OPENS
    if not opens.search(text):
        return text
    closings = {mark: Ahead(pattern, text) for mark, pattern in _CLOSES.items()}
    pieces: list[bytes] = []
    done = at = 0
    while opener := opens.search(text, at):
        end = _end(text, opener, closings)
        if end < 0:
            at = opener.start() + 1
        else:
            pieces += (text[done : opener.start()], b"\x00" * (end - opener.start()))
            done = at = end
    return b"".join((*pieces, text[done:]))


def _end(text: bytes, opener: re.Match[bytes], closings: dict[bytes, Ahead]) -> int:
    """Where a passthrough ends; -1 where it does not."""
    mark = b"[" if opener[0].endswith(b"[") else opener[0]
    if mark == b"+" or mark == b"`":  # noqa: PLR1714 - they are looked for in two ways
        closing = (_ONE_PLUS if mark == b"+" else _ONE_TICK).match(text, opener.end())
    else:
        closing = closings[mark].after(opener.end() + (mark == b"++"))
    return closing.end() if closing else -1
