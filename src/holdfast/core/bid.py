"""Ids of nodes in a graph of documents and the URLs they cite (TRK-3).

Each id is a version-5 UUID whose last six octets are replaced by a fixed mark, so that an id tells
what it is an id of:

    bid of a revision    UUIDv5(HREF, content hash as 64 hex)   mark 5f62adeb9a44 (octets 10–15 of HREF)
    url_bid of a node    UUIDv5(HREF, `web` canonical URL)      mark 0e90d9cb2fdb
    bid of a document    UUIDv5(FILE, path from the root)       mark b418a9d37ad1
    bid of a folder      UUIDv5(FILE, path with a final slash)  mark b418a9d37ad1; the root is `./`

Written `bid:<uuid>`. A document that carries a bid of its own keeps it; these are for those that don't.
"""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Final, NewType

from holdfast.core.hashing import ContentHash

if TYPE_CHECKING:
    from holdfast.core.canonical import CanonicalUrl

__all__ = ["Bid", "document_bid", "folder_bid", "revision_bid", "url_bid"]

Bid = NewType("Bid", str)

HREF: Final = bytes.fromhex("5b3d2154c0a9437b93245f62adeb9a44")
FILE: Final = bytes.fromhex("6b3d2154c0a9437b93245f62adeb9a44")
_REVISION_MARK: Final = HREF[10:].hex()
_URL_MARK: Final = "0e90d9cb2fdb"
_FILE_MARK: Final = "b418a9d37ad1"
_VERSION_5: Final = 0x5000_8000
_VERSION_BITS: Final = 0xF000_C000
"""Of the octets 6 to 9, those that say which kind of UUID it is."""


def revision_bid(content: ContentHash) -> Bid:
    """The id of what a URL said at one time."""
    return _marked(HREF, content, _REVISION_MARK)


def url_bid(canonical: CanonicalUrl) -> Bid:
    """The id of the cited place; the URL is canonical by the `web` policy."""
    return _marked(HREF, canonical.text, _URL_MARK)


def document_bid(path: str) -> Bid:
    """The id of a document that has none, from its path relative to the root, in POSIX form."""
    return _marked(FILE, path, _FILE_MARK)


def folder_bid(path: str) -> Bid:
    """The id of a folder that has none; `path` as for documents, empty for the root."""
    return _marked(FILE, (path.rstrip("/") or ".") + "/", _FILE_MARK)


def _marked(namespace: bytes, name: str, mark: str) -> Bid:
    octets = sha1(namespace + name.encode(), usedforsecurity=False).digest()
    kind = int.from_bytes(octets[6:10]) & ~_VERSION_BITS | _VERSION_5
    first, last = octets[:6].hex(), f"{kind:08x}"
    return Bid(f"bid:{first[:8]}-{first[8:]}-{last[:4]}-{last[4:]}-{mark}")
