"""What the jobs need of the outside world, as protocols. Adapters implement them; jobs know nothing else.

    Fetcher    a URL and its conditions in, an Outcome out
    Distiller  a capture in, the gist of its page out, wherever the work is done
    Archive    what was seen: captures kept whole, read back at their reference
    Ledger     what is known, in ten parts, each a port: RunLedger, FrontierLedger, PageLedger,
               HistoryLedger, SectionLedger, ArchiveLedger, CitationLedger, ForgettingLedger,
               OutboxLedger, JoinLedger
    SearchIndex  sections by their words; rebuildable
    Scribe     the one owner of ledger and archive: asked, and handed what was found out
    Keeper     the same where one thing happens at a time
    Messenger  a message to a target in, what went wrong out (`ports.messenger`)
    Mirror     the folder of Markdown: a checkout that can be rebuilt
    Documents  the user's own files, and the manifests beside them
    Clock      the time, and sleep
    Observer   who is told what happens

Each has an in-memory implementation in `adapters/memory`, which ships with the package.
"""

from holdfast.ports.documents import DocumentFile, Documents, GivenDocument, UnusedIgnore
from holdfast.ports.forgetting import ForgettingLedger, MovedCaptures, Rewrite
from holdfast.ports.ledger import (
    ArchiveLedger,
    CitationLedger,
    FrontierLedger,
    HistoryLedger,
    JoinLedger,
    Ledger,
    OutboxLedger,
    PageLedger,
    RunLedger,
    SectionLedger,
)
from holdfast.ports.outside import (
    Admit,
    Archive,
    Clock,
    Distiller,
    Event,
    Fetcher,
    FetchRequest,
    Mirror,
    Observer,
    Undistilled,
)
from holdfast.ports.scribe import Batching, Journal, Keeper, Recordable, Scribe
from holdfast.ports.search import SearchIndex

__all__ = [
    "Admit",
    "Archive",
    "ArchiveLedger",
    "Batching",
    "CitationLedger",
    "Clock",
    "Distiller",
    "DocumentFile",
    "Documents",
    "Event",
    "FetchRequest",
    "Fetcher",
    "ForgettingLedger",
    "FrontierLedger",
    "GivenDocument",
    "HistoryLedger",
    "JoinLedger",
    "Journal",
    "Keeper",
    "Ledger",
    "Mirror",
    "MovedCaptures",
    "Observer",
    "OutboxLedger",
    "PageLedger",
    "Recordable",
    "Rewrite",
    "RunLedger",
    "Scribe",
    "SearchIndex",
    "SectionLedger",
    "Undistilled",
    "UnusedIgnore",
]
