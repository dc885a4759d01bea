"""Captures written once more, to new files of an archive: whole or, where the body is there already, as a
revisit of the record that holds it, so that what was small stays small.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.capture import Capture
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Original
from holdfast.core.lineage import CaptureRecord, RecordRef
from holdfast.ports import Archive

__all__ = ["Rewriting"]

_NOT_MODIFIED: Final = 304


class Rewriting:
    """Captures in their order, on their way to an archive."""

    def __init__(self) -> None:
        self._bodies: dict[str, Original] = {}
        self._latest: dict[tuple[UrlKey, str], Original] = {}

    def append(self, archive: Archive, record: CaptureRecord, capture: Capture) -> RecordRef:
        """Write a capture; where it stands."""
        ref = archive.append(capture, self._original(record))
        self.note(record, ref)
        return ref

    def note(self, record: CaptureRecord, ref: RecordRef) -> None:
        """A capture that stands in the archive: those that come can refer to it."""
        if record.payload_sha256 and record.status != _NOT_MODIFIED:
            own = Original(ref, record.final_url, record.fetched_at)
            first = self._bodies.setdefault(record.payload_sha256, own)
            self._latest[record.place.key, record.final_url] = self._latest[record.place.key, ""] = first

    def _original(self, record: CaptureRecord) -> Original | None:
        if record.status == _NOT_MODIFIED:
            exact = self._latest.get((record.place.key, record.final_url))
            return exact or self._latest.get((record.place.key, ""))
        return self._bodies.get(record.payload_sha256) if record.payload_sha256 else None
