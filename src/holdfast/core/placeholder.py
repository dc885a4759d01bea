"""URLs that stand for others: names that are reserved for examples and tests, and templates.

1. Reserved are `example`, `test`, `invalid`, `localhost` and what ends in them, `example.com`, `example.net`,
   `example.org` and the hosts under them (RFC 2606, RFC 6761).
2. A template has a hole in it: `{id}`, `{{ host }}`, `${HOST}`, `<id>`, `%7B%7Bid%7D%7D`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["is_reserved", "is_template"]

_RESERVED: Final = re.compile(r"(?:.*\.)?(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)\.?")
_TEMPLATE: Final = re.compile(r"\{|\$[A-Z(]|<[^<>\s]|%7[Bb]%7[Bb]")


@lru_cache(maxsize=1_000)
def is_reserved(host: str) -> bool:
    """Whether no page can be on a host."""
    return _RESERVED.fullmatch(host.lower()) is not None


def is_template(url: str) -> bool:
    """Whether a URL as written has a hole in it."""
    return _TEMPLATE.search(url) is not None
