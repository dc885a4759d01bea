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
_VARIANTS: Final = {f"{digit:x}": f"{digit & 0b0011 | 0b1000:x}" for digit in range(16)}
"""Two bits of octet 8 say which kind of UUID it is, as four of octet 6 do, its version."""


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
    digits = sha1(namespace + name.encode(), usedforsecurity=False).hexdigest()
    variant = _VARIANTS[digits[16]]
    return Bid(f"bid:{digits[:8]}-{digits[8:12]}-5{digits[13:16]}-{variant}{digits[17:20]}-{mark}")
