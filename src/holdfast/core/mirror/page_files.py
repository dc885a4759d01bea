"""The files that a result leaves in the folder: a page and its sidecar, or a placeholder.

A page of a folder whose ledger is lost is taken over as its manifest, its file and its sidecar tell of it:

1. A file counts only if it is what the manifest says of it, and its URL is canonical by today's standard.
   A row of the manifest that is not whole is passed over: its page is fetched again.
2. It was fetched when the manifest says, else when the sidecar says, else when the file was written.
3. The validators are those of what was taken, which need not be the page itself: then it has none.

Last come the links from one file of a mirror to another, and the names of what is stored by its content.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from holdfast.core.base.figures import in_utc, timestamp
from holdfast.core.base.hashing import ContentHash, content_hash
from holdfast.core.base.shown_text import harmless, harmless_lines
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.crawl.mirror_spec import Order, Standard, place_of
from holdfast.core.lineage.ledger_values import Draft, EntryState, Finding, PageFacts, capture_record
from holdfast.core.page.sidecar import (
    LastFetch,
    PageWords,
    Sidecar,
    read_sections,
    read_sidecar,
    write_sidecar,
)
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.name_plan import NamePlan, sidecar_of
from holdfast.core.url.redaction import redacted, shown
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Capture

FAILED = "_failed"
SKIPPED = "_skipped"
PLACEHOLDERS: Final = {EntryState.FAILED: FAILED, EntryState.SKIPPED: SKIPPED}
"""How an entry ends without a page, and where what stands for it lies."""

File = tuple[str, bytes]


def page_of(
    order: Order, depth: int, made: Harvest, capture: Capture, path: str
) -> tuple[PageFacts, tuple[File, ...]]:
    """A page's facts for the ledger, and its files."""
    facts = PageFacts(
        path=path,
        title=made.content.full_title,
        file_sha256=made.content.file_sha256,
        size=len(made.content.file),
        depth=depth,
        markdown_version=made.content.markdown_version,
        warnings=made.content.warnings,
    )
    if not order.has_sidecars:
        return facts, ((path, made.content.file),)
    sidecar = Sidecar(
        url_hash=made.place.key,
        content_hash=made.content.content_sha256,
        source_url=capture.page.href,
        canonical_url=made.place.url,
        crawl_depth=depth,
        normalization_version=str(order.standard.recipe),
        markdown_version=made.content.markdown_version,
        page=PageWords(
            made.content.title,
            made.content.full_title,
            made.content.language,
            made.content.warnings,
            made.content.outline,
        ),
        fetch=LastFetch(
            timestamp(capture.fetched_at),
            capture.status,
            capture.header("etag"),
            capture.header("last-modified"),
        ),
        markdown_source=capture.final.href if _is_own_markdown(capture) else None,
    )
    return facts, ((path, made.content.file), (sidecar_of(path), write_sidecar(sidecar)))


def _is_own_markdown(capture: Capture) -> bool:
    return capture.alternate_of is not None or capture.content_type == "text/markdown"


def failed_placeholder(names: NamePlan, canonical: CanonicalUrl, url: str, words: str) -> File:
    """What stands for a page that failed."""
    text = f"This page could not be fetched.\n\nURL: {shown(url)}\nReason: {words}\n"
    return names.placeholder(canonical, FAILED), harmless_lines(text).encode("utf-8", "replace")


def skipped_placeholder(names: NamePlan, canonical: CanonicalUrl, capture: Capture, why: str) -> File:
    """What stands for something that is not a page."""
    lines = [
        "This is not kept as a page.",
        "",
        f"URL: {redacted(capture.final)}",
        f"Content-Type: {capture.content_type or 'none'}",
        f"Size: {len(capture.body)} bytes",
    ]
    if why != capture.content_type:
        lines.append(f"Reason: {why}")
    text = "\n".join((*map(harmless, lines), ""))
    return names.placeholder(canonical, SKIPPED), text.encode("utf-8", "replace")


_HASH: Final = re.compile(r"[0-9a-f]{64}")


class KeptFile(NamedTuple):
    """What lies in the folder of a page: its bytes, those of its sidecar, and when it was written."""

    data: bytes
    sidecar: bytes | None
    written_at: datetime | None


def whole_rows(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The pages that a manifest names with all that is needed to believe them."""
    for row in manifest["pages"]:
        if (
            isinstance(row, dict)
            and all(isinstance(row.get(name), str) for name in ("url", "path"))
            and not {"", ".", ".."} & set(row["path"].split("/"))
            and all(_HASH.fullmatch(str(row.get(name))) for name in ("file_sha256", "content_sha256"))
        ):
            yield row


def adopted_page(
    run_id: str, standard: Standard, manifest: Mapping[str, Any], row: Mapping[str, Any], kept: KeptFile
) -> Finding | None:
    """What the ledger can take over of a page that `row` of the manifest names; None where it cannot."""
    url = parse_url(row["url"])
    place = place_of(url, standard) if isinstance(url, Url) else None
    if place is None or place.url != row["url"] or content_hash(kept.data) != row["file_sha256"]:
        return None
    path, side = row["path"], read_sidecar(kept.sidecar)
    times = manifest.get("crawl", {}).get("fetched_at")
    told_at = times.get(path) if isinstance(times, dict) else None
    moment = _moment(told_at) or _moment(side.get("fetched_at")) or kept.written_at
    named = parse_url(str(side.get("source_url") or place.url))
    source = named if isinstance(named, Url) else url
    if moment is None or not isinstance(source, Url):
        return None
    capture = Capture(source, source, 200, tuple(_headers(side, source)), b"", moment)
    title, warnings = _text(side.get("title")), row.get("warnings")
    facts = PageFacts(
        path,
        _text(side.get("full_title")) or title,
        row["file_sha256"],
        len(kept.data),
        _depth(side.get("crawl_depth")),
        str(manifest.get("markdown_version", "")),
        tuple(map(str, warnings)) if isinstance(warnings, list) else (),
    )
    draft = Draft(ContentHash(row["content_sha256"]), title, sections=read_sections(side, place.key))
    return Finding(capture=capture_record(run_id, capture, place), made=draft, page=facts)


def _headers(side: Mapping[str, Any], source: Url) -> Iterator[tuple[str, str]]:
    """The fields of the answer that a sidecar tells of."""
    yield "Content-Type", "text/html"
    if side.get("markdown_source") in (None, str(source)):
        for field, name in (("ETag", "etag"), ("Last-Modified", "last_modified")):
            if isinstance(value := side.get(name), str):
                yield field, value


def _text(told: object) -> str:
    return told if isinstance(told, str) else ""


def _depth(told: object) -> int:
    return told if isinstance(told, int) and told >= 0 else 0


def _moment(text: object) -> datetime | None:
    try:
        return in_utc(datetime.fromisoformat(str(text))) if text else None
    except ValueError:
        return None


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
