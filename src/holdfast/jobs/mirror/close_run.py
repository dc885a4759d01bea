"""The end of a start: the run's status or its seal, a summary, manifest and index from the ledger; images.

1. Pages that turned out to be other names of pages are joined, once all of them are there (MIR-14). While
   the crawl goes on, an index file is joined to its folder where the folder came first. Whichever came
   first, at every orderly end the set of pages is the same: of two addresses with equal content the shorter
   stays. Killed in between, the next end does what is left: alias first, then the files, then the page.
2. The images of a mirror's pages are fetched once, archived like everything else, stored by their content.
   They come after the pages, in the order of pages and links, so that they take nothing away from the
   crawl. An image that fails stays a link to the web.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from holdfast.adapters.ports import Fetcher, FetchRequest, Mirror
from holdfast.core.base.figures import timestamp
from holdfast.core.base.hashing import UrlKey, content_hash
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import join_twin
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.duplicates import shorter_name
from holdfast.core.crawl.mirror_spec import Order, places
from holdfast.core.crawl.state import CrawlPlan, CrawlState
from holdfast.core.crawl.updates import UpdateReport
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.ledger_values import Finding, PageLink, StoredPage
from holdfast.core.lineage.lineage import CrawlMarks, Run, RunStatus, RunTally, Verdict
from holdfast.core.mirror.description import MirrorStyle, held, index_pieces, manifest_pieces
from holdfast.core.mirror.index import INDEX
from holdfast.core.mirror.manifest import MANIFEST, SETTLING
from holdfast.core.mirror.page_files import asset_path
from holdfast.core.page.page import LinkKind
from holdfast.core.url.name_plan import sidecar_of
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Capture, Fetched
from holdfast.jobs.mirror.discovery import named_urls
from holdfast.jobs.mirror.summary import Summary, SummaryCounts, SummaryRemarks
from holdfast.storage.store_ports import Archive, Batching, Journal

if TYPE_CHECKING:
    from holdfast.jobs.mirror.opening import Opened
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop
    from holdfast.storage.ledger.ledger import Ledger


_STATUSES: Final = {
    Ending.INTERRUPTED: RunStatus.INTERRUPTED,
    Ending.MAX_PAGES: RunStatus.STOPPED,
    Ending.ABORTED: RunStatus.FAILED,
    Ending.NO_SPACE: RunStatus.FAILED,
}
_TROUBLES: Final = {
    Ending.ABORTED: "it ended at the first failure",
    Ending.NO_SPACE: "the disk is too full",
}


def close_run(
    ledger: Ledger,
    session: Session,
    folder: Mirror,
    opened: Opened,
    ending: Ending,
    seconds: float,
    update: UpdateReport | None,
) -> Summary:
    """End the run or note where it stands."""
    state, run_id = opened.state, opened.run.run_id
    if state.plan.order.settings.dedupe and not state.is_quiet:
        joined = join_twins(ledger, folder, state.plan, session.clock.now())
        state.counts.joined(joined)
    tally = _tally(state)
    seal = None
    if ending is Ending.FINISHED or (ending is Ending.MAX_PAGES and state.plan.order.settings.update):
        seal = ledger.runs.end_run(run_id, session.clock.now(), tally)
    else:
        trouble = state.progress.abort or _TROUBLES.get(ending, "")
        ledger.runs.update_run(run_id, _STATUSES[ending], session.clock.now(), tally, trouble)
    return _summary(opened, ending, seconds, seal, update)


def describe_mirror(
    ledger: Ledger, session: Session, folder: Mirror, opened: Opened, summary: Summary
) -> None:
    """Write what describes the mirror, unless it is told already; the manifest last: it says that all of it
    is there.
    """
    state = opened.state
    order = state.plan.order
    is_told = not (opened.resumed or opened.manifest_is_missing or order.is_remade or order.is_rescoped)
    if state.is_quiet and is_told:
        return
    pages = held(lambda: ledger.pages.by_path(state.plan.order.label))
    folder.write(INDEX, index_pieces(pages, folder.rows()))
    aliases = ledger.pages.aliases(state.plan.order.label)
    crawl = _crawl(session, state, opened.run, summary)
    folder.write(MANIFEST, manifest_pieces(pages, _style(state), crawl, aliases))


def _summary(
    opened: Opened, ending: Ending, seconds: float, seal: str | None, update: UpdateReport | None
) -> Summary:
    state = opened.state
    return Summary(
        run_id=opened.run.run_id,
        status=ending,
        resumed=opened.resumed,
        pages=state.counts.pages,
        processed=state.progress.processed,
        total=max(state.progress.total, state.progress.processed),
        seconds=seconds,
        counts=SummaryCounts(
            outcomes=_kept(dict(state.counts.outcomes)),
            refused=_kept(dict(state.counts.refused)),
            warnings=_kept(dict(state.counts.warnings)),
            changes=_kept(dict(state.counts.changes)),
        ),
        remarks=SummaryRemarks(
            abort=state.progress.abort,
            partial_discovery=state.progress.is_partial,
            is_quiet=state.is_quiet,
            troubles=tuple(state.counts.troubles),
            hints=tuple(state.counts.hints),
            too_large=tuple(state.counts.too_large),
            max_page_bytes=state.rules.options.max_bytes,
        ),
        seal=seal,
        update=update,
    )


def write_first_manifest(ledger: Ledger, folder: Mirror, opened: Opened) -> None:
    """Fix layout, scheme and options on disk before the first page is there; files that were made with other
    options are to be made anew, whatever becomes of this start.
    """
    order = opened.state.plan.order
    crawl: dict[str, Any] = {"run_id": opened.run.run_id, "status": "running", **_remembered(order)}
    if order.is_remade:
        crawl[SETTLING] = True
    pages = held(lambda: ledger.pages.by_path(opened.state.plan.order.label))
    aliases = ledger.pages.aliases(opened.state.plan.order.label)
    folder.write(MANIFEST, manifest_pieces(pages, _style(opened.state), crawl, aliases))


def _crawl(session: Session, state: CrawlState, run: Run, summary: Summary) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "status": summary.status,
        "software": state.plan.order.software,
        **_remembered(state.plan.order),
        "discovery": "links" if state.progress.follow else "lists",
        "started_at": timestamp(run.started_at),
        "updated_at": timestamp(session.clock.now()),
        "elapsed_sec": round(summary.seconds, 3),
        "processed": summary.processed,
        "total": summary.total,
        "outcomes": dict(summary.outcomes),
        "refused": dict(summary.refused),
        "warnings": dict(summary.warnings),
        "seal": summary.seal,
        **({SETTLING: True} if state.plan.order.is_settled_at_the_end else {}),
    }


def _remembered(order: Order) -> dict[str, Any]:
    """What the next run goes on with."""
    return {"sources": order.shown_sources, **({"settings": order.remembers} if order.remembers else {})}


def _style(state: CrawlState) -> MirrorStyle:
    return MirrorStyle.of(state.plan.names.layout, state.plan.names.scheme, state.plan.order)


def _tally(state: CrawlState) -> RunTally:
    refused = {f"refused: {reason}": count for reason, count in state.counts.refused.items()}
    counts = {
        **_kept(dict(state.counts.outcomes)),
        **refused,
        "pages": state.counts.pages,
        "processed": state.progress.processed,
    }
    marks = CrawlMarks(
        is_discovered=state.progress.is_discovered,
        follows=state.progress.follow,
        is_update=state.plan.order.settings.update,
        is_quiet=state.is_quiet,
    )
    return RunTally(counts, marks)


def _kept(counts: dict[str, int]) -> dict[str, int]:
    return {word: count for word, count in sorted(counts.items()) if count}


def join_twins(ledger: Ledger, folder: Mirror, plan: CrawlPlan, at: datetime) -> int:
    """Make each page whose shorter address shows the same an alias of that; how many there were."""
    found = list(_twins(ledger, plan))
    if not found:
        return 0
    ledger.commit(plan.run_id, [join_twin(page.place, target.place) for page, target in found], at)
    for page, _ in found:
        folder.remove(page.facts.path)
        folder.remove(sidecar_of(page.facts.path))
    ledger.pages.drop_pages(plan.order.label, [page.place.key for page, _ in found], at)
    return len(found)


def _twins(ledger: Ledger, plan: CrawlPlan) -> Iterator[tuple[StoredPage, StoredPage]]:
    """Pages with the page of their shorter address."""
    label, place_at = plan.order.label, places(plan.order.standard)
    for _, url in ledger.pages.paths(label):
        if (name := shorter_name(url)) is None:
            continue
        place, target = place_at(url), place_at(name)
        if place is None or target is None or place.key == target.key:
            continue
        pages = ledger.pages.pages_of(label, [place.key, target.key])
        page, shorter = pages.get(place.key), pages.get(target.key)
        if page and shorter and page.content_sha256 == shorter.content_sha256:
            yield page, shorter


GROUP: Final = 16


async def fetch_assets(
    session: Session, fetcher: Fetcher, folder: Mirror, state: CrawlState, stop: Stop
) -> None:
    """Fetch every image that a page shows and the archive has not."""
    named = frozenset(url.origin for url, _ in named_urls(state.plan.order))
    wanted = await session.scribe.ask(lambda ledger, _: list(_wanted(ledger, state.plan.order)))
    journal: Journal[_Image] = session.scribe.journal(
        state.plan.run_id, Batching(most=GROUP), partial(_put, folder), partial(_done, session, state)
    )
    for start in range(0, len(wanted), GROUP):
        if stop.soon:
            return
        group = wanted[start : start + GROUP]
        asked = (
            fetcher.fetch(FetchRequest(url, accept="image/*", named_by_user=url.origin in named))
            for _, url in group
        )
        outcomes = await asyncio.gather(*asked)
        found = [
            (link, outcome.capture)
            for (link, _), outcome in zip(group, outcomes, strict=True)
            if isinstance(outcome, Fetched)
        ]
        images = [image for link, capture in found if (image := _image(link, capture))]
        for image in images:
            await journal.submit(image)
        await journal.flush()
        state.counts.images(fetched=len(images), failed=len(group) - len(images))


@dataclass(frozen=True, slots=True)
class _Image:
    """An image to keep, and where it lies."""

    response: Response
    path: str
    finding: Finding = field(default_factory=Finding)
    beside: None = None

    @property
    def weight(self) -> int:
        return len(self.response.capture.body)


def _wanted(ledger: Ledger, order: Order) -> Iterator[tuple[PageLink, Url]]:
    """The images that pages show and the archive has not: no run fetched them, or they were lost since."""
    label, lost = order.label, ledger.archived.lost()
    seen: set[UrlKey] = set()
    for page in ledger.pages.by_path(label):
        for link in ledger.history.links_of(order.standard.recipe, page.place.key):
            if link.kind is not LinkKind.IMAGE or link.target.key in seen:
                continue
            seen.add(link.target.key)
            url = parse_url(link.href)
            known = ledger.history.last_capture(label, link.target.key)
            is_kept = known is not None and known.ref is not None and known.capture_id not in lost
            if isinstance(url, Url) and not is_kept:
                yield link, url


def _image(link: PageLink, capture: Capture) -> _Image | None:
    path = asset_path(content_hash(capture.body), capture.content_type) if capture.body else None
    return _Image(Response(capture, link.target), path) if path else None


def _put(folder: Mirror, _: Ledger, __: Archive, images: Sequence[_Image]) -> dict[str, str]:
    return folder.write_all({image.path: image.response.capture.body for image in images})


def _done(
    session: Session,
    state: CrawlState,
    _: Sequence[_Image],
    __: Sequence[Verdict | None],
    refused: dict[str, str],
) -> None:
    """The images are counted by whoever asked for them; those that the folder did not take are told."""
    for path, reason in refused.items():
        state.counts.not_written(path, reason)
        session.warn(f"{path} was not written: {reason}")
