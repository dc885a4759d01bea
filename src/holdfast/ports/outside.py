"""What the jobs need of the outside world beside the ledger: the web, the archive, the folder, the clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Protocol

from holdfast.core.capture import Capture, Outcome
from holdfast.core.ledger import Original
from holdfast.core.lineage import RecordRef
from holdfast.core.page import Gist
from holdfast.core.robots import RobotsReport
from holdfast.core.rows import Rows
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = [
    "Admit",
    "Archive",
    "Clock",
    "Distiller",
    "Event",
    "FetchRequest",
    "Fetcher",
    "Mirror",
    "Observer",
    "Turn",
    "Undistilled",
]

Admit = Callable[[Url], str | None]
"""Scope as the fetcher asks it of each hop: None admits, a text refuses and says why."""


Turn = Callable[[str], Awaitable[float | None]]
"""Waits until a host may be asked; seconds for which it may not, where nobody waits so long."""


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One question: a URL, what is known of it, and which hops may be followed.

    `named_by_user` lets this URL's own origin be private; other origins that a redirect leads to are
    held to the address guard. `max_bytes` replaces the ceilings of the settings, for sitemaps. `headers` are
    sent besides. `turn` is waited for before a redirect to another host is followed.
    """

    url: Url
    etag: str | None = None
    last_modified: str | None = None
    admit: Admit | None = None
    accept: str | None = None
    named_by_user: bool = False
    obey_robots: bool = True
    max_bytes: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    turn: Turn | None = None


class Fetcher(Protocol):
    """The one door to the web."""

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Ask once, politely and safely. Never raises for anything the web does."""
        ...

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:
        """The robots.txt of a URL's origin: its state, its delay, its sitemaps. Asked once a run."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True, slots=True)
class Undistilled:
    """A page that cost more than a page may: `reason` is `cpu`, `memory`, `time` or `crash`."""

    reason: str
    detail: str


class Distiller(Protocol):
    """Where captures are read."""

    async def distill(self, capture: Capture, fragments: frozenset[str] = ...) -> Gist | Undistilled:
        """The gist of a capture's page with its cited sections, or why there is none."""
        ...

    def close(self) -> None:
        """End what was started for it."""
        ...


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


class Mirror(Protocol):
    """The folder of Markdown. Paths are relative, in POSIX form, and come from the mirror plan alone."""

    def write(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Replace a file atomically; its parents are made and resolved (PATH-7)."""
        ...

    def write_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """Replace files, durable together, with these modification times; refusals by path."""
        ...

    def put_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """As `write_all`, without waiting: what is new is durable after the next `settle` only."""
        ...

    def settle(self) -> None:
        """What was put or appended before is durable when this returns; more may be put meanwhile."""
        ...

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file that only grows."""
        ...

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes of a file."""
        ...

    def move(self, path: str, new: str) -> None:
        """Give a file another name in its folder."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        ...

    def pieces(self, path: str) -> Iterator[bytes]:
        """A file's bytes a block at a time, for what may be long; none where there is no file."""
        ...

    def holds(self, path: str, sha256: str) -> bool:
        """Whether a page's file has this content."""
        ...

    def time_of(self, path: str) -> datetime | None:
        """When a file was last modified, in UTC; None where there is none."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file and the folders it leaves empty."""
        ...

    def walk(self) -> Iterator[str]:
        """Every file's path, sorted."""
        ...

    def rows(self) -> Rows:
        """Room for sorting what is about all pages; nothing of it stays."""
        ...

    def free_bytes(self) -> int:
        """How much room is left."""
        ...

    def folds_names(self) -> bool:
        """Whether names that differ only in case or Unicode form are one (PATH-6)."""
        ...


class Clock(Protocol):
    """Time, injected."""

    def now(self) -> datetime:
        """The time of day, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow, for measuring waits."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """Something worth telling: a name from a closed list of the job's own, and its facts."""

    name: str
    facts: tuple[tuple[str, object], ...] = ()


class Observer(Protocol):
    """Whoever shows progress or keeps a log."""

    def notice(self, event: Event) -> None:
        """Be told of an event. Must not fail."""
        ...
