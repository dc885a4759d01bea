"""Which relative path stands for which address on a page: other pages of the mirror, and its images.

A link to an alias leads to the page it stands for. An image is in the mirror when one of its runs fetched it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

from holdfast.core.crawl.order import Order
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import PageLink, StoredPage
from holdfast.core.lineage import CaptureRecord
from holdfast.core.page import LinkKind
from holdfast.core.url import Url, parse_url
from holdfast.formats.local_links import asset_path, relative_link
from holdfast.ports import Ledger

__all__ = ["LocalLinks", "Paths"]

Paths = Callable[[Ledger, Collection[UrlKey]], Mapping[UrlKey, str]]
"""Where a mirror's pages of these URLs lie; a URL that is not a page is left out."""


class LocalLinks:
    """The links of a mirror whose pages lie at these paths, at a moment or now."""

    def __init__(self, order: Order, paths: Paths, moment: datetime | None = None) -> None:
        self._order = order
        self._paths = paths
        self._moment = moment
        self._local = order.settings.files.links == "local"
        self._assets: dict[UrlKey, CaptureRecord | None] = {}

    def of(self, ledger: Ledger, page: StoredPage, path: str) -> tuple[tuple[str, str], ...]:
        """The addresses on a page that a file stands for, and the path to it."""
        if not self._local and not self._order.settings.files.assets:
            return ()
        links = ledger.history.links_of(self._order.standard.recipe, page.place.key, self._moment)
        return tuple(sorted(self._found(ledger, links, path)))

    def assets(self) -> dict[str, CaptureRecord]:
        """The files of all images that pages asked for so far link to, and their captures."""
        found = (record for record in self._assets.values() if record is not None)
        return {path: record for record in found if (path := _path_of(record))}

    def _found(self, ledger: Ledger, links: tuple[PageLink, ...], path: str) -> Iterator[tuple[str, str]]:
        targets = self._targets(ledger, links) if self._local else {}
        named = {key for link in links for key in _names(link, targets)} if self._local else ()
        paths = self._paths(ledger, named) if named else {}
        for link in links:
            url = parse_url(link.href)
            own = next((paths[key] for key in _names(link, targets) if key in paths), None)
            target = self._asset(ledger, link.target.key) if link.kind is LinkKind.IMAGE else own
            if target is not None and isinstance(url, Url):
                yield url.href, relative_link(path, target)

    def _targets(self, ledger: Ledger, links: tuple[PageLink, ...]) -> dict[UrlKey, UrlKey]:
        """What the URLs of links are other names of, and what those are."""
        targets: dict[UrlKey, UrlKey] = {}
        asked: set[UrlKey] = set()
        while new := {*(link.target.key for link in links), *targets.values()} - asked:
            targets |= ledger.pages.targets_of(self._order.label, new)
            asked |= new
        return targets

    def _asset(self, ledger: Ledger, key: UrlKey) -> str | None:
        if not self._order.settings.files.assets:
            return None
        if key not in self._assets:
            self._assets[key] = ledger.history.last_capture(self._order.label, key)
        record = self._assets[key]
        return _path_of(record) if record else None


def _names(link: PageLink, targets: Mapping[UrlKey, UrlKey]) -> Iterator[UrlKey]:
    """What a link points to, and what that is another name of."""
    key, seen = link.target.key, set[UrlKey]()
    while key not in seen:
        seen.add(key)
        yield key
        key = targets.get(key, key)


def _path_of(record: CaptureRecord) -> str | None:
    return asset_path(record.payload_sha256, record.content_type) if record.payload_sha256 else None
