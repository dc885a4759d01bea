"""Holdfast gives web content a fixed identity.

It mirrors sites to Markdown, keeps every version of every page with its lineage, and tells which of
your documents cite a page that changed or died. Tool and library are twins: what `holdfast broken` prints,
`holdfast.broken()` returns, and `await holdfast.aio.broken()` where an event loop runs.

Names are imported when they are first asked for, so that `import holdfast` costs nothing. The lists below are
the only ones: `__all__`, the stub that type checkers read (`__init__.pyi`) and the reference are made of
them.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it: `typing` itself takes longer than all of this
if TYPE_CHECKING:
    from typing import Any, Final

__version__ = "0.1.0"

_NAMES: Final = {
    "adapters.ports": "Event Observer",
    "core.base.difference": "Drift Hunk Piece",
    "core.base.errors": (
        "ArchiveError ConfigError ConsentError FailedError FormatError HoldfastError LedgerError "
        "LockedError MirrorError NoSpaceError NotKeptError RefusedError UsageError VersionError"
    ),
    "core.base.hashing": "ContentHash UrlKey content_hash url_key",
    "core.crawl.decision": "Ending",
    "core.crawl.updates": "Fate Happening UpdateReport",
    "core.events.happenings": "ChangedSection Occurrence PageChange",
    "core.events.messages": "NoticeList",
    "core.findings.report": "FindingKey FindingPlace Report ReportFinding Suggestion SuggestionKind",
    "core.findings.rule_codes": "Level RuleCode",
    "core.lineage.event_kind": (
        "ChangeDetail Deliveries Delivery EventKind Notice NoticesDropped SectionVerdict"
    ),
    "core.lineage.frontier_note": "EntryNote",
    "core.lineage.ledger_values": (
        "Alias AliasReason Brought EntryState FrontierEntry LeftPage NamedAlias Observation Purged "
        "Relations Tombstone"
    ),
    "core.lineage.lineage": (
        "CaptureRecord Edge EdgeKind Item Job RecordRef Run RunRecord RunStatus RunTally"
    ),
    "core.lineage.shared_jobs": "JobList JobState QueuedJob",
    "core.lineage.versions": "PageVersion",
    "core.links.citation": "Backlink Citation CitedPlace KeptEvidence LedgerEvent Notes",
    "core.links.link_state": "LinkState Looks Standing",
    "core.links.mendable": "Declined FixKind Mended",
    "core.page.corpus": "ExportRecord ExportUnit ExportedPage RecordChange",
    "core.page.fragment": "Section",
    "core.page.page": (
        "ConvertedPage Heading Link LinkKind Mention Page PageHead PageKind PageStructure PageWarning Span"
    ),
    "core.page.search_terms": "Snippet",
    "core.page.section": "KeptSection PageSection SectionChange SectionKind SectionMove",
    "core.settings.identity": "Identity",
    "core.settings.receivers": "Target",
    "core.settings.resolve": "Settings",
    "core.url.canonical": "CanonicalUrl Explained explain",
    "core.url.compiled": "canonicalize canonicalize_all",
    "core.url.layout": "Layout",
    "core.url.name_plan": "NamePlan",
    "core.url.policy": "Component DOCS Policy Recipe SITE Version WEB policy",
    "core.url.url": "Place Refusal Refused Url parse_url",
    "core.web.capture": (
        "Capture Deferred Denial Denied Failed Failure Fetched Gone Hop NotModified Outcome "
        "RedirectedAway TimedOut Trail Validators Wait"
    ),
    "faces.library": "check check_plan fetch fix mirror mirror_plan reprocess restore sync",
    "faces.library.asking": (
        "backlinks broken changed export graph links open_reader pages search site_broken"
    ),
    "faces.library.given_settings": "GivenSettings",
    "faces.library.identity": "canon config convert paths urls_of",
    "faces.library.json_form": "to_json",
    "faces.library.upkeep": (
        "adopt archive_index back_up copy_ledger drop_notices forget gc "
        "import_warc list_jobs migrate_ledger notices notify pack_archive rebuild_ledger rekey_ledger "
        "remove_orphans submit"
    ),
    "jobs.check.check_result": "TrackResult",
    "jobs.check.fixed": "DocumentFix FixReport LinkFix",
    "jobs.check.planning": "Cited LinkAsk Skipped TrackPlan",
    "jobs.check.read_report": "DocumentProblem ReadReport",
    "jobs.mirror.summary": "PlannedPage Summary SummaryCounts SummaryRemarks",
    "jobs.sync.sync_result": "Synced SyncedPart",
    "jobs.upkeep.forget_row": "Collected Forgotten OrphansRemoved Packed",
    "jobs.upkeep.restore_row": "Moved Rebuilt Reprocessed",
    "jobs.upkeep.store_commands": (
        "LedgerCopy LedgerMigration LedgerRebuilt LedgerRekeyed StateAdopted StateBackup WarcImport"
    ),
    "questions.link_graph": "DocumentNode Graph Relation UrlNode",
    "questions.links": (
        "Backlinks Broken Changed CitedUrl DocumentLink DocumentLinks LinkingPage SiteBroken SiteTarget"
    ),
    "questions.log.compare": "ComparedRow ComparedSection PageDiff",
    "questions.log.page_as_of": "PageAsOf",
    "questions.log.page_log": "PageHistory",
    "questions.log.runs": "MirrorPage",
    "questions.reader": "Reader",
    "questions.rows.question": "StoreAnswers StoreFailure StorePart",
    "questions.search": "SearchHit SearchResults",
    "questions.status": "MirrorOverview",
    "questions.url_forms": "CanonAnswer PathAnswer ReverseAnswer",
}
"""Which module defines which public names, besides those of the rows."""

_ROW_NAMES: Final = {
    # Rows, made by `make docs`.
    "faces.library.rows": "diff items log runs show status verify",
    "jobs.upkeep.verify_row": "Difference Repair StoreVerified",
    "questions.kept_here": "KeptDocuments KeptMirror NextCall StoreStatus",
    "questions.log.diff": "Diff",
    "questions.log.items": "ItemLineage ItemList",
    "questions.log.log": "TargetLog",
    "questions.log.run_list": "RunList",
    "questions.show": "ShownTarget",
    # End of the rows.
}
"""The functions of the rows, and the classes of their answers."""

_HOME: Final = {
    name: module for each in (_NAMES, _ROW_NAMES) for module, names in each.items() for name in names.split()
}

__all__ = sorted([*_HOME, "aio"], key=lambda name: (not name.isupper(), name))  # noqa: PLE0605 - made of the list


def __getattr__(name: str) -> Any:
    if name == "aio":
        return import_module("holdfast.aio")
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
