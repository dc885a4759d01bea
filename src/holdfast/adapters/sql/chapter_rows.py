"""The rows of chapters as the archive tells them: what JSON has no words for, and which URL is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

from holdfast.core.citing import unsupported_key
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.place import Place

__all__ = ["AS_KEPT", "Rows", "as_it_is", "in_groups", "place_told"]

Rows = Iterable[tuple[str, Mapping[str, Any]]]
"""Rows of a chapter, each with its table."""

_GROUP: Final = 1_000

AS_KEPT: Final[Mapping[str, Callable[[Any], Any]]] = {
    "capture_id": bytes.fromhex,
    "payload_sha256": bytes.fromhex,
    "item_id": bytes.fromhex,
    "content_sha256": bytes.fromhex,
    "links_digest": bytes.fromhex,
    "parent": bytes.fromhex,
    "web_key": bytes.fromhex,
    "content": bytes.fromhex,
    "nofollow": bool,
    "listed": bool,
    "ignored": bool,
}
"""Columns that lines of JSON have no words for."""


def in_groups(rows: Rows) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Rows of a chapter, those of one table that follow each other together, a thousand at a time."""
    for table, some in groupby(rows, key=itemgetter(0)):
        while group := [row for _, row in islice(some, _GROUP)]:
            yield table, group


def place_told(url: str, web_key: str | None) -> Place:
    """A URL of a chapter; one without a canonical form is known by another key."""
    key = UrlKey(web_key) if web_key and web_key == unsupported_key(url) else url_key(url)
    return Place(url, key, UrlKey(web_key or key))


def as_it_is(value: Any) -> Any:  # whatever JSON has
    """A value that JSON has words for."""
    return value
