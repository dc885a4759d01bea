"""What a writer finds when it opens an archive, and what becomes of it (STA-7); a copy of an archive.

    on disk                              in the ledger       what is done
    ───────────────────────────────────  ──────────────────  ─────────────────────────────────────────────
    bytes up to the committed end        committed           nothing
    whole records after it               unknown             moved to `orphans/NAME+OFFSET.warc.gz`, said
    a file of records                    unknown             moved to `orphans/NAME.warc.gz`, said
    a torn record at the end             unknown             dropped, with a file that holds nothing else
    a file without a byte                unknown             dropped: a power cut left its name alone
    a file                               spare               deleted: the ledger has all of it elsewhere
    a file with bytes missing, or none   committed           left as it is; writing goes on in a new file
    no room to move them                 unknown             left as they are; writing goes on in a new file

1. Records are moved as they are, byte for byte: an orphan is a WARC file that other tools read.
2. A number that was ever taken, by an orphan too, is not taken again: revisits name files.
3. What is moved is durable before what was there is cut. A crash in between moves it again, to the same
   name.
4. An archive is copied as far as a ledger has committed it. Files only grow: a writer may go on meanwhile.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from holdfast.adapters.system import sync_folder
from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.values import dataclass
from holdfast.storage.archive.members import stretches_of
from holdfast.storage.archive.shelf import (
    NO_ROOM,
    ORPHANS,
    ArchiveFile,
    Shelf,
    archive_files,
    make_folder,
    number_of,
    remove_file,
    write_file,
)
from holdfast.storage.archive.warc_record import HOP_TO

_SUFFIX: Final = ".warc.gz"
_CHUNK: Final = 1 << 20
_BESIDE: Final = (b"warcinfo", b"request", b"metadata")
_HOP: Final = f"{HOP_TO}: ".encode()


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """What the ledger says of the archive: how far each file is committed, and which files are spare."""

    ends: Mapping[str, int]
    spare: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Aside:
    """Records that the ledger does not know, and the file among the orphans that holds them now."""

    file: str
    records: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """Where writing goes on, what was moved aside, and how far files reach that lost something."""

    number: int
    offset: int
    aside: tuple[Aside, ...]
    lost: Mapping[str, int]


def recover(folder: Path, writer: str, known: KnownFiles, limit: int) -> Recovered:
    """Bring a writer's files to what the ledger has committed; nothing that was fetched is lost by it."""
    lost = _lost(folder, known.ends)
    for name in known.spare:
        remove_file(folder / name)
    own = [path for path in archive_files(folder) if number_of(path.name, writer)]
    aside = [moved for path in own if (moved := _settle(path, known.ends.get(path.name, 0)))]
    left = [path.name for path in own if path.exists() and path.stat().st_size > known.ends.get(path.name, 0)]
    sync_folder(folder)
    last, offset = max(
        ((number_of(name, writer), end) for name, end in known.ends.items()), default=(0, limit)
    )
    orphans = (path.name for path in archive_files(folder / ORPHANS))
    highest = max((number_of(name, writer) for name in (*known.spare, *orphans, *left)), default=0)
    if last and last >= highest and offset < limit and not left and not lost:
        return Recovered(last, offset, tuple(aside), lost)
    return Recovered(max(last, highest) + 1, 0, tuple(aside), lost)


def _lost(folder: Path, ends: Mapping[str, int]) -> dict[str, int]:
    """How far the files reach that are shorter than what was committed."""
    sizes = {name: path.stat().st_size if (path := folder / name).is_file() else 0 for name in ends}
    return {name: size for name, size in sizes.items() if size < ends[name]}


def _settle(path: Path, end: int) -> Aside | None:
    """Move aside what stands after the committed end, and cut the file there."""
    if path.stat().st_size < end or (end and path.stat().st_size == end):
        return None
    records, whole = _whole_records(path, end)
    try:
        moved = Aside(_set_aside(path, end, whole), records) if records else None
    except OSError as error:
        if error.errno in NO_ROOM:
            return None
        raise
    if end:
        os.truncate(path, end)
    else:
        remove_file(path)
    return moved


def _whole_records(path: Path, start: int) -> tuple[int, int]:
    """How many captures stand whole after an offset, and where the last of them ends. Damage between whole
    records is kept with them; only what no whole record follows is torn.
    """
    captures, whole = 0, start
    for offset, length, record in stretches_of(path, start):
        if isinstance(record, bytes):
            captures += _is_capture(record)
            whole = offset + length
    return captures, whole


def _set_aside(path: Path, start: int, end: int) -> str:
    """Keep a stretch of a file among the orphans, durably; its name there. Equal bytes are kept once."""
    orphans = path.parent / ORPHANS
    make_folder(orphans)
    stem = path.name.removesuffix(_SUFFIX) + (f"+{start}" if start else "")
    for attempt in range(1, 1_000_000):
        name = f"{stem}{f'.{attempt}' if attempt > 1 else ''}{_SUFFIX}"
        if not (orphans / name).exists():
            if start:
                write_file(orphans / name, stretch(path, start, end))
            else:
                os.truncate(path, end)
                path.rename(orphans / name)
                sync_folder(orphans)
            return name
        if _digest(stretch(orphans / name, 0, None)) == _digest(stretch(path, start, end)):
            return name
    raise ArchiveError(f"{orphans} has no name left for what the ledger does not know of {path.name}")


def stretch(path: ArchiveFile, start: int, end: int | None) -> Iterator[bytes]:
    """The bytes of a file from one offset to another, or to its end."""
    with path.open("rb") as file:
        file.seek(start)
        left = (path.stat().st_size if end is None else end) - start
        while left > 0 and (data := file.read(min(left, _CHUNK))):
            left -= len(data)
            yield data


def _digest(pieces: Iterable[bytes]) -> bytes:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.digest()


def _is_capture(record: bytes) -> bool:
    """Whether a record holds something that was fetched."""
    head = record.partition(b"\r\n\r\n")[0]
    return _HOP not in head and not any(b"WARC-Type: " + kind in head for kind in _BESIDE)


def copy_archive(archive: Shelf, orphans: Shelf, copy: Path, ends: dict[str, int]) -> int:
    """The archive's files up to there, and what lies beside them."""
    make_folder(copy)
    size = 0
    for name, end in ends.items():
        write_file(copy / name, stretch(archive.file(name), 0, end))
        size += end
    aside = copy / ORPHANS
    for path in orphans.files():
        make_folder(aside)
        write_file(aside / Path(path.name).name, stretch(path, 0, None))
        size += (aside / Path(path.name).name).stat().st_size
    return size
