"""`_manifest.json`: what a mirror holds (MIR-10).

1. Everything but `crawl` is a function of the pages: two crawls of equal responses write it alike.
2. `crawl` holds all that moves: the run, its status and counts, and every time, the pages' fetch times
   among them.
3. `pages` is sorted by path (UTF-8 bytes); each page stands on a line of its own, so that a text diff
   shows pages.
   So do `aliases`: other names of these pages, each with the page that it is a duplicate of, and why.
4. The last thing in `crawl` is `sha256`, over every byte before it: whatever was altered by hand shows.
5. The document is written in pieces from two passes over the pages: memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from holdfast.core.base.plain_data import read_json
from holdfast.core.base.shown_text import harmless_json
from holdfast.core.base.values import dataclass
from holdfast.core.url.layout import Layout
from holdfast.core.url.redaction import Shown

MANIFEST: Final = "_manifest.json"
SCHEMA: Final = "holdfast.mirror_manifest/1"
VERSION: Final = "1"
SETTLING: Final = "settling"
"""In `crawl` while the folder is not yet what the set of pages makes of it: local links, lists, images."""
SEAL: Final = b',\n  "sha256": "'
SEAL_END: Final = b'"\n }\n}\n'


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One page of the mirror, without its times; `collided`: its short hash was another page's (PATH-6)."""

    url: Shown
    path: str
    size: int
    file_sha256: str
    content_sha256: str
    title: str
    full_title: str
    warnings: tuple[str, ...] = ()
    collided: bool = False


@dataclass(frozen=True, slots=True)
class AliasEntry:
    """Another name of a page, and why it is one (MIR-8, MIR-14)."""

    url: Shown
    duplicate_of: Shown
    reason: str


@dataclass(frozen=True, slots=True)
class MirrorHead:
    """What is true of the mirror as a whole."""

    layout: str
    layout_version: int
    scheme: str
    normalization_version: str
    markdown_version: str
    options: Mapping[str, str | bool] = field(default_factory=dict)


def write_manifest(
    head: MirrorHead,
    pages: Iterable[PageEntry],
    crawl: Mapping[str, Any],
    times: Iterable[tuple[str, str]],
    aliases: Iterable[AliasEntry] = (),
) -> Iterator[bytes]:
    """The manifest's bytes in pieces; `pages` and `times` (path, fetch time) come sorted by path, `aliases`
    by URL.
    """
    digest = hashlib.sha256()
    for piece in _pieces(head, pages, crawl, times, aliases):
        digest.update(piece)
        yield piece
    yield SEAL + digest.hexdigest().encode() + SEAL_END


def _pieces(
    head: MirrorHead,
    pages: Iterable[PageEntry],
    crawl: Mapping[str, Any],
    times: Iterable[tuple[str, str]],
    aliases: Iterable[AliasEntry],
) -> Iterator[bytes]:
    top = {
        "schema": SCHEMA,
        "version": VERSION,
        "layout": {"name": head.layout, "version": head.layout_version, "scheme": head.scheme},
        "normalization_version": head.normalization_version,
        "markdown_version": head.markdown_version,
        "options": dict(head.options),
    }
    yield _open(top)
    yield b',\n "pages": ['
    comma = b"\n  "
    collisions = []
    for page in pages:
        collisions += [{"url": page.url, "path": page.path}] if page.collided else []
        yield comma + _told(_page(page))
        comma = b",\n  "
    yield b'\n ],\n "collisions": ' + _line(collisions)
    yield b',\n "aliases": ['
    comma = b"\n  "
    for alias in aliases:
        yield comma + _line({"url": alias.url, "duplicate_of": alias.duplicate_of, "reason": alias.reason})
        comma = b",\n  "
    yield b"\n ]"
    yield b',\n "crawl": ' + _open(crawl).replace(b"\n", b"\n ")
    yield b',\n  "fetched_at": {'
    comma = b"\n   "
    for path, time in times:
        yield comma + _told(f"{_quoted(path)}: {_quoted(time)}")
        comma = b",\n   "
    yield b"\n  }"


def read_manifest(data: bytes) -> Mapping[str, Any] | str:
    """The document, or why it is corrupt."""
    try:
        document: Any = read_json(data)
    except ValueError as error:
        return f"no JSON ({error})"
    return checked_manifest(document)


def checked_manifest(document: Any) -> Mapping[str, Any] | str:
    """A document that is a manifest, or why it is none."""
    if not isinstance(document, dict) or not isinstance(document.get("pages"), list):
        return "it has no list of pages"
    layout = document.get("layout")
    if not isinstance(layout, dict) or layout.get("name") not in tuple(Layout):
        return "it names no layout"
    if layout.get("scheme") not in ("http", "https"):
        return "it names no scheme"
    if not isinstance(document.get("crawl", {}), dict):
        return "it says nothing of its crawl"
    return document


def _page(page: PageEntry) -> str:
    """A page's line, written out: a third of the time of an encoder, which is made anew for every object."""
    more = f', "full_title": {_quoted(page.full_title)}' if page.full_title != page.title else ""
    if page.warnings:
        more += f', "warnings": {_encode(page.warnings)}'
    return (
        f'{{"url": {_quoted(page.url)}, "path": {_quoted(page.path)}, "size": {page.size},'
        f' "file_sha256": {_quoted(page.file_sha256)}, "content_sha256": {_quoted(page.content_sha256)},'
        f' "title": {_quoted(page.title)}{more}}}'
    )


def _open(value: Mapping[str, Any]) -> bytes:
    """An object whose last brace is still to come."""
    return json.dumps(dict(value), ensure_ascii=False, indent=1).removesuffix("\n}").encode()


def _line(value: Any) -> bytes:
    return _told(_encode(value))


def _told(text: str) -> bytes:
    return harmless_json(text).encode("utf-8", "replace")


_encode: Final = json.JSONEncoder(ensure_ascii=False).encode
_quoted: Final = json.encoder.encode_basestring
