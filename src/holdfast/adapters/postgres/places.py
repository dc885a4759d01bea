"""Where URLs and hosts get their numbers: in transactions of their own, over a connection of their own.

1. Each writes hosts or URLs alone, in the order of their names, and is over at once. So nobody waits for a
   writer that judges a batch, and no two wait for each other.
2. What a batch that failed has named stays: a URL that nothing is known of says nothing.
3. They need not wait for the disk: the batch that names them does, and its place in the log is behind theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from holdfast.adapters.postgres.connection import PostgresDatabase
from holdfast.core.hashing import UrlKey
from holdfast.core.place import Place
from holdfast.formats.postgres_texts import array_text

__all__ = ["PostgresPlaces"]

_NEW_HOSTS: Final = """
INSERT INTO host (name) SELECT name FROM unnest($1::text[]) AS name ON CONFLICT (name) DO NOTHING
"""
_HOSTS: Final = "SELECT name, host_id FROM host WHERE name IN ({})"
_URLS: Final = "SELECT url_key, web_key, url_id FROM url WHERE url_key IN ({})"
_NEW_URLS: Final = """
INSERT INTO url (url_key, web_key, host_id, url)
SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[]) ON CONFLICT (url_key) DO NOTHING
RETURNING url_key, url_id
"""
_MOVED: Final = "UPDATE url SET web_key = $1 WHERE url_id = $2"


class PostgresPlaces:
    """The register of a server's ledger."""

    def __init__(self, db: PostgresDatabase) -> None:
        self._main = db
        self._own: PostgresDatabase | None = None

    def urls(self, places: Mapping[UrlKey, Place]) -> list[tuple[Place, int]]:
        """The numbers of URLs."""
        wanted = {bytes.fromhex(key): place for key, place in sorted(places.items())}
        found, moved = self._known(wanted)
        missing = {key: place for key, place in wanted.items() if key not in found}
        if missing:
            hosts = self.hosts({place.host for place in missing.values()})
            rows = [(key, bytes.fromhex(p.web_key), hosts[p.host], p.url) for key, p in missing.items()]
            found |= dict(self._db.rows(_NEW_URLS, [*map(array_text, zip(*rows, strict=True))]))
            if late := {key: place for key, place in missing.items() if key not in found}:
                new, other = self._known(late)  # another writer was first
                found |= new
                moved += other
        self._db.execute_many(_MOVED, sorted(moved, key=lambda row: row[1]))
        return [(place, found[key]) for key, place in wanted.items()]

    def hosts(self, names: Collection[str]) -> dict[str, int]:
        """The numbers of hosts."""
        found = self._known_hosts(names)
        if missing := sorted(set(names) - found.keys()):
            self._db.execute(_NEW_HOSTS, (array_text(missing),))
            found |= self._known_hosts(missing)
        return found

    def close(self) -> None:
        """Close the connection."""
        if self._own is not None:
            self._own.close()

    @property
    def _db(self) -> PostgresDatabase:
        if self._own is None:
            self._own = PostgresDatabase(self._main.address, settings=("synchronous_commit = off",))
        return self._own

    def _known(self, wanted: Mapping[bytes, Place]) -> tuple[dict[bytes, int], list[tuple[bytes, int]]]:
        """Numbers of those that are there; and the web keys among them that are not what they were."""
        found, moved = {}, []
        for key, web_key, number in self._db.rows_for(_URLS, [(key,) for key in wanted]):
            found[key] = number
            if web_key.hex() != wanted[key].web_key:
                moved.append((bytes.fromhex(wanted[key].web_key), number))
        return found, moved

    def _known_hosts(self, names: Collection[str]) -> dict[str, int]:
        return dict(self._db.rows_for(_HOSTS, [(name,) for name in names]))
