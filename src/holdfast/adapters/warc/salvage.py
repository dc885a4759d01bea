"""What an archive tells of itself, without a ledger: the chapters it holds, and where captures stand (STA-7).

1. Files are grouped by the store that their first record names. The store with the most captures is the one
   that is put back; what else there is counts as brought from elsewhere.
2. Of each chapter the last one that is whole counts. What cannot be read is named, and passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from holdfast.adapters.system import sync_folder
from holdfast.adapters.warc.files import archive_files, translated
from holdfast.adapters.warc.members import member_at, stretches_of
from holdfast.adapters.warc.recovery import ORPHANS
from holdfast.core.chapters import MIRROR, RUN, tables_in
from holdfast.core.errors import FormatError
from holdfast.core.values import dataclass
from holdfast.formats.warc_chapters import decode_part
from holdfast.formats.warc_record import Record, parse_record

__all__ = ["Salvage", "bring_back", "chapters_of", "salvage"]


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
