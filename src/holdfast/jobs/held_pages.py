"""What the ledger tells of a mirror's files: its pages, its placeholders, what a link between them leads to.

1. A mirror holds pages, or held them; each file is made of a capture. The content of a page may have been
   taken from another address than its own: from the Markdown that it names.
2. A placeholder stands for a URL that is not a page. A URL has one while the last run that was done with it
   says that it failed or was skipped. What failed is told by the ledger alone; what was skipped by its
   capture. Where `store prune` has dropped the capture, nobody can tell.
3. A relative path stands for an address on a page: of another page, or of an image. A link to an alias
   leads to the page it stands for. An image is in the mirror when one of its runs fetched it.
4. A page is made of the capture that brought it and the item it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.hashing import UrlKey, hash_of_pieces
from holdfast.core.base.long_lists import Fingerprints
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import DONE
from holdfast.core.crawl.mirror_spec import Order, Standard, place_of
from holdfast.core.lineage.ledger_values import (
    AliasReason,
    EntryState,
    FrontierEntry,
    Observation,
    PageFacts,
    PageLink,
    StoredPage,
)
from holdfast.core.lineage.lineage import CaptureRecord, Item, Job, RunRecord
from holdfast.core.mirror.mirror_files import FileKind, MirrorFile
from holdfast.core.mirror.page_files import (
    PLACEHOLDERS,
    File,
    asset_path,
    failed_placeholder,
    relative_link,
    skipped_placeholder,
)
from holdfast.core.page.page import LinkKind
from holdfast.core.url.canonical import CanonicalUrl
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.url import Place, Url, parse_url
from holdfast.core.web.capture import Capture
from holdfast.storage.ledger.ledger import Ledger

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.storage.store_ports import Archive

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


_ENDED: Final = frozenset((*DONE, EntryState.FAILED))


def placeholders(
    ledger: Ledger, archive: Archive, order: Order, names: NamePlan, moment: datetime | None = None
) -> Iterator[MirrorFile]:
    """The placeholders of a mirror, by URL; `moment`: as they were then."""
    policy = order.standard.policy.component
    for entry in sorted(_without_page(ledger, order.label, moment), key=lambda entry: entry.place.url):
        canonical, words = CanonicalUrl(entry.place.url, policy), entry.note.words
        if entry.state is EntryState.FAILED:
            yield _stands_for(failed_placeholder(names, canonical, entry.fetch_url, words), None)
            continue
        record = ledger.history.last_capture(order.label, entry.place.key)
        time = record.fetched_at if record else None
        if record is not None and (capture := _read(archive, record)):
            yield _stands_for(skipped_placeholder(names, canonical, capture, words), time)
        else:
            path = names.placeholder(canonical, PLACEHOLDERS[entry.state])
            yield MirrorFile(path, FileKind.PLACEHOLDER, None, time)


def _stands_for(file: File, time: datetime | None) -> MirrorFile:
    path, content = file
    return MirrorFile(path, FileKind.PLACEHOLDER, lambda: (content,), time)


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


def is_as_made(folder: Mirror, file: MirrorFile) -> bool:
    """Whether a file is there with the bytes that it should have, however either is cut in pieces."""
    if file.pieces is None or not folder.has(file.path):
        return False
    return hash_of_pieces(folder.pieces(file.path)) == hash_of_pieces(file.pieces())


Paths = Callable[[Ledger, Collection[UrlKey]], Mapping[UrlKey, str]]
"""Where a mirror's pages of these URLs lie; a URL that is not a page is left out."""


class LocalLinks:
    """The links of a mirror whose pages lie at these paths, at a moment or now."""

    def __init__(self, order: Order, paths: Paths, moment: datetime | None = None) -> None:
        self._order = order
        self._paths = paths
        self._moment = moment
        self._local = order.settings.files.convert_links == "local"
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


def stored_page(place: Place, facts: PageFacts, item: Item, capture: CaptureRecord) -> StoredPage:
    """A page as a capture brought it."""
    return StoredPage(
        place=place,
        facts=facts,
        item_id=item.item_id,
        content_sha256=item.content_sha256,
        fetch_url=capture.final_url,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=capture.content_type,
        etag=capture.etag,
        last_modified=capture.last_modified,
        title=item.title,
    )
