"""Pages whose content was taken from another address than their own: from the Markdown that they name."""

from __future__ import annotations

from typing import Final

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Place, StoredPage
from holdfast.core.lineage import CaptureRecord
from holdfast.core.url import Url, parse_url
from holdfast.jobs.mirror.harvest import place_of
from holdfast.jobs.mirror.order import Order
from holdfast.jobs.mirror.standard import Standard
from holdfast.ports import Ledger

__all__ = ["is_taken_elsewhere", "page_behind"]

_HTML: Final = ("text/html", "application/xhtml+xml")


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
        answered = record.url_key == place.key and 200 <= record.status < 300 and record.run_id in runs
        if answered and _key(record.final_url, order.standard) == place.key:
            return record
    return None


def _key(address: str, standard: Standard) -> UrlKey | None:
    url = parse_url(address)
    place = place_of(url, standard) if isinstance(url, Url) else None
    return place.key if place else None
