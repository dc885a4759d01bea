"""The JSON form of a library value: what its command prints with `--json`."""

from __future__ import annotations

from typing import Any, Final

from holdfast.core.base.errors import UsageError
from holdfast.core.lineage.shared_jobs import JobList, QueuedJob
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Outcome
from holdfast.jobs.probe import FetchTold
from holdfast.questions.config import SettingsShown, without_secrets
from holdfast.questions.rows.question import StoreAnswers
from holdfast.questions.rows.table import question_named, schema_of

SCHEMAS_OF_VALUES: Final = {
    "Backlinks": "backlinks",
    "Broken": "broken",
    "Changed": "changed",
    "Collected": "gc",
    "CanonAnswer": "url-canon",
    "ConvertedPage": "page",
    "Deliveries": "notify-deliveries",
    "DocumentLinks": "links",
    "ExportRecord": "export",
    "FixReport": "fix",
    "Forgotten": "forget",
    "Graph": "graph",
    "JobList": "cluster-jobs",
    "LedgerMigration": "store-migrate",
    "LedgerRebuilt": "store-rebuild",
    "LedgerRekeyed": "store-rekey",
    "SettingsShown": "config",
    "MirrorPage": "pages",
    "NoticeList": "notify-list",
    "NoticesDropped": "notify-dropped",
    "OrphansRemoved": "gc-orphans",
    "Packed": "store-pack",
    "PathAnswer": "url-path",
    "PlannedPage": "mirror-plan",
    "Rebuilt": "restore",
    "Reprocessed": "store-reprocess",
    "ReverseAnswer": "url-path",
    "SearchResults": "search",
    "StateAdopted": "store-join",
    "SiteBroken": "site-broken",
    "StateBackup": "store-backup",
    "Synced": "sync",
    "Summary": "mirror-summary",
    "LedgerCopy": "store-copy",
    "TrackPlan": "check-plan",
    "TrackResult": "track",
    "WarcImport": "store-import",
}
"""The schema of each value, by the name of its class."""


def to_json(value: object, *, url: str | None = None) -> dict[str, Any]:
    """A value as the JSON document that its command prints, ready for `json.dumps`. That of an outcome names
    the `url` that was asked for; where something answered it is known.

    Example:
        import json

        print(json.dumps(holdfast.to_json(holdfast.broken()), indent=2))
    """
    if isinstance(value, Outcome):
        return schema_of("url-probe").encode(FetchTold(_asked(value, url), value))
    match value:
        case StoreAnswers():
            return question_named(value.question).schema().encode(value)
        case QueuedJob():
            value = JobList((value,))
        case Settings():
            value = SettingsShown(None, tuple(map(without_secrets, value.resolved)))
    name = SCHEMAS_OF_VALUES.get(type(value).__name__)
    if name is None:
        raise UsageError(
            f"a {type(value).__name__} has no JSON form", hint=f"these have: {', '.join(SCHEMAS_OF_VALUES)}"
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
