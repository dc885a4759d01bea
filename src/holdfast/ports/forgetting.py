"""Taking things out of a ledger again, and where an archive that is written anew has the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original, Place, Purged, Removal, Tombstone
from holdfast.core.lineage import CaptureRecord, RecordRef

__all__ = ["ForgettingLedger", "MovedCaptures", "Rewrite"]


class MovedCaptures(Protocol):
    """Captures on their way to new files of an archive. There may be millions of them, so this lives where
    the ledger does.
    """

    def staying(self) -> Iterator[CaptureRecord]:
        """Read every archived capture that is not taken out, by file and offset."""
        ...

    def original(self, record: CaptureRecord) -> Original | None:
        """Read where a body is that a capture repeats, among those noted before it."""
        ...

    def note(self, record: CaptureRecord, ref: RecordRef | None) -> None:
        """Write where a capture is now; None: the archive lost it. What is never noted stays where it is."""
        ...

    def leave(self, record: CaptureRecord, ref: RecordRef) -> None:
        """Write that a capture stays where it is: others may repeat its body."""
        ...


Rewrite = Callable[[MovedCaptures], None]
"""Writes an archive anew, durably."""


class ForgettingLedger(Protocol):
    """Taking rows out again: the one exception to "written once" (LIN-1, STA-4)."""

    def places_at(self, web_key: UrlKey) -> tuple[Place, ...]:
        """Read every policy's URL for a place."""
        ...

    def places_on(self, host: str) -> Iterator[Place]:
        """Read every URL on a host (with its port, unless that is the default) that anything was seen of."""
        ...

    def unneeded_captures(self) -> Iterator[str]:
        """Read which archived captures show no item, no image of a current page, and no page itself: where
        the content was taken from the Markdown that a page names, its links come from the page all the same.
        """
        ...

    def tombstones(self) -> Iterator[Tombstone]:
        """Read what was forgotten, by URL."""
        ...

    def purge(
        self,
        keys: Collection[UrlKey],
        captures: Iterable[str],
        rewrite: Rewrite,
        at: datetime,
        files: Sequence[tuple[str, str]] = (),
    ) -> Purged:
        """Write, in one transaction: take out everything seen of URLs, with a tombstone for each, and single
        captures. Inside it `rewrite` is called, once it is clear what stays, and says where the archive has
        that now. The files of what goes, and `files` (label and path), are noted as still to be removed.
        """
        ...

    def removals(self) -> tuple[Removal, ...]:
        """Read what is still to be taken out of mirrors' folders."""
        ...

    def removed(self, label: str) -> None:
        """Write that a mirror's folder has none of it any more."""
        ...
