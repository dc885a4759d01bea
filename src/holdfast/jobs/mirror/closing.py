"""The end of a start: manifest and index from the ledger, the run's status or its seal, a summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.ledger import RunStatus, StoredPage
from holdfast.core.lineage import Run
from holdfast.core.mirror_plan import LAYOUT_VERSION
from holdfast.formats.mirror_index import INDEX, index_row, write_index
from holdfast.formats.mirror_manifest import MANIFEST, MirrorHead, PageEntry, write_manifest
from holdfast.jobs.mirror.crawl import Ending
from holdfast.jobs.mirror.opening import Opened
from holdfast.jobs.mirror.pages import shown, timestamp
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.tools import Tools

__all__ = ["Summary", "close_run", "write_first_manifest"]


@dataclass(frozen=True, slots=True)
class Summary:
    """What one start of a mirror came to."""

    run_id: str
    status: str
    resumed: bool
    pages: int
    processed: int
    total: int
    seconds: float
    outcomes: dict[str, int]
    refused: dict[str, int]
    warnings: dict[str, int]
    changes: dict[str, int]
    seal: str | None = None
    abort: str | None = None
    partial_discovery: bool = False
    follows_links: bool = False
    troubles: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """How many pages failed or could not be written."""
        return self.outcomes.get("failed", 0) + self.outcomes.get("not written", 0)


def close_run(
    tools: Tools, opened: Opened, ending: Ending, seconds: float, *, in_a_hurry: bool = False
) -> Summary:
    """End the run or note where it stands, and, unless in a hurry, write what describes the mirror."""
    state, ledger = opened.state, tools.ledger
    counts = _counts(state, discovered=state.is_discovered)
    seal = None
    if ending is Ending.FINISHED:
        seal = ledger.end_run(state.run_id, tools.clock.now(), counts)
    else:
        status = RunStatus.INTERRUPTED if ending is Ending.INTERRUPTED else RunStatus.STOPPED
        ledger.update_run(state.run_id, status, tools.clock.now(), counts)
    summary = Summary(
        run_id=state.run_id,
        status=str(ending),
        resumed=opened.resumed,
        pages=state.pages,
        processed=state.processed,
        total=max(state.total, state.processed),
        seconds=seconds,
        outcomes=_kept(dict(state.outcomes)),
        refused=_kept(dict(state.refused)),
        warnings=_kept(dict(state.warnings)),
        changes=_kept(dict(state.changes)),
        seal=seal,
        abort=state.abort,
        partial_discovery=state.partial_discovery,
        follows_links=state.follow,
        troubles=tuple(state.troubles),
    )
    if not in_a_hurry and (state.fresh or opened.resumed or opened.manifest_is_missing):
        _write_manifest(tools, state, opened.run, summary)
        _write_index(tools, state.order.label)
    return summary


def write_first_manifest(tools: Tools, opened: Opened) -> None:
    """Fix layout and scheme on disk before the first page is there."""
    crawl = {"run_id": opened.run.run_id, "status": "running"}
    pieces = write_manifest(
        _head(tools, opened.state), _pages(tools, opened.state), crawl, _times(tools, opened.state)
    )
    tools.folder.write(MANIFEST, pieces)


def _write_manifest(tools: Tools, state: CrawlState, run: Run, summary: Summary) -> None:
    crawl: dict[str, Any] = {
        "run_id": run.run_id,
        "status": summary.status,
        "software": state.order.software,
        "sources": [shown(source.name) for source in state.order.sources],
        "discovery": "links" if state.follow else "lists",
        "started_at": timestamp(run.started_at),
        "updated_at": timestamp(tools.clock.now()),
        "elapsed_sec": round(summary.seconds, 3),
        "processed": summary.processed,
        "total": summary.total,
        "outcomes": summary.outcomes,
        "refused": summary.refused,
        "warnings": summary.warnings,
        "seal": summary.seal,
    }
    pieces = write_manifest(_head(tools, state), _pages(tools, state), crawl, _times(tools, state))
    tools.folder.write(MANIFEST, pieces)


def _head(tools: Tools, state: CrawlState) -> MirrorHead:
    names = state.names
    version = next((page.facts.markdown_version for page in tools.ledger.pages(state.order.label)), "")
    return MirrorHead(
        layout=str(names.layout),
        layout_version=LAYOUT_VERSION,
        scheme=names.scheme,
        normalization_version=str(state.order.standard.recipe),
        markdown_version=version,
    )


def _pages(tools: Tools, state: CrawlState) -> Iterator[PageEntry]:
    for page in _present(tools, state.order.label):
        facts = page.facts
        yield PageEntry(
            url=shown(page.place.url) if "?" in page.place.url else page.place.url,
            path=facts.path,
            size=facts.size,
            file_sha256=facts.file_sha256,
            content_sha256=page.content_sha256,
            warnings=facts.warnings,
            collided=page.place.key in facts.path and facts.path != _plain_name(state, page),
        )


def _plain_name(state: CrawlState, page: StoredPage) -> str:
    return state.names.name(CanonicalUrl(page.place.url, state.order.standard.policy.component))


def _times(tools: Tools, state: CrawlState) -> Iterator[tuple[str, str]]:
    for page in _present(tools, state.order.label):
        yield page.facts.path, timestamp(page.fetched_at)


def _write_index(tools: Tools, label: str) -> None:
    pages = _present(tools, label)
    rows = [index_row(page.place.url, page.facts.path, page.facts.title) for page in pages]
    rows.sort()
    tools.folder.write(INDEX, write_index(rows))


def _present(tools: Tools, label: str) -> Iterator[StoredPage]:
    return tools.ledger.pages(label)


def _counts(state: CrawlState, *, discovered: bool) -> dict[str, int]:
    found = {f"refused: {reason}": count for reason, count in state.refused.items()}
    return {
        **_kept(dict(state.outcomes)),
        **found,
        "pages": state.pages,
        "processed": state.processed,
        "discovered": int(discovered),
        "follow": int(state.follow),
    }


def _kept(counts: dict[str, int]) -> dict[str, int]:
    return {word: count for word, count in sorted(counts.items()) if count}
