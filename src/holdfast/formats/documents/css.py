"""URLs in CSS, in a `style` element or attribute: `url(…)` and `@import "…"`. Comments are passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["css_urls"]

_TOKEN = re.compile(
    r"/\*.*?(?:\*/|\Z)"
    r"|(?:\burl\(\s*+|@import\s++(?!url))(?:\"([^\"\n]*+)\"|'([^'\n]*+)'|([^\s\"'();]++))",
    re.DOTALL | re.IGNORECASE,
)


def css_urls(text: str) -> Iterator[tuple[str, int]]:
    """Each URL as written, and where it stands."""
    for match in _TOKEN.finditer(text):
        for group in (1, 2, 3):
            if match[group]:
                yield match[group], match.start(group)
