"""Which files of an archive are written anew when small ones are joined: the small ones, and nothing else.

A small file stays where a later record of a file that stays may lean on it: a body that was seen before is
kept once, and the record that names it says in which file, and where. So does an answer "not modified".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from holdfast.core.lineage import CaptureRecord

__all__ = ["FULL_OBJECT", "files_to_join"]

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
