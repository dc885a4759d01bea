"""URLs and hosts by number: what is remembered of them. A database writes those that are new its own way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Protocol

from holdfast.core.hashing import UrlKey
from holdfast.core.place import Place

__all__ = ["PlaceRegister", "Places"]

_REMEMBERED: Final = 16_384


class PlaceRegister(Protocol):
    """Where URLs and hosts get their numbers."""

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs; writes those that are new, and web keys that are not what they were."""
        ...

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts; writes those that are new."""
        ...


class Places:
    """URLs and hosts, each written once and known by a number from then on.

    A URL's `web` key is the last one written: it is what rows are joined by, and moves with the user's
    overrides; the url key and the text never do.
    """

    def __init__(self, register: PlaceRegister) -> None:
        self._register = register
        self._urls: dict[UrlKey, tuple[int, UrlKey]] = {}

    def forget(self) -> None:
        """What was remembered may have been rolled back."""
        self._urls.clear()

    def numbers(self, places: Iterable[Place]) -> dict[UrlKey, int]:
        """The numbers of many URLs; writes those that are new, and web keys that are not what they were."""
        wanted = {place[1]: place for place in places}  # of several web keys the last one counts
        remembered = self._urls.get
        found: dict[UrlKey, int] = {}
        missing: dict[UrlKey, Place] = {}
        for key, place in wanted.items():
            known = remembered(key)
            if known is None or known[1] != place[2]:
                missing[key] = place
            else:
                found[key] = known[0]
        if missing:
            if len(self._urls) + len(missing) > _REMEMBERED:
                self._urls.clear()
            for place, number in self._register.urls(missing):
                found[place.key] = number
                self._urls[place.key] = (number, place.web_key)
        return found

    def host_numbers(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts; writes those that are new."""
        return self._register.hosts(names)
