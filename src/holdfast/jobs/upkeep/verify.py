"""Whether folder, sidecars, manifest, ledger and archive agree (and each with itself).

    the folder     every page's file is there and has the hash the ledger has, and every image that pages
                   show; nothing is there besides
    sidecars       each is, byte for byte, what the ledger and the archived capture make of it
    placeholders   what stands for failures and for what is not a page is what ledger and archive make of it
    descriptions   manifest (and the seal over its bytes), index, checkpoint are what the ledger makes of them
    the ledger     ids, keys and seals are what they are made of; edges fit the items they join
    the archive    every capture reads as the ledger describes it; what it shows is the item the ledger has
    conversion     the archived capture of each item and page gives the content, title and file they have

What differs is a `Difference`: where, what, and what to do about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, assert_never

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.hashing import UrlKey, content_hash
from holdfast.core.base.long_lists import Fingerprints, lines_of
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import DONE
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.lineage.ledger_values import Observation, StoredPage
from holdfast.core.lineage.lineage import CaptureRecord, Item, Job, RecordRef
from holdfast.core.mirror.checkpoint import PROCESSED, Corrupt, read_processed
from holdfast.core.mirror.description import MirrorStyle, Pages, held, manifest_pieces
from holdfast.core.mirror.manifest import MANIFEST
from holdfast.core.mirror.manifest_gist import ManifestGist, gist_of_manifest
from holdfast.core.mirror.mirror_files import ADMITTED, FileKind, mirror_files
from holdfast.core.mirror.page_files import asset_hash, page_of
from holdfast.core.page.markdown.writer import MARKDOWN_VERSION
from holdfast.core.url.name_plan import NamePlan
from holdfast.core.url.policy import Recipe
from holdfast.core.url.redaction import shown
from holdfast.core.web.capture import Capture
from holdfast.jobs.converting import Converted, converted, page_rules, rules_for
from holdfast.jobs.held_pages import LocalLinks, holdings, is_as_made, placeholders, present_form
from holdfast.jobs.upkeep.check_store import ledger_faults
from holdfast.jobs.upkeep.verify_row import ANEW, REPAIR, Difference

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.jobs.session import Session
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive

REBUILD = "`holdfast restore` writes it anew from ledger and archive"
REWRITE = "`holdfast restore` writes it anew, the way this version of Holdfast does"
FETCH = "restore it from a copy, or `holdfast mirror --update --max-age 0s` fetches the pages again"
STRAY = "remove it, or keep files of your own outside of the mirror"
_AT_ONCE: Final = 256
_NOT_SO: Final = "it is not what the pages make of it"
_WORDS: Final = {
    FileKind.INDEX: ("the index is missing", "the index is not that of the pages"),
    FileKind.LIST: (_NOT_SO, _NOT_SO),
    FileKind.PLACEHOLDER: ("the placeholder is missing", "the placeholder was altered"),
}
"""What is said of a file that is missing, and of one that has other bytes."""


def store_differences(session: Session, survey: Iterable[str]) -> Iterator[Difference]:
    """What differs between ledger and archive, and in each; `survey` is what their own checks found."""
    for sentence in survey:
        yield Difference("state", sentence, REPAIR if ".warc" in sentence else ANEW)
    for where, what in ledger_faults(session.ledger):
        yield Difference(f"ledger: {where}", what, ANEW)
    yield from _against_archive(session.ledger, session.archive)


async def mirror_differences(
    session: Session, folder: Mirror, order: Order, names: NamePlan
) -> AsyncIterator[Difference]:
    """What differs between a mirror's folder and its store."""
    async for difference in _pages(session, folder, order):
        yield difference
    for difference in _other_files(session.ledger, session.archive, folder, order, names):
        yield difference


def _against_archive(ledger: Ledger, archive: Archive) -> Iterator[Difference]:
    """What the ledger says of captures that the archive does not confirm."""
    lost = ledger.archived.lost()
    for record in ledger.archived.captures():
        if record.capture_id not in lost and record.ref is not None:
            yield from _against_record(record, record.ref, archive)


def _against_record(record: CaptureRecord, ref: RecordRef, archive: Archive) -> Iterator[Difference]:
    try:
        capture = archive.read(ref)
    except ArchiveError as error:
        what = f"the archive cannot give the capture back: {error.message}"
        yield Difference(f"archive: {shown(record.url)}", what, REPAIR)
        return
    for name, said, found in _facts(record, capture):
        if said != found:
            what = f"the ledger has {name} {said!r}, the archive {found!r}"
            yield Difference(f"ledger: {shown(record.url)}", what, ANEW)


def _facts(record: CaptureRecord, capture: Capture) -> tuple[tuple[str, Any, Any], ...]:
    etag, last_modified = capture.validators
    return (
        ("status", record.status, capture.status),
        ("the requested address", record.url, capture.requested.href),
        ("the final address", record.final_url, capture.final.href),
        ("the time", record.fetched_at, capture.fetched_at),
        ("the type", record.content_type, capture.content_type),
        ("the ETag", record.etag, etag),
        ("Last-Modified", record.last_modified, last_modified),
    )


async def _pages(session: Session, folder: Mirror, order: Order) -> AsyncIterator[Difference]:
    label = order.label
    written = Counter[str]()
    for holding in holdings(session.ledger, label):
        written[holding.page.facts.markdown_version] += 1
        for difference in _file(folder, holding.page):
            yield difference
        if holding.capture is None:
            yield Difference(holding.page.facts.path, "the ledger has no capture of it", FETCH)
    links = LocalLinks(order, lambda ledger, keys: _paths(ledger, label, keys))
    rules = page_rules(order, lambda page: links.of(session.ledger, page, page.facts.path))
    plain = rules_for(order.standard, order.options)
    lost = session.ledger.archived.lost()
    kept = _kept(session.ledger, order.standard.recipe, label)
    todo = ((asked, capture) for asked, capture in kept if capture.capture_id not in lost)
    made_by = lambda kept: rules(kept.page) if kept.page else plain  # noqa: E731 - a name for the line below
    async for page in converted(todo, session, made_by):
        for difference in _against_conversion(page, folder, order, written):
            yield difference
    for path, record in links.assets().items():
        if record.capture_id not in lost and not folder.has(path):
            yield Difference(path, "the image is missing", REBUILD)
    for version, count in sorted(written.items()):
        if version != MARKDOWN_VERSION:
            pages = "1 page was" if count == 1 else f"{count} pages were"
            yield Difference("mirror", f"{pages} made by {version}", REWRITE)


def _paths(ledger: Ledger, label: str, keys: Collection[UrlKey]) -> dict[UrlKey, str]:
    return {key: page.facts.path for key, page in ledger.pages.pages_of(label, keys).items()}


def _against_conversion(
    page: Converted[_Kept], folder: Mirror, order: Order, written: Collection[str]
) -> Iterator[Difference]:
    """What a capture gives that ledger and folder do not have. What an older writer made is not compared: its
    files, and the titles of a mirror that has any of them.
    """
    asked, made = page.asked, page.made
    if made is None or page.capture is None or made.skip is not None:
        why = page.flaw or (made.skip if made else "no page")
        yield Difference(f"archive: {asked.url}", f"it cannot be made again: {why}", REPAIR)
        return
    is_current = set(written) == {made.content.markdown_version}
    said, item = made.content, asked.item
    titles = (said.title, said.full_title)
    if item and (said.content_sha256 != item.content_sha256 or (is_current and item.title not in titles)):
        what = "the archived capture gives another content or title than the item has"
        yield Difference(f"ledger: {asked.url}", what, ANEW)
    if asked.page and asked.page.facts.markdown_version == made.content.markdown_version:
        yield from _made_again(folder, order, asked.page, made, page.capture)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A capture to convert again: the item it brought, and the page whose file is made of it."""

    url: str
    item: Item | None = None
    page: StoredPage | None = None


def _kept(ledger: Ledger, recipe: Recipe, label: str) -> Iterator[tuple[_Kept, CaptureRecord]]:
    """Every capture that brought an item of this recipe, and every one that a page is made of, once each."""
    for record in ledger.runs.latest_first():
        if record.run.recipe == recipe:
            seen = (o for o in ledger.history.of_run(record.run.run_id) if o.is_new and o.capture.ref)
            while some := list(islice(seen, _AT_ONCE)):
                yield from _brought(ledger, label, some)
    for holding in holdings(ledger, label):
        capture = holding.capture
        if capture is not None and capture.ref and not _is_brought(ledger, recipe, holding.page, capture):
            yield _Kept(shown(capture.url), page=holding.page), capture


def _brought(
    ledger: Ledger, label: str, seen: Sequence[Observation]
) -> Iterator[tuple[_Kept, CaptureRecord]]:
    """Captures that brought something, each with the page whose file is made of it."""
    pages = ledger.pages.pages_of(label, [o.item.place.key for o in seen if o.item])
    by_item = {page.item_id: page for page in pages.values()}
    made_of = ledger.history.last_shown(label, list(by_item))
    for observation in seen:
        capture, item = observation.capture, observation.item
        page = by_item.get(item.item_id) if item else None
        is_made_of = page is not None and made_of.get(page.item_id) == capture
        yield _Kept(shown(capture.url), item, page if is_made_of else None), capture


def _is_brought(ledger: Ledger, recipe: Recipe, page: StoredPage, capture: CaptureRecord) -> bool:
    """Whether a page's capture is the one that brought its item under this recipe."""
    return any(
        item.item_id == page.item_id and item.recipe == recipe and item.capture_id == capture.capture_id
        for item in ledger.history.items(page.item_id)
    )


def _file(folder: Mirror, page: StoredPage) -> Iterator[Difference]:
    path = page.facts.path
    data = folder.read(path)
    if data is None:
        yield Difference(path, "the page is missing", REBUILD)
    elif content_hash(data) != page.facts.file_sha256:
        yield Difference(path, "the page was altered: its bytes are not those the ledger has", REBUILD)


def _made_again(
    folder: Mirror, order: Order, stored: StoredPage, made: Harvest, capture: Capture
) -> Iterator[Difference]:
    """What the archived capture makes of the page, beside what the ledger has of it."""
    path = stored.facts.path
    facts, files = page_of(order, stored.facts.depth, made, capture, path)
    if made.content.content_sha256 != stored.content_sha256 or made.place.key != stored.place.key:
        yield Difference(f"ledger: {path}", "the archived capture gives another content than the item", ANEW)
    if facts.markdown_version == stored.facts.markdown_version and facts != stored.facts:
        yield Difference(
            f"ledger: {path}", "title, size, hash or warnings are not those of the capture", REBUILD
        )
    for name, content in files:
        if name != path and (there := folder.read(name)) != content:
            what = "the sidecar is missing" if there is None else "the sidecar was altered"
            yield Difference(name, what, REBUILD)


def _other_files(
    ledger: Ledger, archive: Archive, folder: Mirror, order: Order, names: NamePlan
) -> Iterator[Difference]:
    """What describes the mirror, what stands for URLs that are not pages, and what nobody knows."""
    known, pages = Fingerprints(ADMITTED), held(lambda: ledger.pages.by_path(order.label))
    stand_ins = placeholders(ledger, archive, order, names)
    for file in mirror_files(order, pages, stand_ins, folder.read, folder.rows):
        known.add(file.path)
        match file.kind:
            case FileKind.PAGE | FileKind.SIDECAR:
                pass  # each was held to its capture
            case FileKind.MANIFEST:
                style = MirrorStyle.of(names.layout, names.scheme, order)
                yield from _manifest(ledger, folder, pages, style, order.label)
            case FileKind.CHECKPOINT:
                yield from _checkpoint(ledger, folder, order.label)
            case FileKind.INDEX | FileKind.LIST | FileKind.PLACEHOLDER:
                if file.pieces is not None and not is_as_made(folder, file):
                    missing, altered = _WORDS[file.kind]
                    yield Difference(file.path, altered if folder.has(file.path) else missing, REBUILD)
            case _:
                assert_never(file.kind)
    yield from _strays(folder, known)


def _manifest(
    ledger: Ledger, folder: Mirror, pages: Pages, style: MirrorStyle, label: str
) -> Iterator[Difference]:
    has_manifest = folder.has(MANIFEST)
    there = gist_of_manifest(lambda: folder.pieces(MANIFEST)) if has_manifest else "it is missing"
    if isinstance(there, str):
        yield Difference(MANIFEST, f"the manifest cannot be read: {there}", REBUILD)
        return
    if not there.is_sealed:
        yield Difference(MANIFEST, "the manifest was altered: its bytes are not those of its seal", REBUILD)
    aliases = ledger.pages.aliases
    made = gist_of_manifest(lambda: manifest_pieces(pages, style, {"status": ""}, aliases(label)))
    if not isinstance(made, str):
        yield from _against_pages(there, made)


def _against_pages(there: ManifestGist, made: ManifestGist) -> Iterator[Difference]:
    said, own = ({**gist.head, **gist.parts} for gist in (there, made))
    for key in sorted((said.keys() | own.keys()) - {"crawl", "fetched_at"}):
        if said.get(key) != own.get(key):
            yield Difference(MANIFEST, f"`{key}` is not what the ledger makes of it", REBUILD)
    if said["fetched_at"] != own["fetched_at"]:
        yield Difference(MANIFEST, "the pages' fetch times are not the ledger's", REBUILD)


def _checkpoint(ledger: Ledger, folder: Mirror, label: str) -> Iterator[Difference]:
    again = "the next start of the mirror asks for those pages again"
    if not folder.has(PROCESSED):
        yield Difference(PROCESSED, "the checkpoint is missing", again)
        return
    found = read_processed(folder.pieces(PROCESSED))
    if isinstance(found, Corrupt):
        yield Difference(PROCESSED, f"the checkpoint is corrupt: {found.why}", again)
        return
    if found.whole < sum(map(len, folder.pieces(PROCESSED))):
        yield Difference(PROCESSED, "its last line is torn", again)
    now, known = present_form(ledger, label), Fingerprints()
    unlisted: set[str] = set()
    for record in ledger.runs.latest_first(label=label, job=Job.MIRROR):
        for entry in ledger.frontier.entries(record.run.run_id):
            url = now(entry.place.url)
            known.add(entry.place.url)
            known.add(url)
            if entry.state in DONE and url not in found.urls:
                unlisted.add(url)
    for alias in ledger.pages.aliases(label):
        known.add(alias.place.url)
    for url in sorted(unlisted):
        yield Difference(PROCESSED, f"it does not list {shown(url)}", again)
    lines = (
        line.rstrip(b"\n").decode() for line in lines_of(folder.pieces(PROCESSED)) if line.endswith(b"\n")
    )
    for url in sorted({url for url in lines if url and url not in known}):
        yield Difference(
            PROCESSED, f"it lists {shown(url)}, of which the ledger knows nothing", "remove the line"
        )


def _strays(folder: Mirror, known: Fingerprints) -> Iterator[Difference]:
    for path in folder.walk():
        if (name := asset_hash(path)) is not None:
            if content_hash(folder.read(path) or b"") != name:
                yield Difference(path, "the image is not the one its name says", REBUILD)
        elif path not in known:
            yield Difference(path, "the ledger knows nothing of this file", STRAY)
