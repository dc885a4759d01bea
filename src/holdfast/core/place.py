"""Where in the ledger a URL is: what a worker hands back, and all else of the ledger is about."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.hashing import UrlKey

__all__ = ["Place"]


class Place(NamedTuple):
    """A URL as the ledger keeps it: canonical by its policy, with the key that all policies share (ID-12).

    A tuple, as links are: a page has dozens of them.
    """

    url: str
    key: UrlKey
    web_key: UrlKey

    @property
    def host(self) -> str:
        """Host, and the port where it is not the default."""
        return self.url.split("/", 3)[2]
