"""Character references: in Markdown text and in HTML attributes they are not the same.

1. Markdown (CommonMark): `&name;` from the HTML5 table, `&#123;` of at most seven digits, `&#x1F;` of at most
   six; the semicolon is required. A backslash makes ASCII punctuation literal.
2. HTML attributes (WHATWG): as in text, but an old name without semicolon stays as it is when `=` or a
   letter or a digit follows, so that `?a=1&copy=2` is a query.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

__all__ = ["unescape_attribute", "unescape_markdown"]

_MARKDOWN = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));"
)
_LONGEST_NUMBER = 64  # digits of a number that no character has; Python converts no endless ones
_LONGEST_NAME = max(map(len, html5))
_ATTRIBUTE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")


def unescape_markdown(text: str) -> str:
    """Backslash escapes and character references, resolved as CommonMark does."""
    return _MARKDOWN.sub(_markdown_char, text) if "\\" in text or "&" in text else text


def unescape_attribute(text: str) -> str:
    """Character references of an attribute's value, resolved as browsers do."""
    return _ATTRIBUTE.sub(lambda match: _attribute_char(match, text), text) if "&" in text else text


def _markdown_char(match: re.Match[str]) -> str:
    escaped, decimal, hexadecimal, name = match.groups()
    if escaped:
        return escaped
    if name:
        return html5.get(name + ";", match[0])
    code = int(decimal) if decimal else int(hexadecimal, 16)
    valid = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if valid else "\ufffd"


def _attribute_char(match: re.Match[str], text: str) -> str:
    reference = match[1]
    if reference[0] == "#":
        return html.unescape(match[0]) if len(reference) < _LONGEST_NUMBER else "\ufffd"
    if reference[-1] == ";" and reference in html5:
        return html5[reference]
    longest = min(len(reference), _LONGEST_NAME)
    known = next((reference[:n] for n in range(longest, 1, -1) if reference[:n] in html5), None)
    if known is None:
        return match[0]
    at = match.start(1) + len(known)
    follows = text[at : at + 1]
    if follows == "=" or (follows.isascii() and follows.isalnum()):
        return match[0]
    return html5[known] + reference[len(known) :]
