"""Where archive files lie: a folder, or a bucket of objects. Whoever reads them need not know which."""

from __future__ import annotations

import filecmp
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol

from holdfast.adapters.warc.files import (
    ORPHANS,
    archive_files,
    make_folder,
    remove_file,
    sync_folder,
    translated,
    write_file,
)
from holdfast.core.errors import ArchiveError

__all__ = ["ArchiveFile", "FolderShelf", "OrphanFolder", "Shelf"]

_SUFFIX: Final = ".warc.gz"
_CHUNK: Final = 1 << 20


class _HasSize(Protocol):
    @property
    def st_size(self) -> int: ...


class ArchiveFile(Protocol):
    """A file that can be read; a `Path` is one."""

    @property
    def name(self) -> str:
        """What it is called on its shelf."""
        ...

    def open(self, mode: Literal["rb"]) -> BinaryIO:
        """Its bytes."""
        ...

    def stat(self) -> _HasSize:
        """How long it is."""
        ...

    def exists(self) -> bool:
        """Whether it is there."""
        ...


class Shelf(Protocol):
    """Files of one archive."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def files(self) -> Iterable[ArchiveFile]:
        """Every file, by name."""
        ...

    def file(self, name: str) -> ArchiveFile:
        """A file by its name, whether it is there or not."""
        ...

    def read(self, name: str, start: int, end: int) -> bytes:
        """A stretch of a file; shorter where the file ends before."""
        ...

    def replace(self, name: str, pieces: Iterable[bytes]) -> None:
        """Other bytes for a file, all of them at once."""
        ...

    def remove(self, names: Iterable[str]) -> int:
        """Take files away, those that are there; how many bytes that was."""
        ...

    def keep_aside(self, names: Iterable[str]) -> None:
        """Copy files to where nothing reads them, those that are there."""
        ...


class FolderShelf:
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = str(folder)
        self._found: dict[str, Path] = {}

    def files(self) -> list[Path]:
        """Every file, by name; none where there is no folder."""
        return archive_files(self.folder)

    def file(self, name: str) -> Path:
        """A file by its name."""
        if (known := self._found.get(name)) is not None:
            return known
        path = self.folder / name
        if path.parent != self.folder:
            raise ArchiveError(f"this archive has no file {name!r}")
        self._found[name] = path
        return path

    def read(self, name: str, start: int, end: int) -> bytes:
        """A stretch of a file."""
        path = self.file(name)
        with translated(path), path.open("rb", buffering=0) as file:
            file.seek(start)
            return file.read(end - start)

    def replace(self, name: str, pieces: Iterable[bytes]) -> None:
        """Other bytes for a file."""
        write_file(self.file(name), pieces)

    def remove(self, names: Iterable[str]) -> int:
        """Take files away, those that are there."""
        freed = 0
        for name in names:
            with translated(self.folder / name):
                freed += remove_file(self.file(name))
        with translated(self.folder):
            sync_folder(self.folder)
        return freed

    def keep_aside(self, names: Iterable[str]) -> None:
        """Copy files to the orphans, those that are there; durable when this returns."""
        orphans = self.folder / ORPHANS
        with translated(self.folder):
            for path in [path for path in map(self.file, names) if path.is_file()]:
                make_folder(orphans)
                copy = _name_for(path, orphans)
                if not copy.exists():
                    write_file(copy, _pieces(path))


def _name_for(path: Path, orphans: Path) -> Path:
    """A name among the orphans that is free, or has these very bytes."""
    for number in count(1):
        copy = orphans / (
            path.name if number == 1 else f"{path.name.removesuffix(_SUFFIX)}.{number}{_SUFFIX}"
        )
        if not copy.exists() or filecmp.cmp(path, copy, shallow=False):
            return copy
    raise AssertionError("numbers do not end")


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            yield data


class OrphanFolder(FolderShelf):
    """The folder of what no ledger knows; it goes with the last file."""

    def remove(self, names: Iterable[str]) -> int:
        """Take files away, those that are there."""
        freed = super().remove(names)
        with suppress(OSError):
            self.folder.rmdir()
            sync_folder(self.folder.parent)
        return freed
