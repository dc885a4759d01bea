"""The files that a result leaves in the folder: a page and its sidecar, or a placeholder."""

from __future__ import annotations

from typing import Final

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.capture import Capture
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.crawl.order import Order
from holdfast.core.ledger import EntryState, PageFacts
from holdfast.core.mirror_plan import NamePlan, sidecar_of
from holdfast.core.redaction import redacted, shown
from holdfast.core.shown_text import harmless, harmless_lines
from holdfast.formats.http_date import timestamp
from holdfast.formats.sidecar import LastFetch, PageWords, Sidecar, write_sidecar

__all__ = [
    "FAILED",
    "PLACEHOLDERS",
    "SKIPPED",
    "failed_placeholder",
    "page_of",
    "skipped_placeholder",
]

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
    if order.settings.files.sidecar != "json":
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
