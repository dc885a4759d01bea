"""Chapters of a ledger on their way into the archive, and found there again (STA-7).

A chapter is written when the writer ends and its rows are not those that the archive holds; the ledger notes
all of them after the archive is synced, once. A crash in between leaves records that no ledger knows, and the
chapters due.
With the chapter of a run go the addresses that it refused, each as a record of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from itertools import chain, islice
from typing import Final, Protocol

from holdfast.adapters.warc.archive import WarcArchive
from holdfast.core.chapters import ChapterLines, Part, PassingDigest, RefusedAddress, digest_of, parts_of

__all__ = ["Chapters", "keep_chapters"]

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
