"""The ledger's join keys made anew, for another version of `web` or for overrides that changed (ID-13).

1. New keys are noted in groups beside the present ones, and taken all at once when every URL has one: whoever
   asks meanwhile, and whoever comes after a kill, finds one set of keys, whole. A second start goes on.
2. A key of which nothing known can have been the origin is made of the URL's own form, and counted; with
   `only_known` it stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from holdfast.core.answers.upkeep import LedgerRekeyed
from holdfast.core.hashing import UrlKey
from holdfast.core.place import Place
from holdfast.core.rekeying import KeyMaker
from holdfast.ports import JoinLedger

__all__ = ["rekey"]

Tell = Callable[[int, int], None]
"""Learns how many URLs of how many have a new key."""


def rekey(
    joins: JoinLedger, make: KeyMaker, goal: str, *, only_known: bool = False, tell: Tell | None = None
) -> LedgerRekeyed:
    """Make a ledger's keys anew; `goal` names the settings that the new ones are made with, to go on with."""
    before, total = joins.version(), joins.count()
    joins.aim(goal)
    unexplained, done = 0, 0
    for group in joins.unkeyed():
        keys: dict[UrlKey, UrlKey] = {}
        for place in group:
            key = make.key(place, partial(joins.addresses, place.key))
            unexplained += key is None
            keys[place.key] = key or _otherwise(place, make, only_known=only_known)
        joins.note(keys)
        done += len(group)
        if tell is not None:
            tell(done, total)
    moved, merged = joins.switch(make.goal.full_name)
    return LedgerRekeyed(before, make.goal.full_name, total, moved, merged, unexplained)


def _otherwise(place: Place, make: KeyMaker, *, only_known: bool) -> UrlKey:
    return place.web_key if only_known else make.own_key(place)
