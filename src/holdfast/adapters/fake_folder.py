"""A mirror's folder in memory: the `Mirror` port for tests and dry runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from holdfast.core.base.hashing import content_hash
from holdfast.core.base.long_lists import RowsInMemory

_ROOM = 1 << 40


class MemoryMirror:
    """Files by path. Everything can be written, nothing is refused."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files: dict[str, bytes] = dict(files or {})

    def write(self, path: str, content: bytes | Iterable[bytes]) -> None:
        """Replace a file."""
        self.files[path] = content if isinstance(content, bytes) else b"".join(content)

    def write_all(
        self, files: Mapping[str, bytes | Iterable[bytes]], times: Mapping[str, float] | None = None
    ) -> dict[str, str]:
        """Replace files; times are not kept."""
        del times
        for path, content in files.items():
            self.write(path, content)
        return {}

    put_all = write_all

    def settle(self) -> None:
        """Nothing in memory is durable."""

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file."""
        self.files[path] = self.files.get(path, b"") + data

    def cut(self, path: str, size: int) -> None:
        """Drop what stands after `size` bytes."""
        self.files[path] = self.files[path][:size]

    def move(self, path: str, new: str) -> None:
        """Give a file another name in its folder."""
        folder, slash, _ = path.rpartition("/")
        self.files[f"{folder}{slash}{new.rpartition('/')[2]}"] = self.files.pop(path)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is none."""
        return self.files.get(path)

    def pieces(self, path: str) -> Iterator[bytes]:
        """A file's bytes."""
        yield self.files.get(path, b"")

    def holds(self, path: str, sha256: str) -> bool:
        """Whether a page's file has this content."""
        data = self.files.get(path)
        return data is not None and content_hash(data) == sha256

    def time_of(self, path: str) -> datetime | None:  # noqa: ARG002 - the port has it
        """Files in memory have no time of their own."""
        return None

    def has(self, path: str) -> bool:
        """Whether there is a file or a folder of that name."""
        return path in self.files or any(name.startswith(f"{path}/") for name in self.files)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self.files.pop(path, None)

    def walk(self) -> Iterator[str]:
        """Every file's path, sorted."""
        yield from sorted(self.files)

    def rows(self) -> RowsInMemory:
        """Room for sorting."""
        return RowsInMemory()

    def free_bytes(self) -> int:
        """Room enough."""
        return _ROOM

    def folds_names(self) -> bool:
        """Names are kept as they are."""
        return False
