"""What the jobs need of the outside, as protocols: the web, the mirror's folder, time, the user's own
files.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Protocol

from holdfast.core.base.long_lists import Rows
from holdfast.core.base.values import dataclass
from holdfast.core.page.page import Gist
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Capture, Outcome
from holdfast.core.web.robots import RobotsReport

if TYPE_CHECKING:
    from holdfast.core.documents.document_kinds import DocumentFormat


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


class _Silent:
    def notice(self, event: Event) -> None:
        """Say nothing of it."""


SILENT: Final = _Silent()
"""An observer that says nothing."""


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A document that was found: its path from the root, its size and time, its metadata's path."""

    path: str
    size: int
    mtime_ns: int
    peer: str | None = None


@dataclass(frozen=True, slots=True)
class GivenDocument:
    """A document that is not read from a file: what it is called, what it is read as, and its bytes."""

    path: str
    kind: DocumentFormat
    content: bytes


@dataclass(frozen=True, slots=True)
class UnusedIgnore:
    """A line of an ignore file of ours that decided about nothing."""

    path: str
    line: int
    pattern: str


class Documents(Protocol):
    """The user's own files under one root. Paths are relative to it, in POSIX form."""

    def walk(self, paths: Sequence[str]) -> Iterator[DocumentFile]:
        """The documents in these files and folders, sorted by path, without those that are to be ignored."""
        ...

    def kind_of(self, path: str) -> DocumentFormat | None:
        """What a file is read as; None for what is not a document."""
        ...

    def is_ignored(self, path: str) -> bool:
        """Whether an ignore file of version control leaves out a path, whether it is there or not."""
        ...

    def unused_ignores(self) -> Sequence[UnusedIgnore]:
        """The lines of our own ignore files that decided about nothing in what was walked so far."""
        ...

    def listing(self) -> tuple[Collection[str], Collection[str]]:
        """Every file under the root, hidden ones too, and the folders that were not looked into."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        ...

    def write(self, path: str, content: bytes) -> None:
        """Replace a file atomically."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file if it is there."""
        ...
