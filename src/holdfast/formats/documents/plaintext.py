"""URLs in plain text, for which there is no grammar but custom (RFC 3986, appendix C).

1. A URL starts at `scheme://` (http, https, ftp) with no ASCII letter or digit before it, or at `www.`.
2. It goes on to white space, a control character, `<`, `>`, `"`, a backtick, a typographic quotation mark or
   the punctuation of Chinese, Japanese and Korean, which writes no spaces. After `](` it goes on to its `)`.
3. From its end are cut, again and again: `. , ; : ! ? ' * _ ~ |`, and a closing `)`, `]` or `}` that has no
   partner inside.
"""

from __future__ import annotations

import re

from holdfast.core.page import LinkKind
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.source import decode

__all__ = ["read_plaintext"]

_QUOTES = "“”„‟‘’«»‹›「」『』"
_EASTERN = (
    "\u3000-\u3003\u3008-\u3011\u3014-\u301f\uff01\uff08\uff09\uff0c\uff0e"
    "\uff1a\uff1b\uff1f\uff5e\uff61-\uff64"
)
_NOT = rf"\s<>\"`\x00-\x1f\x7f{_QUOTES}{_EASTERN}"
_IN_LINK = rf"(?<=\]\()(?:https?|ftp)://(?P<linked>[^{_NOT}()]*+(?:\([^{_NOT}()]*+\)[^{_NOT}()]*+)*)(?=\))"
_URL = re.compile(
    rf"{_IN_LINK}|(?<![A-Za-z0-9])(?:(?:https?|ftp)://|www\.(?=[^\W_]))[^{_NOT}]+", re.IGNORECASE
)
_TRIMMED = frozenset(".,;:!?'*_~|")
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_DIRECTIVE = re.compile(rb"holdfast:[ \t]*ignore[^\r\n]*")


def read_plaintext(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a text; a `holdfast: ignore…` anywhere in a line is its comment."""
    text = decode(data)
    ascii_only = text.isascii()
    found = []
    at = byte = 0
    for match in _URL.finditer(text):
        start = match.start() if ascii_only else byte + len(text[at : match.start()].encode())
        at, byte = match.start(), start
        url = match[0] if match["linked"] else _trimmed(match[0])
        if url.partition("://")[2] or url.lower().startswith("www."):
            target = url if "://" in url else f"http://{url}"
            found.append(Found(target, "", LinkKind.BARE, start, start + len(url.encode())))
    comments = [Comment(decode(m[0]), m.start(), m.end()) for m in _DIRECTIVE.finditer(data)]
    return found, comments


def _trimmed(url: str) -> str:
    counts = {char: url.count(char) for char in "()[]{}"}
    end = len(url)
    while end:
        last = url[end - 1]
        if last in _TRIMMED or (last in _PARTNERS and counts[last] > counts[_PARTNERS[last]]):
            counts[last] = counts.get(last, 0) - 1
            end -= 1
        else:
            break
    return url[:end]
