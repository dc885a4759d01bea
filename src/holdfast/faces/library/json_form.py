"""The JSON form of a library value: what its command prints with `--json`."""

from __future__ import annotations

from typing import Any

from holdfast.core.capture import Outcome
from holdfast.core.errors import UsageError
from holdfast.core.url import Url, parse_url
from holdfast.formats.fetch_report import FetchTold
from holdfast.formats.schemas.catalogue import schema_of

__all__ = ["to_json"]

_SCHEMAS = {
    "ArchiveCheck": "archive-check",
    "Backlinks": "backlinks",
    "Broken": "broken",
    "Changed": "changed",
    "Collected": "gc",
    "ConvertedPage": "page",
    "Deliveries": "deliveries",
    "DocumentLinks": "links",
    "ExportRecord": "export",
    "FixReport": "fix",
    "Forgotten": "forget",
    "Graph": "graph",
    "JobList": "jobs",
    "LedgerCheck": "db-check",
    "LedgerMigration": "db-migrate",
    "LedgerRebuilt": "db-rebuild",
    "LedgerRekeyed": "db-rekey",
    "Lineage": "lineage",
    "MirrorChanges": "changes",
    "SectionChanges": "section-changes",
    "MirrorPage": "pages",
    "NoticeList": "notices",
    "PageAsOf": "show",
    "PageDiff": "diff",
    "PageHistory": "history",
    "PathAnswer": "path",
    "Rebuilt": "rebuild",
    "Reprocessed": "reprocess",
    "RunChanges": "digest",
    "RunList": "runs",
    "SearchResults": "search",
    "StateAdopted": "db-adopt",
    "SiteBroken": "site-broken",
    "StateBackup": "db-backup",
    "Summary": "mirror_summary",
    "LedgerCopy": "db-copy",
    "TrackResult": "track",
    "VerifyReport": "verify",
    "WarcImport": "import-warc",
}


def to_json(value: object, *, url: str | None = None) -> dict[str, Any]:
    """A value as the JSON document that its command prints, ready for `json.dumps`. That of an outcome names
    the `url` that was asked for; where something answered it is known.

    Example:
        import json

        print(json.dumps(holdfast.to_json(holdfast.broken()), indent=2))
    """
    if isinstance(value, Outcome):
        return schema_of("fetch").encode(FetchTold(_asked(value, url), value))
    name = _SCHEMAS.get(type(value).__name__)
    if name is None:
        raise UsageError(
            f"a {type(value).__name__} has no JSON form", hint=f"these have: {', '.join(_SCHEMAS)}"
        )
    return schema_of(name).encode(value)


def _asked(outcome: Outcome, url: str | None) -> Url:
    asked = parse_url(url) if url is not None else None
    if isinstance(asked, Url):
        return asked
    capture = getattr(outcome, "capture", None)
    if capture is None:
        raise UsageError("nothing answered, so the outcome does not name its URL", hint="give it as url=…")
    requested: Url = capture.requested
    return requested
