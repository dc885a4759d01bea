"""Where URLs and hosts get their numbers, inside the transaction that needs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from holdfast.adapters.sqlite.connection import SqliteDatabase
from holdfast.core.hashing import UrlKey
from holdfast.core.place import Place

__all__ = ["SqlitePlaces"]

_NEW_HOST: Final = "INSERT INTO host (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING host_id"
_HOST: Final = "SELECT host_id FROM host WHERE name = $1"
_NEW_URL: Final = "INSERT INTO url (url_id, url_key, web_key, host_id, url) VALUES ($1, $2, $3, $4, $5)"
_URLS: Final = "SELECT url_key, web_key, url_id FROM url WHERE url_key IN ({})"
_MOVED: Final = "UPDATE url SET web_key = $1 WHERE url_id = $2"


class SqlitePlaces:
    """The register of a file: nobody else writes while a transaction is open, so the next number is free."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs."""
        wanted = {bytes.fromhex(key): place for key, place in places.items()}
        found, moved, new = [], [], []
        for key, web_key, number in self._db.rows_for(_URLS, [(key,) for key in wanted]):
            place = wanted.pop(key)
            found.append((place, number))
            if web_key.hex() != place.web_key:
                moved.append((bytes.fromhex(place.web_key), number))
        if wanted:
            last = self._db.number("SELECT max(url_id) FROM url")
            hosts = self.hosts({place.host for place in wanted.values()})
            for number, (key, place) in enumerate(wanted.items(), last + 1):
                found.append((place, number))
                new.append((number, key, bytes.fromhex(place.web_key), hosts[place.host], place.url))
        self._db.execute_many(_NEW_URL, new)
        self._db.execute_many(_MOVED, moved)
        return found

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts."""
        db = self._db
        return {name: db.number(_NEW_HOST, (name,)) or db.number(_HOST, (name,)) for name in names}
