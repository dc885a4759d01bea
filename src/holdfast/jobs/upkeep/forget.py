"""A URL or a host is forgotten: taken out of search index, archive, ledger and mirrors (STA-4).

1. The archive is written anew without the records, to files with new numbers, which the ledger knows as
   spare before they are written; then the ledger, in one transaction, takes the rows out, learns where the
   rest is, and that the old files are spare, and the new ones not; then these go. A crash in between leaves
   the old state or the new one: the next writer deletes what is spare. What is to be kept of damaged files
   is among the orphans before.
2. A tombstone stays: the address and the time, nothing of what it said. A mirror does not fetch it again.
3. The search index forgets first: it may be behind the ledger, never ahead.
4. The orphans forget, too: an address in the archive is meant by its canonical form, or by its host.
5. The mirror's files go last, and with them the images that any version of them showed and nothing else
   shows; what describes the mirror is written anew, and so are pages that linked to what is gone. What is
   still to be done is in the ledger: a command that was killed is finished by the next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from holdfast.core.base.errors import ArchiveError, UsageError
from holdfast.core.base.hashing import UrlKey, url_key
from holdfast.core.base.shown_text import harmless, is_utf8, printable
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Purged
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.mirror.page_files import asset_path
from holdfast.core.page.page import LinkKind
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture
from holdfast.jobs.index_holder import index_to_forget
from holdfast.jobs.mirror_place import MirrorPlace
from holdfast.jobs.places import state_of
from holdfast.jobs.session import Session, open_store
from holdfast.jobs.trust import outside_of, require_own
from holdfast.jobs.upkeep.as_made import take_away_with
from holdfast.jobs.upkeep.check_store import orphans_of
from holdfast.jobs.upkeep.forget_row import Forgotten
from holdfast.questions.log.runs import mirror_labels
from holdfast.questions.rows.resolve_target import find_url

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.ledger.removals import MovedCaptures, Rewrite
    from holdfast.storage.sqlite.search_index import SearchIndex
    from holdfast.storage.store_ports import Archive

_HTML = ("text/html", "application/xhtml+xml")
_MORE = 4
"""Files beyond twice those that an archive has: more than it can need when it is written anew."""


def forget(session: Session, places: Collection[Place], index: SearchIndex | None = None) -> Forgotten:
    """Take places out of search index, archive and ledger; which files remain to be removed. A page whose
    content is the Markdown at one of these places says the same, and goes with it.
    """
    ledger = session.ledger
    labels = sorted({record.run.label for record in ledger.runs.latest_first()})
    places = tuple(dict.fromkeys((*places, *_taken_from(ledger, places, labels))))
    keys = {place.key for place in places}
    files = [
        (label, page.facts.path)
        for label in labels
        for page in ledger.pages.by_path(label)
        if page.place.key in keys
    ]
    images = _images_of(ledger, keys)
    assets = [(label, path) for label, path, _ in images]
    captures = {name for _, _, names in images for name in names}
    before = ledger.sections.mark()
    if index is not None:
        index.forget({place.web_key for place in places})
    done = Rewritten()
    purged = purge(session, done, Wish(keys, captures, assets))
    if index is not None:
        index.rebase(before, ledger.sections.mark())
    drop_spare(session)
    return Forgotten(places, purged, tuple(files))


def _images_of(ledger: Ledger, keys: Collection[UrlKey]) -> list[tuple[str, str, tuple[str, ...]]]:
    """The images that these places show or have shown, and no other page shows: label, file, and captures of
    each.
    """
    found = []
    images = {image.key: image for key in keys for image in ledger.history.images_of(key)}
    labels = sorted(mirror_labels(ledger)) if images else []
    for image in images.values():
        if any(back.page.key not in keys for back in ledger.pages.pages_linking_to(image.web_key)):
            continue
        seen = ledger.history.of_url(image.web_key)
        names = tuple(observation.capture.capture_id for observation in seen)
        for label in labels:
            record = ledger.history.last_capture(label, image.key)
            payload = record.payload_sha256 if record else None
            if record and payload and (path := asset_path(payload, record.content_type)):
                found.append((label, path, names))
    return found


def _taken_from(ledger: Ledger, places: Collection[Place], labels: Collection[str]) -> Iterator[Place]:
    """The pages that name one of these places as their own Markdown, and whose content is text."""
    for place in places:
        for found in ledger.pages.pages_linking_to(place.web_key):
            if found.link.kind is LinkKind.ALTERNATE:
                pages = (ledger.pages.page(label, found.page.key) for label in labels)
                if any(page is not None and page.content_type not in _HTML for page in pages):
                    yield found.page


def drop_spare(session: Session) -> None:
    """Delete the archive files that hold nothing which is needed, any more or as yet."""
    known = session.ledger.archived
    session.archive.drop_files(known.spare_files())
    known.spare_files_are_gone()


@dataclass(frozen=True, slots=True)
class Wish:
    """What goes: URLs, captures, files of mirrors; which files of the archive are written anew (None: all);
    and whether damaged ones are kept `aside`, among the orphans, before the ledger lets go of them.
    """

    keys: Collection[UrlKey] = ()
    captures: Iterable[str] = ()
    assets: Sequence[tuple[str, str]] = ()
    files: Collection[str] | None = None
    aside: bool = False


def purge(session: Session, done: Rewritten, wish: Wish) -> Purged:
    """Take things out, the archive written anew; its new files are spare until then."""
    ledger, archive = session.ledger, session.archive
    ledger.archived.expect_spare(archive.next_files(2 * len(ledger.archived.ends()) + _MORE))
    rewrite = _rewriting(archive, done, wish)
    return ledger.forgetting.purge(wish.keys, wish.captures, rewrite, session.clock.now(), wish.assets)


@dataclass(slots=True)
class Rewritten:
    """What became of an archive: how many captures it kept and lost, of which addresses, in which files."""

    kept: int = 0
    lost: int = 0
    damaged: set[str] = field(default_factory=set)
    urls: dict[str, None] = field(default_factory=dict)


def _rewriting(archive: Archive, done: Rewritten, wish: Wish) -> Rewrite:
    """How an archive, or these files of it, are written anew, with what stays: whole or, where the body is
    there already, as a revisit of the record that holds it, so that what was small stays small.
    """

    def rewrite(moves: MovedCaptures) -> None:
        archive.begin_file()
        for record in moves.staying():
            if record.ref is not None and wish.files is not None and record.ref.file not in wish.files:
                moves.leave(record, record.ref)
            else:
                capture = read_or_lose(archive, record, done)
                moves.note(record, archive.append(capture, moves.original(record)) if capture else None)
        archive.sync()
        if wish.aside:
            archive.keep_aside(sorted(done.damaged))

    return rewrite


def read_or_lose(archive: Archive, record: CaptureRecord, done: Rewritten) -> Capture | None:
    """A capture, unless it cannot be read any more."""
    if record.ref is None:
        return None
    try:
        capture = archive.read(record.ref)
    except ArchiveError:
        done.lost += 1
        done.damaged.add(record.ref.file)
        done.urls[record.url] = None
        return None
    done.kept += 1
    return capture


def addresses_meant(
    policy: Policy, urls: Collection[str], web_key: UrlKey | None, host: str | None
) -> Callable[[str], bool]:
    """Whether an address shall be forgotten: it is one of these URLs, has this key, or is on this host."""
    canonical = canonical_text(policy)
    keys = {web_key, *(url_key(form) for url in urls if isinstance(form := canonical(url), str))}

    def is_meant(text: str) -> bool:
        form = canonical(text)
        if not isinstance(form, str):
            return False
        key = url_key(form)
        return key in keys or (host is not None and Place(form, key, key).host == host)

    return is_meant


async def forget_places(settings: Settings, *, url: str | None = None, host: str | None = None) -> Forgotten:
    """Forget a URL, or everything on a host: ledger, archive, and the mirrors' files."""
    state = state_of(settings)
    if host is not None and not is_utf8(host):
        raise UsageError(f"{printable(host)} is not UTF-8")
    with open_store(state, "forget", settings) as session:
        ledger, policy = session.ledger, session.policy
        _require_own_places(session)
        web_key = find_url(ledger, url, policy, merged=False)[1] if url else None
        known = ledger.forgetting
        places = known.places_at(web_key) if web_key else tuple(known.places_on(host or ""))
        with index_to_forget(state) as index:
            forgotten = forget(session, places, index)
        urls = [place.url for place in forgotten.places]
        is_meant = addresses_meant(policy, urls, web_key, host)
        forgotten = replace(
            forgotten, orphans=orphans_of(settings, state, ledger.archived.ends).forget(is_meant)
        )
        left = [row for row in ledger.forgetting.removals() if row.path]
        for label in sorted({row.label for row in ledger.forgetting.removals()}):
            await _take_away(MirrorPlace(state.resolve().parent / label, state, label), session)
    return replace(forgotten, files=tuple((row.label, row.path) for row in left))


def _require_own_places(session: Session) -> None:
    """Refuse where files would go that the user does not mean: those that an earlier command left, and those
    of a mirror outside its store's folder. What a ledger says of them may be a stranger's word (SEC-9).
    """
    away = sorted(filter(outside_of(session.state.resolve().parent), mirror_labels(session.ledger)))
    settings, own = session.settings, (session.state, session.store_id)
    if away:
        require_own(settings, own, f"it has mirrors elsewhere ({harmless(', '.join(away))})")
    if session.ledger.forgetting.removals():
        require_own(settings, own, "files wait to be removed that an earlier command left")


async def _take_away(place: MirrorPlace, session: Session) -> None:
    """Remove the files of what was forgotten, and every trace of it in the mirror."""
    if place.folder.is_dir():
        await take_away_with(place, session)
        session.ledger.forgetting.removed(place.label)
