"""The user's files, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdfast.adapters.ports import DocumentFile, UnusedIgnore
from holdfast.core.documents.document_kinds import DocumentFormat, DocumentKinds
from holdfast.core.links.url_manifest import PEER_SUFFIXES


class MemoryDocuments:
    """The `Documents` port over a mapping; each write counts as a later time. Counts what was read."""

    def __init__(self, files: Mapping[str, bytes], read_as: Sequence[str] = ()) -> None:
        self._kinds = DocumentKinds(read_as)
        self._files = dict(files)
        self._times = dict.fromkeys(self._files, 0)
        self.reads: list[str] = []
        self.made: set[str] = set()

    def walk(self, paths: Sequence[str]) -> Iterator[DocumentFile]:
        """Files whose format is known, sorted."""
        for path in sorted(self._files):
            inside = any(not base or path == base or path.startswith(base + "/") for base in paths)
            hidden = any(part.startswith(".") for part in path.split("/"))
            if inside and not hidden and self.kind_of(path) is not None:
                stem = path.rpartition(".")[0]
                peer = next((stem + s for s in PEER_SUFFIXES if stem + s in self._files), None)
                yield DocumentFile(path, len(self._files[path]), self._times[path], peer)

    def kind_of(self, path: str) -> DocumentFormat | None:
        """By name, and by the patterns that were given."""
        return self._kinds.of(path)

    def is_ignored(self, path: str) -> bool:
        """There are no ignore files here."""
        return path in self.made

    def unused_ignores(self) -> tuple[UnusedIgnore, ...]:
        """There are no ignore files here."""
        return ()

    def listing(self) -> tuple[list[str], list[str]]:
        """All of them."""
        return sorted(self._files), []

    def read(self, path: str) -> bytes | None:
        """A file's bytes."""
        self.reads.append(path)
        return self._files.get(path)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file."""
        self._files[path] = content
        self._times[path] = self._times.get(path, 0) + 1

    def remove(self, path: str) -> None:
        """Remove a file if it is there."""
        self._files.pop(path, None)
