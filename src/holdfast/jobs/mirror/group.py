"""Many effects made durable at once, in the one order that survives a crash anywhere:

    archive, synced → ledger, one transaction → files, synced and renamed → lines of `_processed.txt`

1. Nothing is acknowledged (a line in `_processed.txt`) before page and ledger are durable.
2. A crash between two steps leaves entries that the ledger calls done and the checkpoint does not: the
   next start asks for them again, and finds that nothing new has to be written.
3. Effects are flushed in the order in which they were added, so the ledger always holds a prefix of the
   crawl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from holdfast.core.capture import Capture
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import (
    Alias,
    Closed,
    Committed,
    Confirmed,
    Draft,
    Finding,
    FrontierEntry,
    Original,
    PageFacts,
    Place,
)
from holdfast.core.lineage import CaptureRecord, RecordRef, capture_id
from holdfast.formats.checkpoint import PROCESSED
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.tools import Tools

__all__ = ["FAILED_LOG", "Effect", "Flushed", "Seen", "flush"]

FAILED_LOG = "_failed.log"


@dataclass(frozen=True, slots=True)
class Seen:
    """A response, whose it is, and where the archive has it, if it has."""

    capture: Capture
    place: Place
    payload_sha256: str | None
    ref: RecordRef | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """All that follows from one result. `waits` puts the capture's place in the archive into the note."""

    closed: tuple[Closed, ...] = ()
    seen: Seen | None = None
    made: Draft | Confirmed | None = None
    page: PageFacts | None = None
    aliases: tuple[Alias, ...] = ()
    discovered: tuple[FrontierEntry, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    obsolete: tuple[str, ...] = ()
    processed: tuple[str, ...] = ()
    log: str = ""
    waits: bool = False

    @property
    def keys(self) -> tuple[UrlKey, ...]:
        """The entries it closes."""
        return tuple(closed.key for closed in self.closed)


@dataclass(slots=True)
class Flushed:
    """What became of a batch: verdicts in order, and files that were refused, with the reason."""

    committed: tuple[Committed, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)


def flush(tools: Tools, run_id: str, effects: Sequence[Effect]) -> Flushed:
    """Make a batch durable."""
    findings = _archived(tools, run_id, effects)
    committed = tools.ledger.commit(run_id, findings, tools.clock.now())
    files = {path: content for effect in effects for path, content in effect.files}
    times = {
        path: effect.seen.capture.fetched_at.timestamp()
        for effect in effects
        if effect.seen
        for path, _ in effect.files
    }
    refused = tools.folder.write_all(files, times) if files else {}
    for effect in effects:
        for path in effect.obsolete:
            tools.folder.remove(path)
    _acknowledge(tools, effects, refused)
    return Flushed(committed, refused)


def _archived(tools: Tools, run_id: str, effects: Sequence[Effect]) -> list[Finding]:
    """The findings, their captures appended to the archive and synced; a body is kept once."""
    originals: dict[str, Original] = {}
    findings = []
    appended = False
    for effect in effects:
        record, closed = None, effect.closed
        if seen := effect.seen:
            ref = seen.ref
            if ref is None:
                ref = _append(tools, seen, originals)
                appended = True
            record = _record(run_id, seen, ref)
            if effect.waits:
                closed = tuple(_with_capture(end, ref) for end in closed)
        findings.append(
            Finding(
                capture=record,
                made=effect.made,
                page=effect.page,
                aliases=effect.aliases,
                closed=closed,
                discovered=effect.discovered,
            )
        )
    if appended:
        tools.archive.sync()
    return findings


def _append(tools: Tools, seen: Seen, originals: dict[str, Original]) -> RecordRef:
    payload = seen.payload_sha256
    original = None
    if payload is not None and seen.capture.body:
        original = originals.get(payload) or tools.ledger.original_of(payload)
    ref = tools.archive.append(seen.capture, original)
    if payload is not None and original is None:
        originals[payload] = Original(ref, seen.capture.final.href, seen.capture.fetched_at)
    return ref


def _record(run_id: str, seen: Seen, ref: RecordRef) -> CaptureRecord:
    capture, place = seen.capture, seen.place
    return CaptureRecord(
        capture_id=capture_id(
            run_id, capture.requested.href, capture.fetched_at, capture.status, seen.payload_sha256
        ),
        run_id=run_id,
        url=capture.requested.href,
        url_key=place.key,
        web_key=place.web_key,
        final_url=capture.final.href,
        status=capture.status,
        fetched_at=capture.fetched_at,
        content_type=capture.content_type,
        etag=capture.header("etag"),
        last_modified=capture.header("last-modified"),
        payload_sha256=seen.payload_sha256,
        ref=ref,
        canonical_url=place.url,
    )


def _with_capture(closed: Closed, ref: RecordRef) -> Closed:
    return replace(closed, detail=str(replace(Note.parse(closed.detail), capture=ref)))


def _acknowledge(tools: Tools, effects: Sequence[Effect], refused: dict[str, str]) -> None:
    lines, log = [], []
    for effect in effects:
        if not any(path in refused for path, _ in effect.files):
            lines += [f"{url}\n" for url in effect.processed]
        log += [effect.log] if effect.log else []
    if log:
        tools.folder.append(FAILED_LOG, "".join(log).encode("utf-8", "replace"))
    if lines:
        tools.folder.append(PROCESSED, "".join(lines).encode())
