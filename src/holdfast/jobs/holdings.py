"""Which pages a mirror holds, or held, and the capture that each file is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import AliasReason, Observation, PageFacts, Place, RunRecord, RunStatus, StoredPage
from holdfast.core.lineage import CaptureRecord, Job
from holdfast.ports import Ledger

__all__ = ["Holding", "holdings", "holdings_at", "present_form"]


def present_form(ledger: Ledger, label: str) -> Callable[[str], str]:
    """A URL of a mirror in the form it has since the mirror moved to another recipe, if it did."""
    moved = (alias for alias in ledger.pages.aliases(label) if alias.reason is AliasReason.MOVED)
    forms = {alias.place.url: alias.target.url for alias in moved}
    return lambda url: forms.get(url, url)


@dataclass(frozen=True, slots=True)
class Holding:
    """A page, and the capture its file is made of; None where the ledger has none."""

    page: StoredPage
    capture: CaptureRecord | None


def holdings(ledger: Ledger, label: str) -> Iterator[Holding]:
    """The pages that a mirror holds now, in the order of their paths."""
    for page in ledger.pages.by_path(label):
        yield Holding(page, _capture_of(ledger, label, page))


def _capture_of(ledger: Ledger, label: str, page: StoredPage) -> CaptureRecord | None:
    """The last answer at a page's URL; where the page moved there with its recipe, the one it came from."""
    own = ledger.history.last_capture(label, page.place.key)
    if own is not None:
        return own
    seen = ledger.history.of_url(page.place.web_key)
    return next((o.capture for o in seen if o.item and o.is_new and o.item.item_id == page.item_id), None)


def holdings_at(ledger: Ledger, label: str, moment: datetime) -> Iterator[Holding]:
    """The pages that a mirror held at a moment, in the order of their URLs.

    A page was there when one of the mirror's runs had seen it by then, and no update since had missed it.
    """
    runs = [r for r in ledger.runs.latest_first(label=label, job=Job.MIRROR) if r.run.started_at <= moment][
        ::-1
    ]
    seen: dict[UrlKey, Observation] = {}
    bodies: dict[UrlKey, CaptureRecord] = {}
    for record in runs:
        if record.run.reprocessing_of is not None:  # the mirror moved to another recipe
            seen, bodies = {}, {}
        for observation in ledger.history.of_run(record.run.reprocessing_of or record.run.run_id):
            capture = observation.capture
            if capture.fetched_at > moment or observation.item is None:
                continue
            key = observation.item.url_key
            seen[key] = observation
            if 200 <= capture.status < 300:
                bodies[key] = capture
        if _went_over_everything(record, moment):
            for key in [key for key in seen if ledger.frontier.entry(record.run.run_id, key) is None]:
                del seen[key]
    for key, observation in sorted(seen.items(), key=lambda pair: _url_of(pair[1])):
        page = _page_then(ledger, label, observation, runs)
        yield Holding(page, bodies.get(key) or ledger.history.last_capture(label, key))


def _went_over_everything(record: RunRecord, moment: datetime) -> bool:
    """Whether a run asked about every page, so that one it does not name was gone."""
    ended = record.status is RunStatus.FINISHED and record.ended_at is not None and record.ended_at <= moment
    return ended and dict(record.summary).get("update", 0) == 1


def _url_of(observation: Observation) -> str:
    return observation.item.canonical_url if observation.item else observation.capture.canonical_url


def _page_then(ledger: Ledger, label: str, observation: Observation, runs: list[RunRecord]) -> StoredPage:
    capture, item = observation.capture, observation.item
    if item is None:
        raise ValueError("an observation of nothing is no page")
    place = Place(item.canonical_url, item.url_key, item.web_key)
    now = ledger.pages.page(label, place.key)
    if now is not None:
        return replace(now, fetched_at=capture.fetched_at, gone_at=None)
    entry = next((e for r in runs if (e := ledger.frontier.entry(r.run.run_id, place.key))), None)
    return StoredPage(
        place=place,
        facts=PageFacts("", item.title, "", 0, entry.depth if entry else 0, ""),
        item_id=item.item_id,
        content_sha256=item.content_sha256,
        fetch_url=capture.final_url,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=capture.content_type,
        etag=capture.etag,
        last_modified=capture.last_modified,
    )
