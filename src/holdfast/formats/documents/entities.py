"""Character references in HTML attributes, by the WHATWG rules: as in text, but an old name without semicolon
stays as it is when `=` or a letter or a digit follows, so that `?a=1&copy=2` is a query.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

__all__ = ["unescape_attribute"]

_LONGEST_NUMBER = 64  # digits of a number that no character has; Python converts no endless ones
_LONGEST_NAME = max(map(len, html5))
_ATTRIBUTE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*;?)")


def unescape_attribute(text: str) -> str:
    """Character references of an attribute's value, resolved as browsers do."""
    return _ATTRIBUTE.sub(lambda match: _attribute_char(match, text), text) if "&" in text else text


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
