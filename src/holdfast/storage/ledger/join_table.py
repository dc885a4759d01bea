"""The keys that tables are joined by, and the way to others (ID-12, ID-13).

New keys are noted in groups, each a transaction of its own; all of them are taken in one. Killed anywhere,
the ledger has the old keys whole, or the new ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.chapters import CITATIONS, STORE
from holdfast.core.lineage.ledger_values import Rekeyed
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import place_of

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession

GROUP: Final = 1_000
_UNKEYED: Final = """
SELECT u.url_id, u.url, u.url_key, u.web_key FROM url u
LEFT JOIN next_key n ON n.url_id = u.url_id AND n.old_key = u.web_key
WHERE u.url_id > $1 AND n.url_id IS NULL ORDER BY u.url_id LIMIT $2
"""
_NOTE: Final = """
INSERT INTO next_key (url_id, old_key, web_key) SELECT url_id, web_key, $1 FROM url WHERE url_key = $2
ON CONFLICT (url_id) DO UPDATE SET old_key = excluded.old_key, web_key = excluded.web_key
"""
# What is unique by run or mirror and URL is looked up for each of these: nothing is read through.
_ADDRESSES: Final = """
SELECT g.fetch_url FROM label l CROSS JOIN page g WHERE g.label_id = l.label_id AND g.url_id = $1
UNION SELECT requested_url FROM capture WHERE url_id = $1
UNION SELECT final_url FROM capture WHERE url_id = $1
UNION SELECT fetch_url FROM citation WHERE url_id = $1 UNION SELECT href FROM link WHERE url_id = $1
UNION SELECT f.fetch_url FROM run r CROSS JOIN frontier f WHERE f.run_seq = r.run_seq AND f.url_id = $1
UNION SELECT a.fetch_url FROM run r CROSS JOIN alternate a WHERE a.run_seq = r.run_seq AND a.url_id = $1
"""
_MOVE: Final = """
UPDATE url SET web_key = n.web_key FROM next_key n
WHERE n.url_id = url.url_id AND n.web_key <> url.web_key
"""
# Places that become one, the one that was looked at last before the others.
_PLACES: Final = """
SELECT p.place_id, u.web_key, p.web_key FROM cited_place p JOIN url u ON u.url_id = p.url_id
ORDER BY u.web_key, coalesce(p.checked_at, -1) DESC, p.place_id
"""


class JoinTable:
    """The `web` keys, and the version of `web` that makes them (ID-12, ID-13).

    New keys are noted beside the present ones, which go on to hold until all are there: then `switch` takes
    the new ones, at once.
    """

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def version(self) -> str:
        """Read which version of `web` makes the keys: `web@1`."""
        row = self._db.row("SELECT version FROM join_key")
        if row is None:
            raise LedgerError("the ledger does not say which version of `web` its keys are made by")
        return str(row[0])

    def has_key(self, web_key: UrlKey) -> bool:
        """Read whether any URL has this `web` key."""
        sql = "SELECT 1 FROM url WHERE web_key = $1 LIMIT 1"
        return self._db.row(sql, (bytes.fromhex(web_key),)) is not None

    def key_of(self, key: UrlKey) -> UrlKey | None:
        """Read the `web` key of a URL by its url key."""
        row = self._db.row("SELECT web_key FROM url WHERE url_key = $1", (bytes.fromhex(key),))
        return UrlKey(row[0].hex()) if row else None

    def count(self) -> int:
        """Read how many URLs there are."""
        return self._db.number("SELECT count(*) FROM url")

    def aim(self, goal: str) -> None:
        """Write what new keys are made for; those that were noted for another goal are dropped."""
        with self._session.writing():
            if self._db.row("SELECT 1 FROM join_key WHERE goal = $1", (goal,)) is None:
                self._session.touch(STORE)
                self._db.execute("DELETE FROM next_key")
                self._db.execute("UPDATE join_key SET goal = $1", (goal,))

    def unkeyed(self) -> Iterator[tuple[Place, ...]]:
        """Read the URLs for which no new key is noted, or one that was to replace another key than the one
        they have, in groups; a group may be noted before the next is read.
        """
        last = 0
        while rows := list(self._db.rows(_UNKEYED, (last, GROUP))):
            last = rows[-1][0]
            yield tuple(place_of(*row[1:]) for row in rows)

    def addresses(self, key: UrlKey) -> tuple[str, ...]:
        """Read every address by which a URL was asked for, linked to or cited, by its url key."""
        number = self._db.number("SELECT url_id FROM url WHERE url_key = $1", (bytes.fromhex(key),))
        return tuple(sorted(row[0] for row in self._db.rows(_ADDRESSES, (number,)) if row[0]))

    def note(self, keys: Mapping[UrlKey, UrlKey]) -> None:
        """Write new keys, by url key."""
        with self._session.writing():
            rows = [(bytes.fromhex(web_key), bytes.fromhex(key)) for key, web_key in keys.items()]
            self._db.execute_many(_NOTE, rows)

    def switch(self, version: str) -> Rekeyed:
        """Write, in one transaction: the new keys hold. Of cited places that become one, the one that was
        looked at last stays. LedgerError where a URL has no new key.
        """
        db = self._db
        with self._session.writing():
            self._session.touch(STORE, CITATIONS)
            if next(iter(db.rows(_UNKEYED, (0, 1))), None) is not None:
                raise LedgerError("some URLs have no new key yet")
            moved = db.execute(_MOVE)
            merged = self._move_places()
            db.execute("DELETE FROM next_key")
            db.execute("UPDATE join_key SET version = $1, goal = NULL", (version,))
            if moved:  # what is kept elsewhere by these keys is not of this ledger any more
                db.execute("UPDATE purge_count SET purges = purges + 1")
        self._session.places.forget()
        return Rekeyed(moved, merged)

    def _move_places(self) -> int:
        """Give cited places the keys of their URLs; how many were joined with another.

        A key may be that of another place which has not moved yet: so all leave first, then all arrive.
        """
        stay: dict[bytes, int] = {}
        leave: list[tuple[int]] = []
        moved: list[tuple[bytes, int]] = []
        for number, key, old in list(self._db.rows(_PLACES)):
            if stay.setdefault(key, number) != number:
                leave.append((number,))
            elif key != old:
                moved.append((key, number))
        between = [(number.to_bytes(32, "big"), number) for _, number in moved]
        self._db.execute_many("DELETE FROM cited_place WHERE place_id = $1", leave)
        self._db.execute_many("UPDATE cited_place SET web_key = $1 WHERE place_id = $2", between)
        self._db.execute_many("UPDATE cited_place SET web_key = $1 WHERE place_id = $2", moved)
        return len(leave)
