"""The keys by which everything the ledger knows of a URL is joined: one part of the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from holdfast.core.hashing import UrlKey

if TYPE_CHECKING:
    from holdfast.core.ledger import Rekeyed
    from holdfast.core.place import Place

__all__ = ["JoinLedger"]


class JoinLedger(Protocol):
    """The `web` keys, and the version of `web` that makes them (ID-12, ID-13).

    New keys are noted beside the present ones, which go on to hold until all are there: then `switch` takes
    the new ones, at once.
    """

    def version(self) -> str:
        """Read which version of `web` makes the keys: `web@1`."""
        ...

    def has_key(self, web_key: UrlKey) -> bool:
        """Read whether any URL has this `web` key."""
        ...

    def key_of(self, key: UrlKey) -> UrlKey | None:
        """Read the `web` key of a URL by its url key."""
        ...

    def count(self) -> int:
        """Read how many URLs there are."""
        ...

    def aim(self, goal: str) -> None:
        """Write what new keys are made for; those that were noted for another goal are dropped."""
        ...

    def unkeyed(self) -> Iterator[tuple[Place, ...]]:
        """Read the URLs for which no new key is noted, or one that was to replace another key than the one
        they have, in groups; a group may be noted before the next is read.
        """
        ...

    def addresses(self, key: UrlKey) -> tuple[str, ...]:
        """Read every address by which a URL was asked for, linked to or cited, by its url key."""
        ...

    def note(self, keys: Mapping[UrlKey, UrlKey]) -> None:
        """Write new keys, by url key."""
        ...

    def switch(self, version: str) -> Rekeyed:
        """Write, in one transaction: the new keys hold. Of cited places that become one, the one that was
        looked at last stays. LedgerError where a URL has no new key.
        """
        ...
