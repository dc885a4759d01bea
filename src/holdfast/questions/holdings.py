"""Which pages a mirror holds, or held, and the capture that each file is made of.

The content of a page may have been taken from another address than its own: from the Markdown that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from holdfast.core.crawl.endings import DONE
from holdfast.core.crawl.standard import Standard, place_of
from holdfast.core.fingerprints import Fingerprints
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    AliasReason,
    Observation,
    PageFacts,
    Place,
    RunRecord,
    StoredPage,
)
from holdfast.core.lineage import CaptureRecord, Job
from holdfast.core.page_of_capture import stored_page
from holdfast.core.url import Url, parse_url
from holdfast.core.values import dataclass

if TYPE_CHECKING:
    from holdfast.core.crawl.order import Order
    from holdfast.ports import Ledger

__all__ = [
    "Holding",
    "capture_of",
    "finished_urls",
    "holdings",
    "holdings_at",
    "is_taken_elsewhere",
    "page_behind",
    "present_form",
]

_AT_ONCE: Final = 256
_HTML: Final = ("text/html", "application/xhtml+xml")


def present_form(ledger: Ledger, label: str) -> Callable[[str], str]:
    """A URL of a mirror in the form it has since the mirror moved to another recipe, if it did."""
    moved = (alias for alias in ledger.pages.aliases(label) if alias.reason is AliasReason.MOVED)
    forms = {alias.place.url: alias.target.url for alias in moved}
    return lambda url: forms.get(url, url)


def finished_urls(ledger: Ledger, label: str) -> Iterator[str]:
    """What the runs of a mirror were done with, in their present forms, each once."""
    now, told = present_form(ledger, label), Fingerprints()
    for record in ledger.runs.latest_first(label=label, job=Job.MIRROR):
        for entry in ledger.frontier.entries(record.run.run_id, DONE):
            url = now(entry.place.url)
            if url not in told:
                told.add(url)
                yield url


@dataclass(frozen=True, slots=True)
class Holding:
    """A page, and the capture its file is made of; None where the ledger has none."""

    page: StoredPage
    capture: CaptureRecord | None


def holdings(ledger: Ledger, label: str) -> Iterator[Holding]:
    """The pages that a mirror holds now, in the order of their paths. A few hundred are read at a time, so
    that whoever goes over them may write to the ledger.
    """
    after = ""
    while pages := list(islice(ledger.pages.by_path(label, after), _AT_ONCE)):
        captures = ledger.history.last_shown(label, [page.item_id for page in pages])
        yield from (Holding(page, captures.get(page.item_id)) for page in pages)
        after = pages[-1].facts.path


def capture_of(ledger: Ledger, label: str, page: StoredPage) -> CaptureRecord | None:
    """The capture that a page's file is made of: the last answer of the mirror's runs that shows what the
    page holds. A later one may be unreadable.
    """
    return ledger.history.last_shown(label, [page.item_id]).get(page.item_id)


def holdings_at(ledger: Ledger, label: str, moment: datetime) -> Iterator[Holding]:
    """The pages that a mirror held at a moment, in the order of their URLs.

    A page was there when one of the mirror's runs had seen it by then, and it had not left since.
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
            key = observation.item.place.key
            seen[key] = observation
            if 200 <= capture.status < 300:
                bodies[key] = capture
    began = min((record.run.started_at for record in runs), default=moment)
    left = {page.place.key: page.left_at for page in ledger.pages.left_between(label, began, moment)}
    for key, observation in sorted(seen.items(), key=lambda pair: _url_of(pair[1])):
        if key in left and left[key] >= observation.capture.fetched_at:
            continue
        page = _page_then(ledger, label, observation, runs)
        yield Holding(page, bodies.get(key) or ledger.history.last_capture(label, key))


def _url_of(observation: Observation) -> str:
    return observation.item.place.url if observation.item else observation.capture.place.url


def _page_then(ledger: Ledger, label: str, observation: Observation, runs: list[RunRecord]) -> StoredPage:
    capture, item = observation.capture, observation.item
    if item is None:
        raise ValueError("an observation of nothing is not a page")
    place = item.place
    now = ledger.pages.page(label, place.key)
    if now is not None:
        return replace(now, fetched_at=capture.fetched_at, gone_at=None)
    entry = next((e for r in runs if (e := ledger.frontier.entry(r.run.run_id, place.key))), None)
    facts = PageFacts("", item.title, "", 0, entry.depth if entry else 0, "")
    return stored_page(place, facts, item, capture)


def is_taken_elsewhere(page: StoredPage, standard: Standard) -> bool:
    """Whether a page's content is not its own answer."""
    if page.content_type in _HTML or page.fetch_url == page.place.url:
        return False
    return _key(page.fetch_url, standard) != page.place.key


def page_behind(ledger: Ledger, order: Order, place: Place) -> CaptureRecord | None:
    """The last answer of a page itself in a mirror's runs, whatever its content was taken from."""
    runs = {record.run.run_id for record in ledger.runs.latest_first(label=order.label)}
    for seen in reversed(list(ledger.history.of_url(place.web_key))):
        record = seen.capture
        answered = record.place.key == place.key and 200 <= record.status < 300 and record.run_id in runs
        if answered and _key(record.final_url, order.standard) == place.key:
            return record
    return None


def _key(address: str, standard: Standard) -> UrlKey | None:
    url = parse_url(address)
    place = place_of(url, standard) if isinstance(url, Url) else None
    return place.key if place else None
