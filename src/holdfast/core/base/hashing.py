"""What is hashed, and into which type.

Rules 1 and 2 are two identities, two types, never mixed.

1. `UrlKey`: identity of a place. SHA-256 of the canonical URL's UTF-8 bytes and nothing else: no
   white space, no metadata, no time, no depth (ID-7). Written as 64 lower-case hex digits.
2. `ContentHash`: identity of what was said. SHA-256 of the normalized text's UTF-8 bytes, or of the
   raw bytes for types that have no text (TXT-2). Written the same way.
3. `SettingsDigest`: SHA-256 of the settings that affect identity, and of those only, as canonical
   JSON: keys sorted, no white space, UTF-8 (VER-2).
4. Ids of runs, captures, items and edges are SHA-256 over their named inputs, each as UTF-8, each
   followed by one NUL byte, so that no two lists of inputs run together (LIN-7).
5. `short_hash` is the first 8 hex of an MD5, for file names only (PATH-2, PATH-4). It is not an identity:
   whoever writes a name compares the URL that is there already.
6. A digest of links shows that a page's links are those of the time before: it is equal for equal links in
   equal order. Workers make it with the page, of rows; whoever has only what the ledger keeps makes it of
   that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NewType

if TYPE_CHECKING:
    from holdfast.core.crawl.harvest import LinkRow
    from holdfast.core.lineage.ledger_values import PageLink


UrlKey = NewType("UrlKey", str)
ContentHash = NewType("ContentHash", str)
SettingsDigest = NewType("SettingsDigest", str)


def url_key(canonical: str) -> UrlKey:
    """The identity of the place a canonical URL names.

    Example:
        print(holdfast.url_key("https://example.com/"))
    """
    return UrlKey(hashlib.sha256(canonical.encode()).hexdigest())


def content_hash(content: str | bytes) -> ContentHash:
    """The identity of a normalized text, or of bytes that have none.

    Example:
        print(holdfast.content_hash("the text of a page"))
    """
    data = content.encode() if isinstance(content, str) else content
    return ContentHash(hashlib.sha256(data).hexdigest())


def hash_of_pieces(pieces: Iterable[bytes]) -> ContentHash:
    """The same of bytes that come in pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return ContentHash(digest.hexdigest())


def settings_digest(settings: dict[str, Any]) -> SettingsDigest:
    """One digest over the settings that affect identity."""
    canonical = json.dumps(settings, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return SettingsDigest(hashlib.sha256(canonical.encode()).hexdigest())


def id_of(*inputs: str) -> str:
    """A deterministic id: the same inputs, the same 64 hex digits, on every machine."""
    return hashlib.sha256("\0".join((*inputs, "")).encode()).hexdigest()


def short_hash(text: str) -> str:
    """Eight hex digits for a file name."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:8]


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
