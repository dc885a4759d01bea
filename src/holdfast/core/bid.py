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

from typing import NewType
from uuid import UUID, uuid5

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.hashing import ContentHash

__all__ = ["Bid", "document_bid", "folder_bid", "revision_bid", "url_bid"]

Bid = NewType("Bid", str)

HREF = UUID("5b3d2154-c0a9-437b-9324-5f62adeb9a44")
FILE = UUID("6b3d2154-c0a9-437b-9324-5f62adeb9a44")
_REVISION_MARK = HREF.bytes[10:]
_URL_MARK = bytes.fromhex("0e90d9cb2fdb")
_FILE_MARK = bytes.fromhex("b418a9d37ad1")


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


def _marked(namespace: UUID, name: str, mark: bytes) -> Bid:
    return Bid(f"bid:{UUID(bytes=uuid5(namespace, name).bytes[:10] + mark)}")
