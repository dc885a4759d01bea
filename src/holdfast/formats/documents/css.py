"""URLs in CSS, in a file, a `style` element or attribute: `url(…)` and `@import "…"`. What stands in comments
is not read, but for ignores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.core.page import LinkKind
from holdfast.formats.documents.found import Comment, Found
from holdfast.formats.documents.source import decode

__all__ = ["css_urls", "read_css"]

_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|(?:\burl\(\s*+|@import\s++(?!url))(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([^\s\"'();]++))",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


def css_urls(text: str) -> Iterator[tuple[str, int]]:
    """Each URL as written, and where it stands."""
    for match in _TOKEN.finditer(text):
        for group in (1, 2, 3):
            if match[group]:
                yield match[group], match.start(group)


def read_css(data: bytes) -> tuple[list[Found], list[Comment]]:
    """Every URL of a style sheet, and its comments."""
    text = data.decode("latin-1")  # one character a byte
    found = [
        Found(decode(url.encode("latin-1")), "", LinkKind.MEDIA, at, at + len(url))
        for url, at in css_urls(text)
    ]
    comments = [Comment(decode(m[0][2:-2].encode("latin-1")), *m.span()) for m in _COMMENT.finditer(text)]
    return found, comments
