"""Holdfast gives web content a fixed identity.

It mirrors sites to Markdown, keeps every version of every page with its lineage, and tells which of
your documents cite a page that changed or died. Tool and library are twins: what `holdfast broken` prints,
`holdfast.broken()` returns, and `await holdfast.aio.broken()` where an event loop runs.

Names are imported when they are first asked for, so that `import holdfast` costs nothing. The list below is
the only one: `__all__`, the stub that type checkers read (`__init__.pyi`) and the reference are made of it.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as type checkers know it: `typing` itself takes longer than all of this
if TYPE_CHECKING:
    from typing import Any, Final

__version__ = "0.1.0"

_NAMES: Final = {
    "core.answers.changes": "ChangedSection PageChange PageDiff RunChanges SectionChanges",
    "core.answers.citations": "Backlinks Broken Changed CitedUrl DocumentLink DocumentLinks",
    "core.answers.events": "MirrorChanges Occurrence",
    "core.answers.fixing": "DocumentFix FixReport LinkFix",
    "core.answers.forgetting": "Collected Forgotten Packed Repaired",
    "core.answers.history": "ItemLineage Lineage PageAsOf PageHistory",
    "core.answers.identity": "CanonAnswer PathAnswer ReverseAnswer",
    "core.answers.mirroring": "PlannedPage Summary SummaryCounts SummaryRemarks",
    "core.answers.mirrors": "MirrorOverview MirrorPage RunList",
    "core.answers.pages": "ConvertedPage",
    "core.answers.remaking": "Moved Rebuilt Reprocessed",
    "core.answers.search": "SearchHit SearchResults Snippet",
    "core.answers.site_links": "LinkingPage SiteBroken SiteTarget",
    "core.answers.upkeep": (
        "ArchiveCheck Difference LedgerCheck LedgerCopy LedgerMigration LedgerRebuilt LedgerRekeyed "
        "OrphansRemoved StateAdopted StateBackup VerifyReport WarcImport"
    ),
    "core.canonical": "CanonicalUrl Explained explain",
    "core.canonical_batch": "canonicalize_all",
    "core.canonical_fast": "canonicalize",
    "core.capture": (
        "Capture Deferred Denial Denied Failed Failure Fetched Gone Hop NotModified Outcome "
        "RedirectedAway TimedOut Trail Validators Wait"
    ),
    "core.change_detail": "ChangeDetail SectionVerdict",
    "core.citation": "Backlink Citation CitedPlace LedgerEvent Notes",
    "core.crawl.ending": "Ending",
    "core.drift": "Drift",
    "core.errors": (
        "ArchiveError ConfigError ConsentError FailedError FormatError HoldfastError LedgerError "
        "LockedError MirrorError NoSpaceError RefusedError UsageError VersionError"
    ),
    "core.event_kind": "EventKind",
    "core.export": "ExportedPage ExportRecord ExportUnit RecordChange",
    "core.fixes": "Declined FixKind Mended",
    "core.fragment": "Section",
    "core.hashing": "ContentHash UrlKey content_hash url_key",
    "core.identity": "Identity",
    "core.job": "JobList JobState QueuedJob",
    "core.kept_evidence": "KeptEvidence",
    "core.ledger": (
        "Alias AliasReason Brought LeftPage NamedAlias Observation Purged Relations RunRecord RunStatus "
        "Tombstone"
    ),
    "core.lineage": "CaptureRecord Edge EdgeKind Item Job RecordRef Run",
    "core.link_state": "LinkState Looks Standing",
    "core.mirror_plan": "Layout NamePlan",
    "core.notify.message": "NoticeList",
    "core.notify.notice": "Deliveries Delivery Notice NoticesDropped",
    "core.notify.target": "Target",
    "core.page": "Heading Link LinkKind Mention Page PageHead PageKind PageStructure PageWarning Span",
    "core.place": "Place",
    "core.policy": "DOCS SITE WEB Policy policy",
    "core.recipe": "Component Recipe Version",
    "core.refusal": "Refusal Refused",
    "core.report": "FindingKey FindingPlace Report ReportFinding Suggestion SuggestionKind",
    "core.rule_codes": "Level RuleCode",
    "core.run_tally": "RunTally",
    "core.section": "KeptSection PageSection SectionKind",
    "core.section_moves": "SectionChange SectionMove",
    "core.settings.resolve": "Settings",
    "core.text_diff": "Hunk",
    "core.update_report": "Fate Happening UpdateReport",
    "core.url": "Url parse_url",
    "core.versions": "PageVersion",
    "faces.library": "fetch fix mirror mirror_plan rebuild reprocess track track_plan verify",
    "faces.library.asking": (
        "backlinks broken changed changes diff export graph history lineage links open_reader pages "
        "run_changes runs search section_changes show site_broken"
    ),
    "faces.library.given_settings": "GivenSettings",
    "faces.library.identity": "canon config convert paths urls_of",
    "faces.library.json_form": "to_json",
    "faces.library.upkeep": (
        "adopt archive_index back_up check_archive check_ledger copy_ledger drop_notices forget gc "
        "import_warc list_jobs migrate_ledger notices notify pack_archive rebuild_ledger rekey_ledger "
        "remove_orphans repair_archive submit"
    ),
    "formats.graph": "DocumentNode Graph Relation UrlNode",
    "ports.outside": "Event Observer",
    "questions.reader": "Reader",
    "questions.track.planning": "Cited LinkAsk Skipped TrackPlan",
    "questions.track.read_report": "DocumentProblem ReadReport",
    "questions.track.result": "TrackResult",
}
"""Which module defines which public names."""

_HOME: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_HOME, "aio"], key=lambda name: (not name.isupper(), name))  # noqa: PLE0605 - made of the list


def __getattr__(name: str) -> Any:
    if name == "aio":
        return import_module("holdfast.aio")
    if name not in _HOME:
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
    return getattr(import_module(f"holdfast.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
