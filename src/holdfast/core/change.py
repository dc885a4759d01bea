"""When a cited URL's revision changes (TRK-7).

    recorded   seen now   doubted before   →  recorded   doubted   new revision?
    none       c                              c          none      no: the first one
    c          c          any                 c          none      no
    c          d          none                c          d         no: seen once
    c          d          any                 d          none      yes: two fetches did not see c
    c          d          eager               d          none      yes

1. A fetch that brought no content says nothing: what was doubted stays doubted.
2. A 304 repeats what the last response held: the doubted content where there is one, else the recorded one.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.hashing import ContentHash

__all__ = ["Revision", "after_fetch"]


class Revision(NamedTuple):
    """The content on record, and the other content that was seen once since."""

    recorded: ContentHash | None = None
    doubted: ContentHash | None = None
    is_new: bool = False

    @property
    def last_seen(self) -> ContentHash | None:
        """What the last response held: what a 304 repeats."""
        return self.doubted or self.recorded


def after_fetch(before: Revision, seen: ContentHash, *, eager: bool = False) -> Revision:
    """The revision after one more fetch that brought content."""
    if before.recorded is None or seen == before.recorded:
        return Revision(seen)
    if before.doubted is not None or eager:
        return Revision(seen, is_new=True)
    return Revision(before.recorded, seen)
