"""URLs and hosts, each written once and known by a number from then on.

A URL's `web` key is the last one written: it is what rows are joined by, and moves with the user's
overrides; the url key and the text never do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from holdfast.adapters.sqlite.connection import Database
from holdfast.core.ledger import Place

__all__ = ["Places"]

_REMEMBERED: Final = 16_384
_NEW_HOST: Final = "INSERT INTO host (name) VALUES (?) ON CONFLICT (name) DO NOTHING RETURNING host_id"
_HOST: Final = "SELECT host_id FROM host WHERE name = ?"
_NEW_URL: Final = """
INSERT INTO url (url_key, web_key, host_id, url) VALUES (?, ?, ?, ?)
ON CONFLICT (url_key) DO NOTHING RETURNING url_id
"""
_URL: Final = "SELECT url_id, web_key FROM url WHERE url_key = ?"


class Places:
    """Numbers of URLs and hosts; remembers the latest, forgets them all when a transaction fails."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._urls: dict[str, tuple[int, str]] = {}
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
        if len(self._urls) >= _REMEMBERED:
            self._urls.clear()
        number = self._look_up(place)
        self._urls[place.key] = (number, place.web_key)
        return number

    def numbers(self, places: Iterable[Place]) -> list[int]:
        """The numbers of many URLs."""
        get, number = self._urls.get, self.number
        found = []
        for place in places:
            known = get(place.key)
            found.append(known[0] if known and known[1] == place.web_key else number(place))
        return found

    def host_number(self, name: str) -> int:
        """A host's number; writes it where it is new."""
        known = self._hosts.get(name)
        if known is None:
            known = self._db.number(_NEW_HOST, (name,)) or self._db.number(_HOST, (name,))
            self._hosts[name] = known
        return known

    def _look_up(self, place: Place) -> int:
        """Most that are not remembered are new, so they are written first and looked for second."""
        key, web_key = bytes.fromhex(place.key), bytes.fromhex(place.web_key)
        new = self._db.number(_NEW_URL, (key, web_key, self.host_number(place.host), place.url))
        if new:
            return new
        number, known_web_key = self._db.row(_URL, (key,)) or (0, web_key)
        if known_web_key != web_key:
            self._db.execute("UPDATE url SET web_key = ? WHERE url_id = ?", (web_key, number))
        return int(number)
