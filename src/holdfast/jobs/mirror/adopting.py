"""A folder whose ledger is lost: its pages are taken over, so that an update need not fetch all (MIR-11).

1. Only files that are what the manifest says of them, and only under the version they were made with.
2. A page's fetch time is the manifest's, else the sidecar's, else the file's own.
3. What was taken over has no capture in the archive: it can be compared and kept, not made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from holdfast.core.capture import sendable
from holdfast.core.crawl.standard import place_of
from holdfast.core.crawl.state import CrawlPlan
from holdfast.core.hashing import ContentHash, content_hash
from holdfast.core.ledger import Draft, Finding, PageFacts
from holdfast.core.lineage import CaptureRecord, capture_id
from holdfast.core.mirror_plan import sidecar_of
from holdfast.core.url import Url, parse_url
from holdfast.formats.sidecar import read_sections, read_sidecar
from holdfast.ports import Ledger, Mirror

__all__ = ["adopt"]


def adopt(ledger: Ledger, folder: Mirror, plan: CrawlPlan, manifest: Mapping[str, Any], at: datetime) -> int:
    """Take over what the manifest and the files bear out; how many pages that were."""
    if manifest.get("normalization_version") != str(plan.order.standard.recipe):
        return 0
    findings = list(_findings(folder, plan, manifest))
    if findings:
        ledger.commit(plan.run_id, findings, at)
    return len(findings)


def _findings(folder: Mirror, plan: CrawlPlan, manifest: Mapping[str, Any]) -> Iterator[Finding]:
    times = manifest.get("crawl", {}).get("fetched_at", {})
    version = str(manifest.get("markdown_version", ""))
    for page in manifest["pages"]:
        path, url = str(page["path"]), parse_url(str(page["url"]))
        file = folder.read(path)
        place = place_of(url, plan.order.standard) if isinstance(url, Url) else None
        if (
            file is None
            or place is None
            or place.url != page["url"]
            or content_hash(file) != page["file_sha256"]
        ):
            continue
        side = read_sidecar(folder.read(sidecar_of(path)))
        moment = _moment(times.get(path) or side.get("fetched_at")) or folder.time_of(path)
        if moment is None:
            continue
        source = str(side.get("source_url") or place.url)
        is_own = side.get("markdown_source") in (None, source)
        capture = CaptureRecord(
            capture_id=capture_id(plan.run_id, source, moment, 200, None),
            run_id=plan.run_id,
            url=source,
            place=place,
            final_url=source,
            status=200,
            fetched_at=moment,
            content_type="text/html",
            # The validators are those of what was taken, which need not be the page itself.
            etag=_validator(side, "etag") if is_own else None,
            last_modified=_validator(side, "last_modified") if is_own else None,
            payload_sha256=None,
            ref=None,
        )
        title = str(side.get("title", ""))
        full = str(side.get("full_title", title))
        warnings = tuple(map(str, page.get("warnings", ())))
        facts = PageFacts(
            path, full, page["file_sha256"], len(file), int(side.get("crawl_depth", 0)), version, warnings
        )
        content = ContentHash(page["content_sha256"])
        draft = Draft(content, title, sections=read_sections(side, place.key))
        yield Finding(capture=capture, made=draft, page=facts)


def _validator(side: Mapping[str, Any], name: str) -> str | None:
    value = side.get(name)
    return sendable(value) if isinstance(value, str) else None


def _moment(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC) if text else None
    except ValueError:
        return None
