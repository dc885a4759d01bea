"""Many effects made durable at once, in the one order that survives a crash anywhere:

    archive, synced → ledger, one transaction → files, synced and renamed → lines of `_processed.txt`

1. Nothing is acknowledged (a line in `_processed.txt`) before page and ledger are durable.
2. A crash between two steps leaves entries that the ledger calls done and the checkpoint does not: the
   next start asks for them again, and finds that nothing new has to be written.
3. Effects are flushed in the order in which they were added, so the ledger always holds a prefix of the
   crawl.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress

from holdfast.core.capture import Capture
from holdfast.core.ledger import (
    Alias,
    Closed,
    Committed,
    Confirmed,
    Draft,
    Finding,
    FrontierEntry,
    PageFacts,
    Place,
    capture_record,
)
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.formats.checkpoint import PROCESSED
from holdfast.jobs.commit import Submission, commit_group
from holdfast.jobs.mirror.tools import Tools

__all__ = ["FAILED_LOG", "Effect", "Flushed", "Seen", "flush"]

FAILED_LOG = "_failed.log"


@dataclass(frozen=True, slots=True)
class Seen:
    """A response, whose it is, and where the archive has it, if it has. `confirms` is the body that a 304
    confirms, where that is not simply the last one of the place.
    """

    capture: Capture
    place: Place
    ref: RecordRef | None = None
    confirms: str | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """All that follows from one result. `beside` is another answer that it rests on: archived, no more."""

    closed: tuple[Closed, ...] = ()
    seen: Seen | None = None
    beside: Seen | None = None
    made: Draft | Confirmed | None = None
    page: PageFacts | None = None
    aliases: tuple[Alias, ...] = ()
    discovered: tuple[FrontierEntry, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    obsolete: tuple[str, ...] = ()
    processed: tuple[str, ...] = ()
    log: str = ""

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        return sum(len(seen.capture.body) for seen in (self.seen, self.beside) if seen)


@dataclass(slots=True)
class Flushed:
    """What became of a batch: verdicts in order, files that were refused, with the reason, and how many
    entries the frontier has now, if that was asked.
    """

    committed: tuple[Committed, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    total: int | None = None


def flush(tools: Tools, run_id: str, effects: Sequence[Effect], *, count: bool = False) -> Flushed:
    """Make a batch durable."""
    group = [submission for effect in effects for submission in _submissions(run_id, effect)]
    written = commit_group(tools.ledger, tools.archive, run_id, group, tools.clock.now())
    own = [not alone for effect in effects for alone in ((True, False) if effect.beside else (False,))]
    committed = tuple(compress(written, own))
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
    total = sum(tools.ledger.frontier.count_entries(run_id).values()) if count else None
    return Flushed(committed, refused, total)


def _submissions(run_id: str, effect: Effect) -> Iterator[Submission]:
    """What goes into archive and ledger: the effect, and before it what it rests on."""
    if effect.beside is not None:
        yield _submission(Finding(capture=_record(run_id, effect.beside)), effect.beside)
    seen = effect.seen
    finding = Finding(
        capture=_record(run_id, seen) if seen else None,
        made=effect.made,
        page=effect.page,
        aliases=effect.aliases,
        closed=effect.closed,
        discovered=effect.discovered,
    )
    yield _submission(finding, seen)


def _record(run_id: str, seen: Seen) -> CaptureRecord:
    return capture_record(run_id, seen.capture, seen.place, seen.ref)


def _submission(finding: Finding, seen: Seen | None) -> Submission:
    if seen is None or seen.ref is not None:
        return Submission(finding)
    return Submission(finding, seen.capture, seen.confirms)


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
