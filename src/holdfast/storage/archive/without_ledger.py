"""What an archive tells of itself, without a ledger: the chapters it holds, and where captures stand (STA-7).

1. Files are grouped by the store that their first record names. The store with the most captures is the one
   that is put back; what else there is counts as brought from elsewhere.
2. Of each chapter the last one that is whole counts. What cannot be read is named, and passed over.
3. A chapter is written when the writer ends and its rows are not those that the archive holds; the ledger
   notes all of them after the archive is synced, once. A crash in between leaves records that no ledger
   knows, and the chapters due.
4. With the chapter of a run go the addresses that it refused, each as a record of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from holdfast.adapters.system import sync_folder
from holdfast.core.base.errors import FormatError
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.chapters import (
    MIRROR,
    RUN,
    ChapterLines,
    Part,
    PassingDigest,
    RefusedAddress,
    digest_of,
    parts_of,
    tables_in,
)
from holdfast.storage.archive.members import member_at, stretches_of
from holdfast.storage.archive.shelf import ORPHANS, archive_files, translated
from holdfast.storage.archive.warc_record import Record, decode_part, parse_record

if TYPE_CHECKING:
    from holdfast.storage.archive.archive import WarcArchive


@dataclass(slots=True)
class Salvage:
    """What one file holds: captures by offset with their lengths, and where the parts of chapters stand."""

    path: Path
    store_id: str = ""
    end: int = 0
    captures: dict[int, int] = field(default_factory=dict)
    chapters: dict[str, list[int]] = field(default_factory=dict)
    flaws: list[str] = field(default_factory=list)

    def rows(self, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The rows of a chapter."""
        for offset in self.chapters[name]:
            yield from tables_in(parse_record(member_at(self.path, offset)).block)


def salvage(path: Path) -> Salvage:
    """Read a file from end to end."""
    found = Salvage(path)
    open_parts: dict[str, list[int]] = {}
    last: int | None = None
    with translated(path):
        for offset, length, data in stretches_of(path):
            try:
                if isinstance(data, str):
                    raise FormatError(data)
                record = parse_record(data)
            except (FormatError, ValueError) as error:
                words = str(error)
                found.flaws.append(
                    words if words.startswith(path.name) else f"{path.name} at {offset}: {words}"
                )
                last = None
                continue
            found.end = offset + length
            if record.type == "request" or record.is_hop:
                if last is not None and last + found.captures[last] == offset:
                    found.captures[last] += length
            elif record.type in ("response", "revisit"):
                last = offset
                found.captures[offset] = length
            else:
                _take(found, open_parts, record, offset)
    return found


def _take(found: Salvage, open_parts: dict[str, list[int]], record: Record, offset: int) -> None:
    """A record that is not of a capture."""
    if record.type == "warcinfo":
        found.store_id = record.store_id or ""
    part = decode_part(record)
    if part is None:
        return
    parts = open_parts.setdefault(part.chapter, [])
    if part.number == 1:
        parts.clear()
    if part.number == len(parts) + 1:
        parts.append(offset)
        if part.is_last:
            found.chapters[part.chapter] = parts[:]


def bring_back(folder: Path) -> tuple[list[Salvage], list[Salvage]]:
    """What the files of a folder and of its orphans hold: those of the store to be put back, and the others.
    A whole file of that store among the orphans is moved to where it was, if there is room for its name.
    """
    there = [salvage(path) for path in archive_files(folder)]
    aside = [salvage(path) for path in archive_files(folder / ORPHANS)]
    counts: dict[str, int] = {}
    for file in (*there, *(file for file in aside if "+" not in file.path.name)):
        counts[file.store_id] = counts.get(file.store_id, 0) + len(file.captures)
    store = max(counts, key=lambda name: (counts[name], name), default="")
    with translated(folder):
        for file in aside[:]:
            home = folder / file.path.name
            if file.store_id == store and "+" not in file.path.name and not home.exists():
                file.path.rename(home)
                file.path = home
                aside.remove(file)
                there.append(file)
        for touched in (folder, folder / ORPHANS):
            if touched.is_dir():
                sync_folder(touched)
    own = sorted((file for file in there if file.store_id == store), key=lambda file: file.path.name)
    return own, [file for file in (*there, *aside) if file.store_id != store or file in aside]


def chapters_of(files: list[Salvage]) -> list[Iterator[tuple[str, Mapping[str, Any]]]]:
    """The rows of every chapter, the last that is whole of each; runs come first."""
    last = {name: file for file in files for name in file.chapters}
    order = sorted(last, key=lambda name: (not name.startswith(RUN), not name.startswith(MIRROR), name))
    return [last[name].rows(name) for name in order]


_AT_HAND: Final = 8
"""Parts that are held until it is known whether the archive has them: a chapter of no more is read once."""


class Chapters(Protocol):
    """What a ledger says of its chapters."""

    def due(self, *, of_others: bool = True) -> Iterable[str]:
        """Chapters that the archive does not hold as they are; those written here, or all."""
        ...

    def digest(self, name: str) -> str | None:
        """The digest of what the archive holds of a chapter."""
        ...

    def lines(self, name: str) -> Iterator[ChapterLines]:
        """A chapter's rows."""
        ...

    def refusals(self, name: str) -> Iterator[RefusedAddress]:
        """What a run refused, if the chapter is a run's."""
        ...

    def note(self, name: str, digest: str, ends: dict[str, int]) -> None:
        """The archive holds a chapter as it is, up to there."""
        ...


def keep_chapters(
    chapters: Chapters,
    archive: WarcArchive,
    at: datetime,
    *,
    of_others: bool = True,
    but: Collection[str] = (),
) -> None:
    """Bring the archive up to date with the ledger, where others write with what they did not, `but` for
    those that several write at this moment.
    """
    due = (name for name in chapters.due(of_others=of_others) if name not in but)
    kept = [(name, *_told(chapters, archive, name, at)) for name in due]
    if any(ends for _, _, ends in kept):
        archive.sync()
    for name, digest, ends in kept:
        chapters.note(name, digest, ends)


def _told(chapters: Chapters, archive: WarcArchive, name: str, at: datetime) -> tuple[str, dict[str, int]]:
    """Tell the archive a chapter that it does not hold; its digest, and how far files reach with it."""
    held, passing, ends = chapters.digest(name), PassingDigest(chapters.lines(name)), dict[str, int]()
    with closing(parts_of(name, passing)) as parts:
        begun: list[Part] = []
        if held is not None:
            begun += islice(parts, _AT_HAND)
            digest = passing.digest() if begun[-1].is_last else digest_of(chapters.lines(name))
            if digest == held:
                return held, {}
        records: Iterator[Part | RefusedAddress] = chain(begun, parts, chapters.refusals(name))
        for told in records:
            file, end = archive.append_told(told, at)
            ends[file] = end
    return passing.digest(), ends
