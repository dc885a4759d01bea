"""Sections of a ledger on their way into the archive, and found there again (STA-7).

A section is written when the writer ends and its rows are not those that the archive holds; the ledger notes
it after the archive is synced. A crash in between leaves records that no ledger knows, and the section due.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Protocol

from holdfast.adapters.warc.archive import WarcArchive
from holdfast.core.sections import SectionLine, digest_of, parts_of

__all__ = ["Sections", "keep_sections"]


class Sections(Protocol):
    """What a ledger says of its sections."""

    def due(self) -> Iterable[str]:
        """Sections that the archive does not hold as they are."""
        ...

    def digest(self, name: str) -> str | None:
        """The digest of what the archive holds of a section."""
        ...

    def lines(self, name: str) -> Iterator[SectionLine]:
        """A section's rows."""
        ...

    def note(self, name: str, digest: str, ends: dict[str, int]) -> None:
        """The archive holds a section as it is, up to there."""
        ...


def keep_sections(sections: Sections, archive: WarcArchive, at: datetime) -> None:
    """Bring the archive up to date with the ledger."""
    for name in sections.due():
        digest = digest_of(sections.lines(name))
        ends: dict[str, int] = {}
        if digest != sections.digest(name):
            for part in parts_of(name, sections.lines(name)):
                file, end = archive.append_part(part, at)
                ends[file] = end
            archive.sync()
        sections.note(name, digest, ends)
