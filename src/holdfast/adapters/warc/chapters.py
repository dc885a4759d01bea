"""Chapters of a ledger on their way into the archive, and found there again (STA-7).

A chapter is written when the writer ends and its rows are not those that the archive holds; the ledger notes
all of them after the archive is synced, once. A crash in between leaves records that no ledger knows, and the
chapters due.
With the chapter of a run go the addresses that it refused, each as a record of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import chain
from typing import Protocol

from holdfast.adapters.warc.archive import WarcArchive
from holdfast.core.chapters import ChapterLines, Part, PassingDigest, RefusedAddress, digest_of, parts_of

__all__ = ["Chapters", "keep_chapters"]


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
    kept: list[tuple[str, str, dict[str, int]]] = []
    for name in (name for name in chapters.due(of_others=of_others) if name not in but):
        held = chapters.digest(name)
        digest = digest_of(chapters.lines(name)) if held is not None else None
        ends: dict[str, int] = {}
        if digest is None or digest != held:
            passing = PassingDigest(chapters.lines(name))
            records: Iterator[Part | RefusedAddress] = chain(parts_of(name, passing), chapters.refusals(name))
            for told in records:
                file, end = archive.append_told(told, at)
                ends[file] = end
            digest = passing.digest()
        kept.append((name, digest, ends))
    archive.sync()
    for name, digest, ends in kept:
        chapters.note(name, digest, ends)
