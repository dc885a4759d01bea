"""The archive's protocol, and the one owner of ledger and archive, as the jobs see it.

1. A job cannot touch the ledger otherwise: what it wants to know it asks, what it found out it submits.
   Questions and groups take turns on one thread, in the order in which they were put.
2. Where no event loop runs, the owner (a session) needs no thread, and no socket (TRK-1).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.web.capture import Capture

if TYPE_CHECKING:
    from holdfast.core.lineage.batch import Response
    from holdfast.core.lineage.ledger_values import Finding
    from holdfast.core.lineage.lineage import Verdict
    from holdfast.storage.ledger.ledger import Ledger


class Archive(Protocol):
    """Captures, kept whole. One writer; readers come and go."""

    def append(
        self, capture: Capture, original: Original | None = None, *, digest: str | None = None
    ) -> RecordRef:
        """Write a capture, as a revisit where `original` holds its body; durable only after `sync`.

        `digest` is the body's SHA-256 in hex, where the caller has worked it out already.
        A failed write or sync ends the writer: what was committed is safe, the rest is moved aside later.
        """
        ...

    def sync(self) -> None:
        """Make everything appended durable."""
        ...

    def next_files(self, count: int) -> tuple[str, ...]:
        """What the next files will be called, if one is begun now, as far as that is known."""
        ...

    def begin_file(self) -> None:
        """Go on in a new file; what was appended stays where it is."""
        ...

    def drop_files(self, names: Collection[str]) -> int:
        """Remove these files; how many bytes that was."""
        ...

    def keep_aside(self, names: Collection[str]) -> None:
        """Keep files where nothing reads them any more and nothing deletes them."""
        ...

    def unreadable(self, refs: Collection[RecordRef]) -> Collection[RecordRef]:
        """The references at which no record can be read: a revisit may not refer to them."""
        ...

    def read(self, ref: RecordRef) -> Capture:
        """The capture at a reference, its length and digests checked; a revisit brings its body along."""
        ...


T = TypeVar("T")
R = TypeVar("R")


class Recordable(Protocol):
    """Something found out: the finding, the answer it rests on, and another that it needed (archived first).

    The capture of the finding is made of the response; a finding without one is written as it is.
    """

    @property
    def finding(self) -> Finding:
        """What the ledger is told."""
        ...

    @property
    def response(self) -> Response | None:
        """The answer to archive, unless the archive has it."""
        ...

    @property
    def beside(self) -> Response | None:
        """Another answer to archive."""
        ...

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        ...


E = TypeVar("E", bound=Recordable)
E_contra = TypeVar("E_contra", bound=Recordable, contravariant=True)


@dataclass(frozen=True, slots=True)
class Batching:
    """When a group is written: when it has so many entries, or so many bytes of answers, or its first has
    waited so many seconds. A small group costs a sync of its own.
    """

    most: int = 64
    most_bytes: int = 16_000_000
    patience: float = 0.1


class Journal(Protocol[E_contra]):
    """What one run finds out, written in groups and in order. After a failure nothing more is taken: whoever
    comes later gets the same error.
    """

    @property
    def waiting(self) -> Sequence[Any]:
        """The entries that no group has taken yet."""
        ...

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits and nothing is being written."""
        ...

    def check(self) -> None:
        """Raise what a group failed with, if one did."""
        ...

    async def submit(self, entry: E_contra) -> None:
        """Hand something in. Waits while a full group stands behind one that is being written."""
        ...

    async def flush(self) -> None:
        """Wait until everything handed in so far is durable, without waiting for more."""
        ...

    async def abandon(self) -> None:
        """Drop what waits, and wait for what is being written."""
        ...


class Keeper(Protocol):
    """Ledger and archive, where one thing happens at a time: no event loop, or nothing else under way."""

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question, or carry out a step. An answer may be a stream, for whoever reads it at once."""
        ...


class Scribe(Keeper, Protocol):
    """Ledger and archive, asked and written in turn."""

    async def ask(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question, or carry out a step, on the thread that owns both."""
        ...

    def begin(self, step: Callable[[Ledger, Archive], T]) -> Awaitable[T]:
        """Carry out a step on the thread while the caller goes on: before whatever comes later."""
        ...

    def journal(
        self,
        run_id: str,
        batching: Batching,
        then: Callable[[Ledger, Archive, Sequence[E]], R],
        done: Callable[[Sequence[E], Sequence[Verdict | None], R], None],
    ) -> Journal[E]:
        """Open what a run finds out. `then` goes on on the thread once a group is committed; `done` is told
        on the event loop when that is over.
        """
        ...

    def close(self) -> None:
        """Wait for what is under way, and end the thread; ledger and archive stay open."""
        ...
