"""The keys that everything is joined by, in memory: they stand in every value, and are replaced in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from holdfast.adapters.memory.citations import MemoryCitations
from holdfast.adapters.memory.state import MemoryState
from holdfast.core.errors import LedgerError
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Rekeyed
from holdfast.core.place import Place
from holdfast.core.policy import JOIN

__all__ = ["MemoryJoins"]


class MemoryJoins:
    """The `JoinLedger` port."""

    def __init__(self, state: MemoryState, citations: MemoryCitations) -> None:
        self._state = state
        self._citations = citations
        self._version = JOIN
        self._goal = ""
        self._next: dict[UrlKey, tuple[UrlKey, UrlKey]] = {}

    def version(self) -> str:
        """Which version of `web` makes the keys."""
        return self._version

    def has_key(self, web_key: UrlKey) -> bool:
        """Whether any URL has this key."""
        return any(place.web_key == web_key for place in self._places())

    def key_of(self, key: UrlKey) -> UrlKey | None:
        """The key of a URL by its url key."""
        return next((place.web_key for place in self._places() if place.key == key), None)

    def count(self) -> int:
        """How many URLs there are."""
        return len(self._places())

    def aim(self, goal: str) -> None:
        """What new keys are made for."""
        if goal != self._goal:
            self._next.clear()
        self._goal = goal

    def unkeyed(self) -> Iterator[tuple[Place, ...]]:
        """URLs without a new key, in one group."""
        found = tuple(place for place in self._places() if self._noted(place) is None)
        if found:
            yield found

    def addresses(self, key: UrlKey) -> tuple[str, ...]:
        """Every address by which a URL was asked for, linked to or cited."""
        state, found = self._state, set[str]()
        for run_id, entries in state.frontiers.items():
            found |= {entry.fetch_url for entry in entries.values() if entry.place.key == key}
            found |= set(state.alternates.get((run_id, key), ()))
        for capture in state.seen.captures.values():
            found |= {capture.url, capture.final_url} if capture.place.key == key else set()
        for pages in state.mirrors.pages.values():
            found |= {page.fetch_url for page, _ in pages.values() if page.place.key == key}
        found |= {
            link.href for links in state.seen.links.values() for link in links if link.target.key == key
        }
        every = self._citations.backlinks_like("*")
        found |= {each.citation.fetch_url for each in every if each.citation.place.key == key}
        return tuple(sorted(found - {""}))

    def note(self, keys: Mapping[UrlKey, UrlKey]) -> None:
        """New keys, by url key."""
        present = {place.key: place.web_key for place in self._places()}
        self._next |= {key: (present[key], web_key) for key, web_key in keys.items()}

    def switch(self, version: str) -> Rekeyed:
        """The new keys hold."""
        places = self._places()
        if any(self._noted(place) is None for place in places):
            raise LedgerError("some URLs have no new key yet")
        keys = {key: web_key for key, (_, web_key) in self._next.items()}
        moved = sum(keys[place.key] != place.web_key for place in places)
        for part in fields(self._state):
            setattr(self._state, part.name, _rekeyed(getattr(self._state, part.name), keys))
        merged = self._citations.rekey(lambda value: _rekeyed(value, keys))
        self._version, self._goal, self._next = version, "", {}
        self._state.purges += bool(moved)
        return Rekeyed(moved, merged)

    def _noted(self, place: Place) -> UrlKey | None:
        old, new = self._next.get(place.key, (None, None))
        return new if old == place.web_key else None

    def _places(self) -> list[Place]:
        found: dict[UrlKey, Place] = {}
        everything = [getattr(self._state, part.name) for part in fields(self._state)]
        for value in (*everything, self._citations.all()):
            found.update((place.key, place) for place in _places_in(value))
        return list(found.values())


def _places_in(value: Any) -> Iterator[Place]:
    """Every place that a value speaks of."""
    if isinstance(value, Place):
        yield value
    else:
        for inner in _parts(value):
            yield from _places_in(inner)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if is_dataclass(value):
        return [getattr(value, part.name) for part in fields(value)]
    return list(value) if isinstance(value, tuple | list | set | frozenset) else []


def _rekeyed(value: Any, keys: Mapping[UrlKey, UrlKey]) -> Any:
    """The same value with other `web` keys."""
    made = value
    match value:
        case Place():
            made = value._replace(web_key=keys.get(value.key, value.web_key))
        case dict():
            made = {key: _rekeyed(inner, keys) for key, inner in value.items()}
        case tuple() if hasattr(value, "_make"):
            made = value._make(_rekeyed(inner, keys) for inner in value)
        case tuple() | list() | set() | frozenset():
            made = type(value)(_rekeyed(inner, keys) for inner in value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            made = replace(value, **{p.name: _rekeyed(getattr(value, p.name), keys) for p in fields(value)})
    return made
