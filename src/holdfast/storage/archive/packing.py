"""Which small files of an archive are joined, and which record holds a body that is repeated.

1. The small files are written anew, and nothing else. A small file stays where a later record of a file
   that stays may lean on it: a body that was seen before is kept once, and the record that names it says in
   which file, and where. So does an answer "not modified".
2. The record that holds the body that a capture repeats is the first with that body; for a 304, what its
   URL last had.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.ledger_values import Original
from holdfast.core.lineage.lineage import CaptureRecord, RecordRef

FULL_OBJECT: Final = 64_000_000
"""Size at which an object of a bucket is full: it is held in memory until it is written."""
_NOT_MODIFIED: Final = 304
_MARK: Final = 16
_NONE: Final[frozenset[str]] = frozenset()


def files_to_join(
    records: Callable[[], Iterable[CaptureRecord]], sizes: Mapping[str, int], full: int
) -> frozenset[str]:
    """The files to write anew; `records` gives them in the order they were written, as often as it is asked,
    and `full` is the size of a full file. Files without a record hold the ledger's chapters, which are told
    again, together, after every change. One file cannot become fewer: so what was joined stays.
    """
    small = {name for name, size in sizes.items() if size < full / 2}
    while leaned_on := _leaned_on(records(), small):
        small -= leaned_on
    holding = small & {record.ref.file for record in records() if record.ref is not None}
    groups = (holding, small - holding)
    return frozenset(name for group in groups if len(group) > 1 for name in group)


def _leaned_on(records: Iterable[CaptureRecord], small: Collection[str]) -> set[str]:
    """Those of the small files that a later record of another file may lean on. Bodies and pages are known by
    the beginnings of their hashes: where two are alike, a file stays that need not.
    """
    alone = {name: frozenset({name}) for name in small}
    bodies: dict[str, frozenset[str]] = {}
    pages: dict[str, frozenset[str]] = {}
    found: set[str] = set()
    for record in records:
        if record.ref is None:
            continue
        file, page, is_confirmation = (
            record.ref.file,
            record.place.key[:_MARK],
            record.status == _NOT_MODIFIED,
        )
        body = (record.payload_sha256 or "")[:_MARK]
        if file not in small:
            found |= pages.get(page, _NONE) if is_confirmation else bodies.get(body, _NONE)
        elif body and not is_confirmation:
            for known, mark in ((bodies, body), (pages, page)):
                before = known.get(mark, _NONE)
                known[mark] = before if file in before else before | alone[file] if before else alone[file]
    return found


_SAYS_NOT_MODIFIED: Final = 304


class RepeatedBodies:
    """Captures in their order, and where each body is."""

    def __init__(self) -> None:
        self._bodies: dict[str, Original] = {}
        self._latest: dict[tuple[UrlKey, str], Original] = {}

    def note(self, record: CaptureRecord, ref: RecordRef) -> None:
        """A capture that stands in the archive: those that come can refer to it."""
        if record.payload_sha256 and record.status != _SAYS_NOT_MODIFIED:
            own = Original(ref, record.final_url, record.fetched_at)
            first = self._bodies.setdefault(record.payload_sha256, own)
            self._latest[record.place.key, record.final_url] = self._latest[record.place.key, ""] = first

    def original(self, record: CaptureRecord) -> Original | None:
        """What a capture repeats, among those noted before it."""
        if record.status == _SAYS_NOT_MODIFIED:
            exact = self._latest.get((record.place.key, record.final_url))
            return exact or self._latest.get((record.place.key, ""))
        return self._bodies.get(record.payload_sha256) if record.payload_sha256 else None
