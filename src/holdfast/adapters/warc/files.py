"""Which archive files there are, and how they are made and removed durably.

    archive/<writer>-00001.warc.gz, <writer>-00002.warc.gz, …
    archive/orphans/                                             see `recovery`

A file belongs to one writer. It is continued until it is full, then the next number is taken. A symlink is
never followed (SEC-8); what is made is private to its owner.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from holdfast.adapters.system import NEW_FILE, sync_folder
from holdfast.core.errors import ArchiveError, NoSpaceError

__all__ = [
    "NO_ROOM",
    "ORPHANS",
    "archive_files",
    "file_name",
    "make_folder",
    "number_of",
    "piece_of",
    "remove_file",
    "sync_folder",
    "translated",
    "write_file",
]

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
