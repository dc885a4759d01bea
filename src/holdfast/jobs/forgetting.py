"""Forgetting a place or a host, and dropping what no item needs (STA-4).

1. The archive is written anew without the records, to files with new numbers, which the ledger knows as spare
   before they are written; then the ledger, in one transaction, takes the rows out, learns where the rest is,
   and that the old files are spare, and the new ones not; then these go. A crash in between leaves the old
   state or the new one: the next writer deletes what is spare. What is to be kept of damaged files is among
   the orphans before.
2. A tombstone stays: the address and the time, nothing of what it said. A mirror does not fetch it again.
3. The search index forgets first: it may be behind the ledger, never ahead.
4. The mirror's files go last, and with them the images that any version of them showed and nothing else
   shows; what describes the mirror is written anew, and so are pages that linked to what is gone. What is
   still to be done is in the ledger: a command that was killed is finished by the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import field

from holdfast.core.answers.forgetting import Collected, Forgotten, Packed, Repaired
from holdfast.core.capture import Capture
from holdfast.core.errors import ArchiveError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Place, Purged
from holdfast.core.lineage import CaptureRecord
from holdfast.core.packing import files_to_join
from holdfast.core.page import LinkKind
from holdfast.core.redaction import redact_url
from holdfast.core.values import dataclass
from holdfast.formats.local_links import asset_path
from holdfast.ports import Archive, Clock, Ledger, MovedCaptures, Rewrite, SearchIndex
from holdfast.questions.mirrors import mirror_labels

__all__ = ["collect", "forget", "pack", "repair"]

_HTML = ("text/html", "application/xhtml+xml")
_MORE = 4
"""Files beyond twice those that an archive has: more than it can need when it is written anew."""


def forget(
    ledger: Ledger,
    archive: Archive,
    clock: Clock,
    places: Collection[Place],
    index: SearchIndex | None = None,
) -> Forgotten:
    """Take places out of search index, archive and ledger; which files remain to be removed. A page whose
    content is the Markdown at one of these places says the same, and goes with it.
    """
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
    done = _Rewritten()
    purged = _purge(ledger, archive, clock, done, _Wish(keys, captures, assets))
    if index is not None:
        index.rebase(before, ledger.sections.mark())
    _drop_spare(ledger, archive)
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


def collect(ledger: Ledger, archive: Archive, clock: Clock) -> Collected:
    """Drop the captures that no item needs, and what of the archive nothing refers to. Files with records
    that cannot be read lie aside: somebody may still save them.
    """
    before = ledger.archived.ends()
    if next(ledger.forgetting.unneeded_captures(), None) is None:
        return Collected(Purged(0, 0), 0)
    done = _Rewritten()
    purged = _purge(
        ledger, archive, clock, done, _Wish(captures=ledger.forgetting.unneeded_captures(), aside=True)
    )
    after = ledger.archived.ends()
    _drop_spare(ledger, archive)
    return Collected(purged, sum(before.values()) - sum(after.values()))


def repair(ledger: Ledger, archive: Archive, clock: Clock, damaged: Collection[str]) -> Repaired:
    """Write the archive anew without what cannot be read, which is noted as lost; damaged files lie aside."""
    done = _Rewritten()
    archive.keep_aside(sorted(damaged))
    _purge(ledger, archive, clock, done, _Wish())
    _drop_spare(ledger, archive)
    return Repaired(done.kept, done.lost, tuple(map(redact_url, done.urls)))


def pack(ledger: Ledger, archive: Archive, clock: Clock, full: int) -> Packed:
    """Write the small files of the archive anew as full ones, of the size `full`, and remove them."""
    ends = ledger.archived.ends()
    joined = files_to_join(ledger.archived.captures, ends, full)
    if not joined:
        return Packed(len(ends), len(ends), 0, 0)
    done = _Rewritten()
    _purge(ledger, archive, clock, done, _Wish(files=joined))
    after = len(ledger.archived.ends())
    _drop_spare(ledger, archive)
    return Packed(len(ends), after, done.kept, done.lost)


def _drop_spare(ledger: Ledger, archive: Archive) -> None:
    archive.drop_files(ledger.archived.spare_files())
    ledger.archived.spare_files_are_gone()


@dataclass(frozen=True, slots=True)
class _Wish:
    """What goes: URLs, captures, files of mirrors; which files of the archive are written anew (None: all);
    and whether damaged ones are kept `aside`, among the orphans, before the ledger lets go of them.
    """

    keys: Collection[UrlKey] = ()
    captures: Iterable[str] = ()
    assets: Sequence[tuple[str, str]] = ()
    files: Collection[str] | None = None
    aside: bool = False


def _purge(ledger: Ledger, archive: Archive, clock: Clock, done: _Rewritten, wish: _Wish) -> Purged:
    """Take things out, the archive written anew; its new files are spare until then."""
    ledger.archived.expect_spare(archive.next_files(2 * len(ledger.archived.ends()) + _MORE))
    rewrite = _rewriting(archive, done, wish)
    return ledger.forgetting.purge(wish.keys, wish.captures, rewrite, clock.now(), wish.assets)


@dataclass(slots=True)
class _Rewritten:
    """What became of an archive: how many captures it kept and lost, of which addresses, in which files."""

    kept: int = 0
    lost: int = 0
    damaged: set[str] = field(default_factory=set)
    urls: dict[str, None] = field(default_factory=dict)


def _rewriting(archive: Archive, done: _Rewritten, wish: _Wish) -> Rewrite:
    """How an archive, or these files of it, are written anew, with what stays: whole or, where the body is
    there already, as a revisit of the record that holds it, so that what was small stays small.
    """

    def rewrite(moves: MovedCaptures) -> None:
        archive.begin_file()
        for record in moves.staying():
            if record.ref is not None and wish.files is not None and record.ref.file not in wish.files:
                moves.leave(record, record.ref)
            else:
                capture = _read(archive, record, done)
                moves.note(record, archive.append(capture, moves.original(record)) if capture else None)
        archive.sync()
        if wish.aside:
            archive.keep_aside(sorted(done.damaged))

    return rewrite


def _read(archive: Archive, record: CaptureRecord, done: _Rewritten) -> Capture | None:
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
