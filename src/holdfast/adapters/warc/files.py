"""Which archive files there are, which is written next, and what a crash left behind.

    archive/<writer>-00001.warc.gz, <writer>-00002.warc.gz, …

1. A file belongs to one writer. It is continued until it is full, then the next number is taken.
2. What the ledger has committed is the truth. A file that is longer is cut to its committed end when its
   writer opens; one that is shorter has lost something, and nothing is written until somebody has looked.
3. A file that the ledger has never heard of is removed if it knows others of this writer's (then it was
   never committed), and left alone if it knows none (then the ledger may be what was lost).
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from holdfast.core.errors import ArchiveError, NoSpaceError

__all__ = ["archive_files", "recover", "sync_folder", "translated"]

_NAME = re.compile(r"(?P<writer>.+)-(?P<number>[0-9]{5,})\.warc\.gz\Z")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """The operating system's errors in words."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise NoSpaceError(
                f"no space left for the archive {path}",
                hint="what was acknowledged is safe; make room and start again",
            ) from error
        raise ArchiveError(f"archive {path}: {error.strerror}") from error


def archive_files(folder: Path) -> list[Path]:
    """Every archive file, by name."""
    return sorted(path for path in folder.glob("*.warc.gz") if path.is_file())


def file_name(writer: str, number: int) -> str:
    """The name of a writer's file."""
    return f"{writer}-{number:05d}.warc.gz"


def recover(folder: Path, writer: str, committed: Mapping[str, int], limit: int) -> tuple[int, int]:
    """Cut what was never committed; the number of the file to write to, and the offset to go on from."""
    own = [path for path in archive_files(folder) if _belongs(path.name, writer)]
    knows_own = any(_belongs(name, writer) for name in committed)
    for name, end in committed.items():
        if end and not (folder / name).exists():
            raise ArchiveError(f"{folder / name} is missing; the ledger has {end} bytes of it")
    last, offset = 0, limit
    for path in own:
        last = max(last, _number(path.name))
        size = path.stat().st_size
        end = committed.get(path.name, 0)
        if size < end:
            raise ArchiveError(
                f"{path} has {size} bytes, the ledger has committed {end}",
                hint="the file was cut or replaced: restore it, or look at `holdfast archive check`",
            )
        if end == 0 and knows_own:
            path.unlink()
        elif end and size > end:
            os.truncate(path, end)
    for name, end in committed.items():
        if _belongs(name, writer) and _number(name) == last:
            offset = end
    sync_folder(folder)
    return (last, offset) if offset < limit else (last + 1, 0)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _belongs(name: str, writer: str) -> bool:
    match = _NAME.match(name)
    return match is not None and match["writer"] == writer


def _number(name: str) -> int:
    match = _NAME.match(name)
    return int(match["number"]) if match else 0
