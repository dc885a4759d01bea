"""`_manifest.json`: what a mirror holds (MIR-10).

1. Everything but `crawl` is a function of the pages: two crawls of equal responses write it alike.
2. `crawl` holds all that moves: the run, its status and counts, and every time, the pages' fetch times
   among them.
3. `pages` is sorted by URL; each page stands on a line of its own, so that a text diff shows pages.
4. The document is written in pieces: memory does not grow with the number of pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["MANIFEST", "SCHEMA", "VERSION", "MirrorHead", "PageEntry", "manifest_flaw", "write_manifest"]

MANIFEST: Final = "_manifest.json"
SCHEMA: Final = "holdfast.mirror_manifest/1"
VERSION: Final = "1"


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page of the mirror. `fetched_at` goes to `crawl`, everything else to `pages`."""

    url: str
    path: str
    size: int
    file_sha256: str
    content_sha256: str
    title: str
    fetched_at: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MirrorHead:
    """What is true of the mirror as a whole."""

    layout: str
    layout_version: int
    scheme: str
    normalization_version: str
    markdown_version: str
    collisions: tuple[tuple[str, str], ...] = ()


def write_manifest(
    head: MirrorHead, crawl: Mapping[str, Any], pages: Iterable[PageEntry]
) -> Iterator[bytes]:
    """The manifest's bytes in pieces; `pages` come sorted by URL."""
    top = {
        "schema": SCHEMA,
        "version": VERSION,
        "layout": {"name": head.layout, "version": head.layout_version, "scheme": head.scheme},
        "normalization_version": head.normalization_version,
        "markdown_version": head.markdown_version,
        "collisions": [{"url": url, "path": path} for url, path in head.collisions],
    }
    yield json.dumps(top, ensure_ascii=False, indent=1).removesuffix("\n}").encode()
    times: list[tuple[str, str]] = []
    yield b',\n "pages": ['
    comma = b""
    for page in pages:
        times.append((page.path, page.fetched_at))
        yield comma + b"\n  " + _json(_page(page))
        comma = b","
    yield b'\n ],\n "crawl": ' + json.dumps(dict(crawl), ensure_ascii=False, indent=1).replace(
        "\n", "\n "
    ).removesuffix("\n }").encode()
    yield b',\n  "fetched_at": {'
    comma = b""
    for path, time in times:
        yield comma + b"\n   " + _json(path) + b": " + _json(time)
        comma = b","
    yield b"\n  }\n }\n}\n"


def manifest_flaw(data: bytes) -> str | None:
    """Why a `_manifest.json` is corrupt; None when it is not."""
    try:
        document: Any = json.loads(data)
    except ValueError as error:
        return f"no JSON ({error})"
    if not isinstance(document, dict) or not isinstance(document.get("pages"), list):
        return "it has no list of pages"
    return None


def _page(page: PageEntry) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "url": page.url,
        "path": page.path,
        "size": page.size,
        "file_sha256": page.file_sha256,
        "content_sha256": page.content_sha256,
    }
    return entry | {"warnings": list(page.warnings)} if page.warnings else entry


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
