"""The JSON form of a library value: what its command prints with `--json`."""

from __future__ import annotations

from typing import Any

from holdfast.core.errors import UsageError
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
    "Reprocessed": "reprocess",
    "RunChanges": "digest",
    "RunList": "runs",
    "SearchResults": "search",
    "StateAdopted": "db-adopt",
    "SiteBroken": "site-broken",
    "StateBackup": "db-backup",
    "LedgerCopy": "db-copy",
    "TrackResult": "track",
    "VerifyReport": "verify",
    "WarcImport": "import-warc",
}


def to_json(value: object) -> dict[str, Any]:
    """A value as the JSON document that its command prints, ready for `json.dumps`.

    Example:
        import json

        print(json.dumps(holdfast.to_json(holdfast.broken()), indent=2))
    """
    name = _SCHEMAS.get(type(value).__name__)
    if name is None:
        raise UsageError(
            f"a {type(value).__name__} has no JSON form", hint=f"these have: {', '.join(_SCHEMAS)}"
        )
    return schema_of(name).encode(value)
