"""Where archive files lie: a folder, or a bucket of objects. Whoever reads them need not know which.

Archive files of a folder are made and removed durably:

    archive/<writer>-00001.warc.gz, <writer>-00002.warc.gz, …
    archive/orphans/                                             see `recovery`

A file belongs to one writer. It is continued until it is full, then the next number is taken. A symlink is
never followed (SEC-8); what is made is private to its owner.
"""

from __future__ import annotations

import errno
import filecmp
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol

from holdfast.adapters.system import NEW_FILE, sync_folder
from holdfast.core.base.errors import ArchiveError, NoSpaceError

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


_NAME = re.compile(
    r"(?P<writer>[A-Za-z0-9._-]+)-(?P<number>[0-9]{5,12})(\+(?P<start>[0-9]+))?(\.[0-9]+)?\.warc\.gz\Z"
)
ORPHANS = "orphans"
"""Where what no ledger knows is kept."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """The operating system's errors in words."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise NoSpaceError(
                f"no space left for the archive {path}",
                hint="what was acknowledged is safe; make room and start again",
            ) from error
        raise ArchiveError(f"archive {path}: {error.strerror}") from error


def archive_files(folder: Path) -> list[Path]:
    """Every archive file of a folder, by name; none where there is no folder."""
    files = sorted(folder.glob("*.warc.gz"))
    for path in files:
        if path.is_symlink():
            raise ArchiveError(f"{path} is a symlink; it is not followed")
    return [path for path in files if path.is_file()]


def file_name(writer: str, number: int) -> str:
    """The name of a writer's file."""
    return f"{writer}-{number:05d}.warc.gz"


def number_of(name: str, writer: str) -> int:
    """The number of a writer's file, an orphaned piece of one included; 0 for another name."""
    match = _NAME.match(name)
    return int(match["number"]) if match is not None and match["writer"] == writer else 0


def piece_of(name: str) -> tuple[str, int] | None:
    """The file of which an orphan is a piece, and where in it the piece began; None where it is whole."""
    match = _NAME.match(name)
    if match is None or match["start"] is None:
        return None
    return f"{match['writer']}-{match['number']}.warc.gz", int(match["start"])


def make_folder(folder: Path, *, parents: bool = False) -> None:
    """Make a folder, if it is not there, for its owner alone, and make its name durable; with `parents` those
    it lies in, too.
    """
    if parents and not folder.parent.is_dir():
        make_folder(folder.parent, parents=True)
    with suppress(FileExistsError):
        folder.mkdir(0o700)
        sync_folder(folder.parent)


def write_file(path: Path, pieces: Iterable[bytes]) -> None:
    """A new file of these bytes, whole and durable when this returns, or not there."""
    draft = path.with_name(path.name + ".tmp")
    with suppress(FileNotFoundError):
        draft.unlink()
    handle = os.open(draft, NEW_FILE, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(handle)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def remove_file(path: Path) -> int:
    """Remove a file, if it is there; how many bytes that was."""
    try:
        size = path.lstat().st_size
        path.unlink()
    except FileNotFoundError:
        return 0
    return size
