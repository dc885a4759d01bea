"""Holdfast gives web content a fixed identity.

It mirrors sites to Markdown, keeps every version of every page with its lineage, and tells which of
your documents cite a page that changed or died. Tool and library are twins: what `holdfast broken` prints,
`holdfast.broken()` returns, and `await holdfast.aio.broken()` where an event loop runs.

Names are imported when they are first asked for, so that `import holdfast` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

__version__ = "0.1.0"

if TYPE_CHECKING:
    from holdfast import aio
    from holdfast.core.answers.changes import ChangedSection, PageChange, PageDiff, RunChanges, SectionChanges
    from holdfast.core.answers.citations import (
        Backlinks,
        Broken,
        Changed,
        CitedUrl,
        DocumentLink,
        DocumentLinks,
    )
    from holdfast.core.answers.events import MirrorChanges, Occurrence
    from holdfast.core.answers.history import ItemLineage, Lineage, PageAsOf, PageHistory
    from holdfast.core.answers.identity import PathAnswer
    from holdfast.core.answers.mirroring import Summary, SummaryCounts, SummaryRemarks
    from holdfast.core.answers.mirrors import MirrorOverview, MirrorPage, RunList
    from holdfast.core.answers.pages import ConvertedPage
    from holdfast.core.answers.remaking import Rebuilt, Reprocessed
    from holdfast.core.answers.search import SearchHit, SearchResults, Snippet
    from holdfast.core.answers.site_links import SiteBroken, SiteTarget
    from holdfast.core.answers.upkeep import (
        ArchiveCheck,
        Difference,
        LedgerCheck,
        LedgerCopy,
        LedgerMigration,
        LedgerRebuilt,
        LedgerRekeyed,
        StateAdopted,
        StateBackup,
        VerifyReport,
        WarcImport,
    )
    from holdfast.core.canonical import CanonicalUrl, Explained, explain
    from holdfast.core.canonical_batch import canonicalize_all
    from holdfast.core.canonical_fast import canonicalize
    from holdfast.core.capture import (
        Capture,
        Deferred,
        Denied,
        Failed,
        Fetched,
        Gone,
        NotModified,
        Outcome,
        RedirectedAway,
        TimedOut,
    )
    from holdfast.core.errors import (
        ArchiveError,
        ConfigError,
        ConsentError,
        FailedError,
        FormatError,
        HoldfastError,
        LedgerError,
        LockedError,
        MirrorError,
        NoSpaceError,
        RefusedError,
        UsageError,
        VersionError,
    )
    from holdfast.core.event_kind import EventKind
    from holdfast.core.export import ExportedPage, ExportRecord, ExportUnit, RecordChange
    from holdfast.core.hashing import ContentHash, UrlKey, content_hash, url_key
    from holdfast.core.job import JobList, JobState, QueuedJob
    from holdfast.core.link_state import LinkState, Standing
    from holdfast.core.mirror_plan import Layout, NamePlan
    from holdfast.core.notify.message import NoticeList
    from holdfast.core.notify.notice import Deliveries, Delivery, Notice
    from holdfast.core.notify.target import Target
    from holdfast.core.page import Page, PageHead, PageStructure
    from holdfast.core.policy import DOCS, SITE, WEB, Policy, policy
    from holdfast.core.recipe import Recipe
    from holdfast.core.refusal import Refused
    from holdfast.core.section_moves import SectionChange, SectionMove
    from holdfast.core.settings.resolve import Settings
    from holdfast.core.url import Url, parse_url
    from holdfast.core.versions import PageVersion
    from holdfast.faces.library import (
        adopt,
        archive_index,
        back_up,
        backlinks,
        broken,
        changed,
        changes,
        check_archive,
        check_ledger,
        config,
        convert,
        copy_ledger,
        diff,
        export,
        fetch,
        fix,
        forget,
        gc,
        graph,
        history,
        import_warc,
        lineage,
        links,
        list_jobs,
        migrate_ledger,
        mirror,
        mirror_plan,
        notices,
        notify,
        open_reader,
        pages,
        paths,
        rebuild,
        rebuild_ledger,
        rekey_ledger,
        reprocess,
        run_changes,
        runs,
        search,
        section_changes,
        show,
        site_broken,
        submit,
        track,
        verify,
    )
    from holdfast.faces.library.given_settings import GivenSettings
    from holdfast.faces.library.json_form import to_json
    from holdfast.formats.graph import Graph
    from holdfast.jobs.fix import FixReport
    from holdfast.jobs.forgetting import Collected, Forgotten
    from holdfast.ports.outside import Event, Observer
    from holdfast.questions.reader import Reader
    from holdfast.questions.track.result import TrackResult

__all__ = [
    "DOCS",
    "SITE",
    "WEB",
    "ArchiveCheck",
    "ArchiveError",
    "Backlinks",
    "Broken",
    "CanonicalUrl",
    "Capture",
    "Changed",
    "ChangedSection",
    "CitedUrl",
    "Collected",
    "ConfigError",
    "ConsentError",
    "ContentHash",
    "ConvertedPage",
    "Deferred",
    "Deliveries",
    "Delivery",
    "Denied",
    "Difference",
    "DocumentLink",
    "DocumentLinks",
    "Event",
    "EventKind",
    "Explained",
    "ExportRecord",
    "ExportUnit",
    "ExportedPage",
    "Failed",
    "FailedError",
    "Fetched",
    "FixReport",
    "Forgotten",
    "FormatError",
    "GivenSettings",
    "Gone",
    "Graph",
    "HoldfastError",
    "ItemLineage",
    "JobList",
    "JobState",
    "Layout",
    "LedgerCheck",
    "LedgerCopy",
    "LedgerError",
    "LedgerMigration",
    "LedgerRebuilt",
    "LedgerRekeyed",
    "Lineage",
    "LinkState",
    "LockedError",
    "MirrorChanges",
    "MirrorError",
    "MirrorOverview",
    "MirrorPage",
    "NamePlan",
    "NoSpaceError",
    "NotModified",
    "Notice",
    "NoticeList",
    "Observer",
    "Occurrence",
    "Outcome",
    "Page",
    "PageAsOf",
    "PageChange",
    "PageDiff",
    "PageHead",
    "PageHistory",
    "PageStructure",
    "PageVersion",
    "PathAnswer",
    "Policy",
    "QueuedJob",
    "Reader",
    "Rebuilt",
    "Recipe",
    "RecordChange",
    "RedirectedAway",
    "Refused",
    "RefusedError",
    "Reprocessed",
    "RunChanges",
    "RunList",
    "SearchHit",
    "SearchResults",
    "SectionChange",
    "SectionChanges",
    "SectionMove",
    "Settings",
    "SiteBroken",
    "SiteTarget",
    "Snippet",
    "Standing",
    "StateAdopted",
    "StateBackup",
    "Summary",
    "SummaryCounts",
    "SummaryRemarks",
    "Target",
    "TimedOut",
    "TrackResult",
    "Url",
    "UrlKey",
    "UsageError",
    "VerifyReport",
    "VersionError",
    "WarcImport",
    "adopt",
    "aio",
    "archive_index",
    "back_up",
    "backlinks",
    "broken",
    "canonicalize",
    "canonicalize_all",
    "changed",
    "changes",
    "check_archive",
    "check_ledger",
    "config",
    "content_hash",
    "convert",
    "copy_ledger",
    "diff",
    "explain",
    "export",
    "fetch",
    "fix",
    "forget",
    "gc",
    "graph",
    "history",
    "import_warc",
    "lineage",
    "links",
    "list_jobs",
    "migrate_ledger",
    "mirror",
    "mirror_plan",
    "notices",
    "notify",
    "open_reader",
    "pages",
    "parse_url",
    "paths",
    "policy",
    "rebuild",
    "rebuild_ledger",
    "rekey_ledger",
    "reprocess",
    "run_changes",
    "runs",
    "search",
    "section_changes",
    "show",
    "site_broken",
    "submit",
    "to_json",
    "track",
    "url_key",
    "verify",
]

_NAMES: Final = {
    "core.answers.changes": "ChangedSection PageChange PageDiff RunChanges SectionChanges",
    "core.answers.citations": "Backlinks Broken Changed CitedUrl DocumentLink DocumentLinks",
    "core.answers.events": "MirrorChanges Occurrence",
    "core.answers.history": "ItemLineage Lineage PageAsOf PageHistory",
    "core.answers.identity": "PathAnswer",
    "core.answers.mirroring": "Summary SummaryCounts SummaryRemarks",
    "core.answers.mirrors": "MirrorOverview MirrorPage RunList",
    "core.answers.pages": "ConvertedPage",
    "core.answers.remaking": "Rebuilt Reprocessed",
    "core.answers.search": "SearchHit SearchResults Snippet",
    "core.answers.site_links": "SiteBroken SiteTarget",
    "core.answers.upkeep": (
        "ArchiveCheck Difference LedgerCheck LedgerCopy LedgerMigration LedgerRebuilt LedgerRekeyed "
        "StateAdopted StateBackup VerifyReport WarcImport"
    ),
    "core.canonical": "CanonicalUrl Explained explain",
    "core.canonical_batch": "canonicalize_all",
    "core.canonical_fast": "canonicalize",
    "core.capture": "Capture Deferred Denied Failed Fetched Gone NotModified Outcome RedirectedAway TimedOut",
    "core.errors": (
        "ArchiveError ConfigError ConsentError FailedError FormatError HoldfastError LedgerError "
        "LockedError MirrorError NoSpaceError RefusedError UsageError VersionError"
    ),
    "core.event_kind": "EventKind",
    "core.export": "ExportRecord ExportUnit ExportedPage RecordChange",
    "core.hashing": "ContentHash UrlKey content_hash url_key",
    "core.job": "JobList JobState QueuedJob",
    "core.link_state": "LinkState Standing",
    "core.mirror_plan": "Layout NamePlan",
    "core.notify.message": "NoticeList",
    "core.notify.notice": "Deliveries Delivery Notice",
    "core.notify.target": "Target",
    "core.page": "Page PageHead PageStructure",
    "core.policy": "DOCS SITE WEB Policy policy",
    "core.recipe": "Recipe",
    "core.refusal": "Refused",
    "core.section_moves": "SectionChange SectionMove",
    "core.settings.resolve": "Settings",
    "core.url": "Url parse_url",
    "core.versions": "PageVersion",
    "faces.library": (
        "adopt archive_index back_up backlinks broken changed changes check_archive check_ledger "
        "config convert copy_ledger diff export fetch fix forget gc "
        "graph history import_warc lineage links list_jobs migrate_ledger mirror mirror_plan notices notify "
        "open_reader pages paths rebuild rebuild_ledger rekey_ledger reprocess run_changes runs "
        "search section_changes show site_broken submit track verify"
    ),
    "faces.library.given_settings": "GivenSettings",
    "faces.library.json_form": "to_json",
    "formats.graph": "Graph",
    "jobs.fix": "FixReport",
    "jobs.forgetting": "Collected Forgotten",
    "ports.outside": "Event Observer",
    "questions.reader": "Reader",
    "questions.track.result": "TrackResult",
}
"""Which module defines which public names."""

_HOME: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # a name that is not listed above is an error of type checkers, too

    def __getattr__(name: str) -> Any:
        if name == "aio":
            return import_module("holdfast.aio")
        if name not in _HOME:
            raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
        return getattr(import_module(f"holdfast.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
