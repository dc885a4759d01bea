"""Links from one file of a mirror to another, and the names of what is stored by its content."""

from __future__ import annotations

import posixpath
from typing import Final
from urllib.parse import quote

__all__ = ["asset_hash", "asset_path", "relative_link"]

_ASSETS: Final = "_assets"
_SAFE: Final = "/!$'*+,;=@~:"
_ENDINGS: Final = {
    "image/avif": ".avif",
    "image/bmp": ".bmp",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/svg+xml": ".svg",
    "image/webp": ".webp",
    "image/x-icon": ".ico",
}


def relative_link(source: str, target: str) -> str:
    """How the file `source` links to the file `target`: relative, and percent-encoded so that it opens."""
    return quote(posixpath.relpath(target, posixpath.dirname(source) or "."), safe=_SAFE)


def asset_path(payload_sha256: str, content_type: str) -> str | None:
    """Where an image is stored, by its content; None where it is not an image."""
    ending = _ENDINGS.get(content_type)
    return f"{_ASSETS}/{payload_sha256[:2]}/{payload_sha256}{ending}" if ending else None


def asset_hash(path: str) -> str | None:
    """The hash of the image that is stored at a path; None where none is."""
    return path.rpartition("/")[2].partition(".")[0] if path.startswith(f"{_ASSETS}/") else None
