"""URLs and hosts, each written once and known by a number from then on.

A URL's `web` key is the last one written: it is what rows are joined by, and moves with the user's
overrides; the url key and the text never do.
"""

from __future__ import annotations

from typing import Final

from holdfast.adapters.sqlite.connection import Database
from holdfast.core.ledger import Place

__all__ = ["Places"]

_REMEMBERED: Final = 50_000


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

    def host_number(self, name: str) -> int:
        """A host's number; writes it where it is new."""
        known = self._hosts.get(name)
        if known is None:
            sql = "SELECT host_id FROM host WHERE name = ?"
            known = self._db.number(sql, (name,)) or self._db.number(
                "INSERT INTO host (name) VALUES (?) RETURNING host_id", (name,)
            )
            self._hosts[name] = known
        return known

    def _look_up(self, place: Place) -> int:
        key, web_key = bytes.fromhex(place.key), bytes.fromhex(place.web_key)
        row = self._db.row("SELECT url_id, web_key FROM url WHERE url_key = ?", (key,))
        if row is None:
            values = (key, web_key, self.host_number(place.host), place.url)
            sql = "INSERT INTO url (url_key, web_key, host_id, url) VALUES (?, ?, ?, ?) RETURNING url_id"
            return self._db.number(sql, values)
        if row[1] != web_key:
            self._db.execute("UPDATE url SET web_key = ? WHERE url_id = ?", (web_key, row[0]))
        return int(row[0])
