"""Which record of an archive holds the body that a capture repeats: the first one with that body; for a 304,
what its URL last had.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original
from holdfast.core.lineage import CaptureRecord, RecordRef

__all__ = ["RepeatedBodies"]

_NOT_MODIFIED: Final = 304


class RepeatedBodies:
    """Captures in their order, and where each body is."""

    def __init__(self) -> None:
        self._bodies: dict[str, Original] = {}
        self._latest: dict[tuple[UrlKey, str], Original] = {}

    def note(self, record: CaptureRecord, ref: RecordRef) -> None:
        """A capture that stands in the archive: those that come can refer to it."""
        if record.payload_sha256 and record.status != _NOT_MODIFIED:
            own = Original(ref, record.final_url, record.fetched_at)
            first = self._bodies.setdefault(record.payload_sha256, own)
            self._latest[record.place.key, record.final_url] = self._latest[record.place.key, ""] = first

    def original(self, record: CaptureRecord) -> Original | None:
        """What a capture repeats, among those noted before it."""
        if record.status == _NOT_MODIFIED:
            exact = self._latest.get((record.place.key, record.final_url))
            return exact or self._latest.get((record.place.key, ""))
        return self._bodies.get(record.payload_sha256) if record.payload_sha256 else None
