"""The one owner of ledger and archive: one thread, one batching rule, one failure path.

1. The order is fixed: records appended, archive synced, ledger committed, then what follows (files, lines),
   then, and only then, whoever handed something in is told. What was not acknowledged may be lost in a crash;
   nothing else may.
2. What is handed in is committed in the order it was handed in, so the ledger always holds a prefix. A
   group closes as its `Batching` says; while one is being written the next gathers, and when that is full,
   its makers wait.
3. Groups are written on a thread of their own, so the event loop does not wait for a disk. Questions take
   their turn with the groups: behind one on the thread, or at once where nobody is at work, which saves the
   way there and back. Ledger and archive are never used by two at a time.
4. After a failure nothing more is taken: `check`, `cluster submit` and `flush` raise it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Self, TypeVar

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.ledger_values import Finding, Original, capture_record
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef, Verdict
from holdfast.storage.store_ports import Archive, Batching, Recordable

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock
    from holdfast.storage.ledger.ledger import Ledger

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E", bound=Recordable)
K = TypeVar("K", bound=str)
_NOT_MODIFIED: Final = 304
_NOTHING: Final = Finding()


def commit_group(
    ledger: Ledger, archive: Archive, run_id: str, group: Sequence[Recordable], at: datetime
) -> tuple[Verdict | None, ...]:
    """Make a group durable. When this returns, it is."""
    parts = [part for entry in group for part in _parts(run_id, entry)]
    bodies = _Bodies.of(ledger, archive, parts)
    findings = [part.archived(archive, bodies) for part in parts]
    if any(part.is_new for part in parts):
        archive.sync()
    written = ledger.commit(run_id, findings, at)
    if bodies.unreadable:  # a page that a 304 confirmed is asked for whole the next time
        ledger.archived.lose(bodies.unreadable, at)
    return tuple(verdict for part, verdict in zip(parts, written, strict=True) if part.is_own)


class ThreadScribe:
    """Takes questions and findings from one event loop. Ledger and archive stay the caller's to close."""

    def __init__(self, ledger: Ledger, archive: Archive, clock: Clock) -> None:
        self._ledger, self._archive, self._clock = ledger, archive, clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._last: Future[Any] | None = None

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question, or carry out a step, where nothing is under way."""
        if self._last is not None and not self._last.done():
            raise RuntimeError("a group is being written; `ask` waits for its turn")
        return question(self._ledger, self._archive)

    async def ask(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question, or carry out a step, in turn."""
        if self._last is None or self._last.done():
            return question(self._ledger, self._archive)
        return await self.begin(question)

    def begin(self, step: Callable[[Ledger, Archive], T]) -> asyncio.Future[T]:
        """Carry out a step on the thread, however short; its turn is now."""
        # Whoever waits may be cancelled; the step itself is not, so that `_last` tells the truth.
        self._last = future = self._thread.submit(step, self._ledger, self._archive)
        return asyncio.shield(asyncio.wrap_future(future))

    def journal(
        self,
        run_id: str,
        batching: Batching,
        then: Callable[[Ledger, Archive, Sequence[E]], R],
        done: Callable[[Sequence[E], Sequence[Verdict | None], R], None],
    ) -> _Journal[E, R]:
        """Open what a run finds out."""

        def write(
            ledger: Ledger, archive: Archive, *, group: Sequence[E]
        ) -> tuple[Sequence[Verdict | None], R]:
            verdicts = commit_group(ledger, archive, run_id, group, self._clock.now())
            return verdicts, then(ledger, archive, group)

        return _Journal(self, batching, write, done)

    def close(self) -> None:
        """Wait for what is under way, and end the thread."""
        self._thread.shutdown(cancel_futures=True)


class _Journal(Generic[E, R]):
    def __init__(
        self,
        scribe: ThreadScribe,
        batching: Batching,
        write: Callable[..., tuple[Sequence[Verdict | None], R]],
        done: Callable[[Sequence[E], Sequence[Verdict | None], R], None],
    ) -> None:
        self._scribe = scribe
        self._batching = batching
        self._write = write
        self._done = done
        self._waiting: list[E] = []
        self._weight = 0
        self._due: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._failure: BaseException | None = None

    @property
    def waiting(self) -> Sequence[E]:
        return self._waiting

    @property
    def is_idle(self) -> bool:
        return not self._waiting and self._writing is None

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure

    async def submit(self, entry: E) -> None:
        self.check()
        self._waiting.append(entry)
        self._weight += entry.weight
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(self._batching.patience, self._fall_due)
        if len(self._waiting) >= self._batching.most or self._weight >= self._batching.most_bytes:
            await self._end_of_group()
            self._start()

    async def flush(self) -> None:
        while not self.is_idle:
            self._start()
            await self._end_of_group()
        self.check()

    async def abandon(self) -> None:
        self._drop()
        if self._writing is not None:
            await self._ended.wait()

    async def _end_of_group(self) -> None:
        """Wait for the group that is being written, if one is: thousands may, each cancelled for itself."""
        if self._writing is not None:
            await self._ended.wait()
        self.check()

    def _fall_due(self) -> None:
        self._due = None
        self._start()

    def _start(self) -> None:
        """Begin to write; while a group is being written, its end begins the next."""
        if self._waiting and self._writing is None:
            group = self._waiting
            self._drop()
            self._ended.clear()
            written = self._scribe.begin(partial(self._write, group=group))
            self._writing = asyncio.create_task(self._write_group(group, written))

    async def _write_group(
        self, group: list[E], written: asyncio.Future[tuple[Sequence[Verdict | None], R]]
    ) -> None:
        try:
            verdicts, result = await written
            self._writing = None
            self._done(group, verdicts, result)
        except BaseException as error:  # noqa: BLE001 - kept: every later call raises it
            self._writing, self._failure = None, error
            self._drop()
        self._ended.set()
        if self._due is None:
            self._start()  # what gathered meanwhile has waited long enough

    def _drop(self) -> None:
        self._waiting, self._weight = [], 0
        if self._due is not None:
            self._due.cancel()
            self._due = None


class _Part(NamedTuple):
    """A finding, and the answer that goes into the archive with it, if one does; not `is_own`: an answer
    beside.
    """

    finding: Finding
    response: Response | None
    record: CaptureRecord | None
    is_own: bool

    @property
    def is_new(self) -> bool:
        return self.response is not None and self.response.ref is None

    def archived(self, archive: Archive, bodies: _Bodies) -> Finding:
        """The finding with its capture appended."""
        record, response = self.record, self.response
        if record is None or response is None:
            return self.finding
        if response.ref is not None:
            return self.finding.with_capture(record)
        original = bodies.original_of(record, response.confirms)
        ref = archive.append(response.capture, original, digest=record.payload_sha256)
        if original is None and record.payload_sha256:
            bodies.by_payload[record.payload_sha256] = Original(ref, record.final_url, record.fetched_at)
        return self.finding.with_capture(record.kept_at(ref))


def _parts(run_id: str, entry: Recordable) -> Iterator[_Part]:
    """What goes into archive and ledger: the entry, and before it what it rests on."""
    if entry.beside is not None:
        yield _part(run_id, _NOTHING, entry.beside, is_own=False)
    yield _part(run_id, entry.finding, entry.response, is_own=True)


def _part(run_id: str, finding: Finding, response: Response | None, *, is_own: bool) -> _Part:
    if response is None:
        return _Part(finding, None, None, is_own)
    record = capture_record(run_id, response.capture, response.place, response.ref, told=response.told)
    return _Part(finding, response, record, is_own)


@dataclass(slots=True)
class _Bodies:
    """Which records already hold the bodies of a group: by payload, and for a 304 by the URL it confirms.
    `by_payload` grows with the group, whose own bodies are not yet in the ledger.
    """

    by_payload: dict[str, Original]
    by_url: dict[UrlKey, Original]
    unreadable: Collection[RecordRef]

    @classmethod
    def of(cls, ledger: Ledger, archive: Archive, parts: Sequence[_Part]) -> Self:
        """What the archive can give back of them; all are looked at before anything is appended."""
        new = [
            (part.record, part.response.confirms)
            for part in parts
            if part.record is not None and part.response is not None and part.response.ref is None
        ]
        payloads = {record.payload_sha256 for record, _ in new if record.payload_sha256}
        unmodified = [record for record, confirms in new if record.status == _NOT_MODIFIED and not confirms]
        payloads |= {confirms for _, confirms in new if confirms}
        by_payload = ledger.archived.originals_of(payloads)
        by_url = ledger.archived.last_of({record.place.key: record.final_url for record in unmodified})
        known = {original.ref for original in (*by_payload.values(), *by_url.values())}
        lost = archive.unreadable(known)
        return cls(_without(lost, by_payload), _without(lost, by_url), lost)

    def original_of(self, record: CaptureRecord, confirms: str | None) -> Original | None:
        if record.status == _NOT_MODIFIED:
            return self.by_payload.get(confirms) if confirms else self.by_url.get(record.place.key)
        return self.by_payload.get(record.payload_sha256 or "")


def _without(lost: Collection[RecordRef], originals: Mapping[K, Original]) -> dict[K, Original]:
    return {key: original for key, original in originals.items() if original.ref not in lost}
