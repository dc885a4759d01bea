"""What stands for URLs that are not pages: which placeholders a mirror has, and what is in them.

A URL has one while the last run that was done with it says that it failed or was skipped. What failed is told
by the ledger alone; what was skipped by its capture. Where `gc` has dropped the capture, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.capture import Capture
from holdfast.core.crawl.endings import DONE
from holdfast.core.crawl.order import Order
from holdfast.core.errors import ArchiveError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import EntryState, FrontierEntry
from holdfast.core.lineage import CaptureRecord, Job
from holdfast.core.mirror_plan import NamePlan
from holdfast.core.values import dataclass
from holdfast.formats.mirror_files import PLACEHOLDERS, failed_placeholder, skipped_placeholder
from holdfast.ports import Archive, Ledger

__all__ = ["Placeholder", "placeholders"]

_ENDED: Final = frozenset((*DONE, EntryState.FAILED))


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A file that stands for a URL; no content where it cannot be told, no time where nobody answered."""

    path: str
    content: bytes | None
    time: datetime | None = None


def placeholders(
    ledger: Ledger, archive: Archive, order: Order, names: NamePlan, moment: datetime | None = None
) -> Iterator[Placeholder]:
    """The placeholders of a mirror, by URL; `moment`: as they were then."""
    policy = order.standard.policy.component
    for entry in sorted(_without_page(ledger, order.label, moment), key=lambda entry: entry.place.url):
        canonical, words = CanonicalUrl(entry.place.url, policy), entry.note.words
        if entry.state is EntryState.FAILED:
            yield Placeholder(*failed_placeholder(names, canonical, entry.fetch_url, words))
            continue
        record = ledger.history.last_capture(order.label, entry.place.key)
        content = None
        if record is not None and (capture := _read(archive, record)):
            _, content = skipped_placeholder(names, canonical, capture, words)
        path = names.placeholder(canonical, PLACEHOLDERS[entry.state])
        yield Placeholder(path, content, record.fetched_at if record else None)


def _without_page(ledger: Ledger, label: str, moment: datetime | None) -> Iterator[FrontierEntry]:
    """The entries whose URL failed or was skipped the last time that a run was done with it."""
    seen: set[UrlKey] = set()
    later: list[str] = []
    for record in ledger.runs.latest_first(label=label, job=Job.MIRROR):
        if moment is not None and (record.ended_at or record.updated_at) > moment:
            continue
        run_id = record.run.run_id
        for entry in ledger.frontier.entries(run_id, PLACEHOLDERS):
            if entry.place.key not in seen and not _is_over(ledger, later, entry.place.key):
                seen.add(entry.place.key)
                yield entry
        later.append(run_id)


def _is_over(ledger: Ledger, runs: list[str], key: UrlKey) -> bool:
    """Whether a later run came to an end with a URL."""
    entries = (ledger.frontier.entry(run_id, key) for run_id in runs)
    return any(entry is not None and entry.state in _ENDED for entry in entries)


def _read(archive: Archive, record: CaptureRecord) -> Capture | None:
    try:
        return archive.read(record.ref) if record.ref else None
    except ArchiveError:
        return None
