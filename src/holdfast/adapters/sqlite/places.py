"""URLs and hosts, each written once and known by a number from then on.

A URL's `web` key is the last one written: it is what rows are joined by, and moves with the user's
overrides; the url key and the text never do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holdfast.adapters.sqlite.connection import Database
from holdfast.core.hashing import UrlKey
from holdfast.core.ledger import Place

__all__ = ["Places"]

_REMEMBERED: Final = 16_384
_NEW_HOST: Final = "INSERT INTO host (name) VALUES (?) ON CONFLICT (name) DO NOTHING RETURNING host_id"
_HOST: Final = "SELECT host_id FROM host WHERE name = ?"
_NEW_URL: Final = "INSERT INTO url (url_id, url_key, web_key, host_id, url) VALUES (?, ?, ?, ?, ?)"
_URLS: Final = "SELECT url_key, web_key, url_id FROM url WHERE url_key IN ({})"
_MOVED: Final = "UPDATE url SET web_key = ? WHERE url_id = ?"


class Places:
    """Numbers of URLs and hosts; remembers the latest, forgets them all when a transaction fails."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._urls: dict[UrlKey, tuple[int, UrlKey]] = {}
        self._hosts: dict[str, int] = {}

    def forget(self) -> None:
        """What was remembered may have been rolled back."""
        self._urls.clear()
        self._hosts.clear()

    def number(self, place: Place) -> int:
        """A URL's number; writes it where it is new."""
        known = self._urls.get(place.key)
        if known is not None and known[1] == place.web_key:
            return known[0]
        return self.numbers((place,))[place.key]

    def numbers(self, places: Iterable[Place]) -> dict[UrlKey, int]:
        """The numbers of many URLs; writes those that are new, and web keys that are not what they were."""
        remembered = self._urls.get
        found: dict[UrlKey, int] = {}
        missing: dict[UrlKey, Place] = {}
        for place in places:
            known = remembered(place.key)
            if known is not None and known[1] == place.web_key:
                found[place.key] = known[0]
                missing.pop(place.key, None)  # an earlier one had another web key: the last one counts
            else:
                missing[place.key] = place
        if missing:
            if len(self._urls) + len(missing) > _REMEMBERED:
                self._urls.clear()
            for place, number in self._look_up(missing):
                found[place.key] = number
                self._urls[place.key] = (number, place.web_key)
        return found

    def host_number(self, name: str) -> int:
        """A host's number; writes it where it is new."""
        known = self._hosts.get(name)
        if known is None:
            known = self._db.number(_NEW_HOST, (name,)) or self._db.number(_HOST, (name,))
            self._hosts[name] = known
        return known

    def _look_up(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        wanted = {bytes.fromhex(key): place for key, place in places.items()}
        found, moved, new = [], [], []
        for key, web_key, number in self._db.rows_for(_URLS, [(key,) for key in wanted]):
            place = wanted.pop(key)
            found.append((place, number))
            if web_key.hex() != place.web_key:
                moved.append((bytes.fromhex(place.web_key), number))
        if wanted:
            last = self._db.number("SELECT max(url_id) FROM url")
            for number, (key, place) in enumerate(wanted.items(), last + 1):
                found.append((place, number))
                host = self.host_number(place.host)
                new.append((number, key, bytes.fromhex(place.web_key), host, place.url))
        self._db.execute_many(_NEW_URL, new)
        self._db.execute_many(_MOVED, moved)
        return found
