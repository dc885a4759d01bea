"""By what it is seen that a page's links are those of the time before: equal for equal links in equal order.

Workers make it with the page, of rows; whoever has only what the ledger keeps makes it of that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdfast.core.crawl.harvest import LinkRow
    from holdfast.core.ledger import PageLink

__all__ = ["links_digest", "rows_digest"]


def links_digest(links: Iterable[PageLink]) -> bytes:
    """The digest of links as the ledger takes them."""
    fields = []
    for (_, key, _), href, text, kind, nofollow in links:
        fields += [key, href, text, kind, "\1" if nofollow else "\0"]
    return _digest(fields)


def rows_digest(rows: Iterable[LinkRow]) -> bytes:
    """The digest of the links of a harvest."""
    fields = []
    for _, key, _, href, text, kind, nofollow in rows:
        fields += [key, href, text, kind, "\1" if nofollow else "\0"]
    return _digest(fields)


def _digest(fields: list[str]) -> bytes:
    return hashlib.sha256("\0".join(fields).encode("utf-8", "surrogatepass")).digest()[:16]
