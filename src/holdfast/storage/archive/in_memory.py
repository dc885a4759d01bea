"""The archive in memory: captures by reference."""

from __future__ import annotations

from collections.abc import Collection

from holdfast.core.base.errors import ArchiveError
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import RecordRef
from holdfast.core.web.capture import Capture

_FILE = "memory.warc"


class MemoryArchive:
    """The `Archive` port. A record's length is its body's, and never nothing."""

    def __init__(self) -> None:
        self._captures: dict[RecordRef, Capture] = {}
        self._end = 0
        self.synced_to = 0

    def append(
        self,
        capture: Capture,
        original: Original | None = None,
        *,
        digest: str | None = None,  # noqa: ARG002 - the port has it
    ) -> RecordRef:
        """Keep a capture; a revisit takes one byte."""
        ref = RecordRef(_FILE, self._end, 1 if original else len(capture.body) + 1)
        self._captures[ref] = capture
        self._end += ref.length
        return ref

    def sync(self) -> None:
        """As durable as memory is."""
        self.synced_to = self._end

    def next_files(self, count: int) -> tuple[str, ...]:  # noqa: ARG002 - the port has it
        """There are no files in memory."""
        return ()

    def begin_file(self) -> None:
        """There is only one."""

    def drop_files(self, names: Collection[str]) -> int:  # noqa: ARG002 - the port has it
        """Nothing lies about in memory."""
        return 0

    def keep_aside(self, names: Collection[str]) -> None:
        """Nothing lies about in memory."""

    def unreadable(self, refs: Collection[RecordRef]) -> Collection[RecordRef]:
        """The references at which there is no record."""
        return set(refs) - self._captures.keys()

    def read(self, ref: RecordRef) -> Capture:
        """The capture at a reference."""
        if ref not in self._captures:
            raise ArchiveError(f"there is no record of {ref.length} bytes at {ref.offset} of {ref.file}")
        return self._captures[ref]
