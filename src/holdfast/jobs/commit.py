"""Group commit: many pages durable with one fsync of the archive and one transaction of the ledger.

1. The order is fixed: records appended, archive synced, ledger committed, then, and only then, whoever
   handed something in is told. What was not acknowledged may be lost in a crash; nothing else may.
2. What is handed in is committed in the order it was handed in. A group closes when it has `most` entries
   or its first has waited `patience` seconds; while one group is being written the next gathers.
3. Ledger and archive live on one thread of their own, so the event loop never waits for a disk. Other
   questions to the ledger go through `ask`, in turn with the groups.
4. After a failure nothing more is taken: every waiting entry gets the error, as does whoever comes later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self, TypeVar

from holdfast.core.capture import Capture
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Committed, Finding, Original
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.ports import Archive, Clock, Ledger

__all__ = ["GroupCommit", "Submission", "commit_group"]

T = TypeVar("T")
_NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True)
class Submission:
    """A finding, and the capture to archive with it; `finding.capture` is its record, still without `ref`.
    `confirms` is the hash of the body that a 304 confirms; without it, the last body of its URL.
    """

    finding: Finding
    capture: Capture | None = None
    confirms: str | None = None


def commit_group(
    ledger: Ledger, archive: Archive, run_id: str, group: Sequence[Submission], at: datetime
) -> tuple[Committed, ...]:
    """Make a group durable. When this returns, it is."""
    bodies = _Bodies.of(ledger, group)
    findings = [_archived(archive, submission, bodies) for submission in group]
    if any(submission.capture for submission in group):
        archive.sync()
    committed = ledger.commit(run_id, findings, at)
    if bodies.unreadable:  # a page that a 304 confirmed is asked for whole the next time
        ledger.archived.lose(bodies.unreadable, at)
    return committed


class GroupCommit:
    """Takes submissions from the event loop and acknowledges them in groups."""

    def __init__(
        self,
        ledger: Ledger,
        archive: Archive,
        run_id: str,
        clock: Clock,
        *,
        most: int = 200,
        patience: float = 0.1,
    ) -> None:
        self._ledger, self._archive, self._run_id, self._clock = ledger, archive, run_id, clock
        self._most, self._patience = most, patience
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._waiting: list[tuple[Submission, asyncio.Future[Committed]]] = []
        self._full = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None

    def submit(self, submission: Submission) -> asyncio.Future[Committed]:
        """Hand something in; the future is done when it is durable."""
        acknowledged: asyncio.Future[Committed] = asyncio.get_running_loop().create_future()
        if self._failure is not None:
            acknowledged.set_exception(self._failure)
            return acknowledged
        self._waiting.append((submission, acknowledged))
        if len(self._waiting) >= self._most:
            self._full.set()
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return acknowledged

    async def ask(self, question: Callable[[Ledger], T]) -> T:
        """Put a question to the ledger on its own thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._ledger)

    async def flush(self) -> None:
        """Wait until everything handed in so far is acknowledged, without waiting for more."""
        while self._writer is not None:
            self._full.set()
            await asyncio.wait([self._writer])
        if self._failure is not None:
            raise self._failure

    async def close(self) -> None:
        """Flush, and let go of the thread. Ledger and archive stay the caller's."""
        try:
            await self.flush()
        finally:
            self._thread.shutdown()

    async def _write(self) -> None:
        """Write groups until nothing waits."""
        try:
            while self._waiting:
                await self._gather()
                group, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                await self._write_group(group)
        finally:
            self._writer = None

    async def _gather(self) -> None:
        """Let a group fill, but no longer than the first of it can wait."""
        if len(self._waiting) < self._most:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._full.wait(), self._patience)
        self._full.clear()

    async def _write_group(self, group: list[tuple[Submission, asyncio.Future[Committed]]]) -> None:
        submissions = [submission for submission, _ in group]
        try:
            results = await self.ask(
                lambda ledger: commit_group(
                    ledger, self._archive, self._run_id, submissions, self._clock.now()
                )
            )
        except BaseException as error:
            self._failure = error
            group, self._waiting = group + self._waiting, []
            for _, acknowledged in group:
                if not acknowledged.done():
                    acknowledged.set_exception(error)
            if not isinstance(error, Exception):
                raise
            return
        for (_, acknowledged), committed in zip(group, results, strict=True):
            if not acknowledged.done():
                acknowledged.set_result(committed)


@dataclass(slots=True)
class _Bodies:
    """Which records already hold the bodies of a group: by payload, and for a 304 by the URL it confirms.
    `by_payload` grows with the group, whose own bodies are not yet in the ledger.
    """

    by_payload: dict[str, Original]
    by_url: dict[UrlKey, Original]
    unreadable: list[RecordRef] = field(default_factory=list)

    @classmethod
    def of(cls, ledger: Ledger, group: Sequence[Submission]) -> Self:
        records = [s.finding.capture for s in group if s.capture is not None and s.finding.capture]
        payloads = {record.payload_sha256 for record in records if record.payload_sha256}
        payloads |= {submission.confirms for submission in group if submission.confirms}
        confirmed = {record.url_key: record.final_url for record in records if record.status == _NOT_MODIFIED}
        return cls(ledger.archived.originals_of(payloads), ledger.archived.last_of(confirmed))

    def original_of(self, record: CaptureRecord, confirms: str | None) -> Original | None:
        if record.status == _NOT_MODIFIED:
            return self.by_payload.get(confirms) if confirms else self.by_url.get(record.url_key)
        return self.by_payload.get(record.payload_sha256 or "")


def _archived(archive: Archive, submission: Submission, bodies: _Bodies) -> Finding:
    """The finding with its capture appended."""
    capture, record = submission.capture, submission.finding.capture
    if capture is None or record is None:
        return submission.finding
    original = bodies.original_of(record, submission.confirms)
    if original is not None and not archive.holds(original.ref):
        bodies.unreadable.append(original.ref)
        original = None
    ref = archive.append(capture, original, digest=record.payload_sha256)
    if original is None and record.payload_sha256:
        bodies.by_payload[record.payload_sha256] = Original(ref, record.final_url, record.fetched_at)
    return submission.finding.archived_at(ref)
