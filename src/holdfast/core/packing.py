"""Which files of an archive are written anew when small ones are joined: the small ones, and nothing else.

A small file stays where a later record of a file that stays may lean on it: a body that was seen before is
kept once, and the record that names it says in which file, and where. So does an answer "not modified".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from holdfast.core.hashing import UrlKey
from holdfast.core.lineage import CaptureRecord

__all__ = ["FULL_OBJECT", "files_to_join"]

FULL_OBJECT: Final = 64_000_000
"""Size at which an object of a bucket is full: it is held in memory until it is written."""
_NOT_MODIFIED: Final = 304
_Fact = tuple[str, str | None, UrlKey, bool]
"""Of a record: its file, the hash of its body, its page, and whether it is an answer "not modified"."""


def files_to_join(records: Iterable[CaptureRecord], sizes: Mapping[str, int], full: int) -> frozenset[str]:
    """The files to write anew; `records` in the order they were written, `full` is the size of a full file.
    None where there are not two of them: one file cannot become fewer.
    """
    facts = [
        (record.ref.file, record.payload_sha256, record.place.key, record.status == _NOT_MODIFIED)
        for record in records
        if record.ref is not None
    ]
    small = {name for name, size in sizes.items() if size < full / 2}
    while leaned_on := _leaned_on(facts, small):
        small -= leaned_on
    return frozenset(small) if len(small) > 1 else frozenset()


def _leaned_on(facts: Iterable[_Fact], small: Collection[str]) -> set[str]:
    """Those of the small files that a later record of another file may lean on."""
    bodies: defaultdict[str | None, set[str]] = defaultdict(set)
    pages: defaultdict[UrlKey, set[str]] = defaultdict(set)
    found: set[str] = set()
    for file, body, page, is_confirmation in facts:
        if file not in small:
            found |= pages.get(page, set()) if is_confirmation else bodies.get(body, set())
        elif body and not is_confirmation:
            bodies[body].add(file)
            pages[page].add(file)
    return found
