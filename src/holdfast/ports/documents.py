"""The user's own files, as the jobs see them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from holdfast.core.values import dataclass

if TYPE_CHECKING:
    from holdfast.formats.document_kinds import DocumentFormat

__all__ = ["DocumentFile", "Documents", "GivenDocument", "UnusedIgnore"]


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
