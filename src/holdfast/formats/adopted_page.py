"""A page of a folder whose ledger is lost, as its manifest, its file and its sidecar tell of it.

1. A file counts only if it is what the manifest says of it, and its URL is canonical by today's standard.
   A row of the manifest that is not whole is passed over: its page is fetched again.
2. It was fetched when the manifest says, else when the sidecar says, else when the file was written.
3. The validators are those of what was taken, which need not be the page itself: then it has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from holdfast.core.capture import Capture
from holdfast.core.crawl.standard import Standard, place_of
from holdfast.core.hashing import ContentHash, content_hash
from holdfast.core.ledger import Draft, Finding, PageFacts, capture_record
from holdfast.core.url import Url, parse_url
from holdfast.formats.sidecar import read_sections, read_sidecar

__all__ = ["KeptFile", "adopted_page", "whole_rows"]

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
        return datetime.fromisoformat(str(text)).astimezone(UTC) if text else None
    except ValueError:
        return None
