"""The frontier: one row a URL and run, handed out in order by an index, so that its length costs nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.lineage.frontier_note import note_text, read_note
from holdfast.core.lineage.ledger_values import Closed, EntryState, FrontierEntry
from holdfast.storage.ledger.columns import marks, moment_or_none, place_of, to_micros_or_none
from holdfast.storage.ledger.database import Change, Row

if TYPE_CHECKING:
    from holdfast.storage.ledger.connection import LedgerSession

_ENTRY: Final = """
SELECT u.url, u.url_key, u.web_key, f.fetch_url, f.depth, f.source, f.position, f.listed, f.lastmod,
       f.parent, f.state, f.detail, f.attempts, f.entry_id
FROM frontier f JOIN url u ON u.url_id = f.url_id WHERE f.run_seq = $1
"""
_IN_ORDER: Final = " ORDER BY f.depth, f.source, f.position, f.entry_id"
_MERGED: Final = " ORDER BY depth, source, position, entry_id"
_COLUMNS: Final = (
    "run_seq, url_id, state, depth, source, position, fetch_url, listed, lastmod, parent, detail, attempts"
)
_ADD: Final = Change(
    f"INSERT INTO frontier ({_COLUMNS}) VALUES ({marks(12)}) ON CONFLICT (run_seq, url_id) DO NOTHING",
    f"""INSERT INTO frontier ({_COLUMNS})
    SELECT run_seq, url_id, state, depth, source, position, fetch_url, listed, lastmod::bigint, parent::bytea,
    detail, attempts FROM ({{}}) AS w ({_COLUMNS}) ON CONFLICT (run_seq, url_id) DO NOTHING""",
)
_ADD_ALTERNATE: Final = Change(
    """INSERT INTO alternate (run_seq, url_id, fetch_url)
    SELECT f.run_seq, f.url_id, $1 FROM frontier f JOIN url u ON u.url_id = f.url_id
    WHERE f.run_seq = $2 AND f.url_id = $3 AND coalesce(f.fetch_url, u.url) <> $1 ORDER BY $4
    ON CONFLICT (run_seq, url_id, fetch_url) DO NOTHING""",
    """INSERT INTO alternate (run_seq, url_id, fetch_url)
    SELECT f.run_seq, f.url_id, w.fetch_url FROM ({}) AS w (fetch_url, run_seq, url_id, nth)
    JOIN frontier f ON f.run_seq = w.run_seq AND f.url_id = w.url_id JOIN url u ON u.url_id = f.url_id
    WHERE coalesce(f.fetch_url, u.url) <> w.fetch_url ORDER BY w.nth
    ON CONFLICT (run_seq, url_id, fetch_url) DO NOTHING""",
)
_CLOSE: Final = Change(
    """UPDATE frontier SET state = $1, detail = $2, attempts = attempts + $3
    WHERE run_seq = $4 AND url_id = (SELECT url_id FROM url WHERE url_key = $5)""",
    """UPDATE frontier f SET state = w.state, detail = w.detail, attempts = f.attempts + w.attempts
    FROM ({}) AS w (state, detail, attempts, run_seq, url_key) JOIN url u ON u.url_key = w.url_key
    WHERE f.run_seq = w.run_seq AND f.url_id = u.url_id""",
)
_TAKE: Final = Change(
    "UPDATE frontier SET state = $1 WHERE entry_id = $2",
    "UPDATE frontier f SET state = w.state FROM ({}) AS w (state, entry_id) WHERE f.entry_id = w.entry_id",
)
_PRESENT: Final = """
WITH wanted (url_key) AS ({})
SELECT w.url_key FROM wanted w JOIN url u ON u.url_key = w.url_key
JOIN frontier f ON f.run_seq = $2 AND f.url_id = u.url_id
"""
_REOPEN: Final = "UPDATE frontier SET state = $1 WHERE run_seq = $2 AND state <> $1 AND "
_ASKED: Final = f"""
SELECT count(*) FROM frontier WHERE run_seq = $1 AND (attempts > 0 OR state = '{EntryState.DEFERRED}')
"""
_CHOOSE: Final = f"""
WITH waiting AS (
    SELECT f.entry_id, f.depth, f.source, f.position, coalesce((
        SELECT r.run_seq FROM run r JOIN frontier b ON b.run_seq = r.run_seq AND b.url_id = f.url_id
        WHERE r.label_id = own.label_id AND b.attempts > 0 ORDER BY r.run_seq DESC LIMIT 1), 0) AS look
    FROM frontier f JOIN run own ON own.run_seq = f.run_seq
    WHERE f.run_seq = $1 AND f.state = '{EntryState.UNASKED}')
UPDATE frontier SET state = '{EntryState.READY}' WHERE entry_id IN (
    SELECT entry_id FROM waiting WHERE look = (SELECT min(look) FROM waiting)
    ORDER BY depth, source, position, entry_id LIMIT $2)
"""
_OF_THIRD: Final = "url_id = (SELECT url_id FROM url WHERE url_key = $3)"
_OF_KEY: Final = "(SELECT url_id FROM url WHERE url_key = $2)"


class FrontierTable:
    """The URLs of a run, in the order of depth, source, position. It lives on disk, however long it is."""

    def __init__(self, session: LedgerSession) -> None:
        self._session = session
        self._db = session.db

    def add_entries(self, run_id: str, entries: Iterable[FrontierEntry]) -> int:
        """Write entries; a key that is there keeps its place, another address for it becomes an alternate.

        How many were new.
        """
        with self._session.writing():
            return add(self._session, self._session.run_to_write(run_id).run_seq, entries)

    def take_entries(
        self, run_id: str, limit: int, state: EntryState = EntryState.READY
    ) -> tuple[FrontierEntry, ...]:
        """Write: hand out the next entries in order and mark them taken."""
        with self._session.writing():
            values = (self._session.run_to_write(run_id).run_seq, state, limit)
            rows = list(self._db.rows(_ENTRY + " AND f.state = $2" + _IN_ORDER + " LIMIT $3", values))
            self._db.change(_TAKE, [(str(EntryState.TAKEN), row[13]) for row in rows])
        return tuple(_entry(row, EntryState.TAKEN) for row in rows)

    def close_entries(self, run_id: str, closed: Iterable[Closed]) -> None:
        """Write what became of entries for which there is nothing else to commit."""
        with self._session.writing():
            close(self._session, self._session.run_to_write(run_id).run_seq, closed)

    def reopen_entries(
        self, run_id: str, states: Collection[EntryState] = (), keys: Collection[UrlKey] = ()
    ) -> int:
        """Write: make entries ready again, by state or by key (a resume, a lost checkpoint line).

        How many were not ready before.
        """
        with self._session.writing():
            seq = self._session.run_to_write(run_id).run_seq
            opened = 0
            for state in states:
                opened += self._db.execute(_REOPEN + "state = $3", (EntryState.READY, seq, state))
            for key in keys:
                opened += self._db.execute(_REOPEN + _OF_THIRD, (EntryState.READY, seq, bytes.fromhex(key)))
        return opened

    def count_asked(self, run_id: str) -> int:
        """Read how many entries were asked for in a run, whatever came of it."""
        return self._db.number(_ASKED, (self._session.run(run_id).run_seq,)) or 0

    def choose_entries(self, run_id: str, limit: int) -> int:
        """Write: make those of the waiting entries ready that were looked at longest ago: no run of the
        mirror asked for them, else the run that did so last is the first of these, in the order in which the
        ledger began them. Of one run's, the first in the order of entries. How many.
        """
        with self._session.writing():
            return self._db.execute(_CHOOSE, (self._session.run_to_write(run_id).run_seq, limit))

    def entries(self, run_id: str, states: Collection[EntryState] = ()) -> Iterator[FrontierEntry]:
        """Entries in order: those of each state are, and are merged as they are read."""
        wanted = [str(state) for state in dict.fromkeys(states or EntryState)]
        sql = " UNION ALL ".join(f"{_ENTRY} AND f.state = ${n}" for n, _ in enumerate(wanted, 2)) + _MERGED
        for row in self._db.stream(sql, (self._session.run(run_id).run_seq, *wanted)):
            yield _entry(row)

    def entry(self, run_id: str, key: UrlKey) -> FrontierEntry | None:
        """Read one entry."""
        values = (self._session.run(run_id).run_seq, bytes.fromhex(key))
        row = self._db.row(_ENTRY + f" AND f.url_id = {_OF_KEY}", values)
        return _entry(row) if row else None

    def count_entries(self, run_id: str) -> dict[EntryState, int]:
        """Read how many entries are in each state."""
        sql = "SELECT state, entries FROM entry_count WHERE run_seq = $1"
        rows = self._db.rows(sql, (self._session.run(run_id).run_seq,))
        return {EntryState(state): count for state, count in rows}

    def alternates(self, run_id: str, key: UrlKey) -> tuple[str, ...]:
        """Read the other addresses of an entry, in the order they were found (MIR-8)."""
        sql = (
            f"SELECT fetch_url FROM alternate WHERE run_seq = $1 AND url_id = {_OF_KEY} ORDER BY alternate_id"
        )
        return tuple(
            row[0] for row in self._db.rows(sql, (self._session.run(run_id).run_seq, bytes.fromhex(key)))
        )


def add(session: LedgerSession, run_seq: int, entries: Iterable[FrontierEntry]) -> int:
    """Inside a transaction: write entries; how many were new."""
    db, entries = session.db, tuple(entries)
    if not entries:
        return 0
    numbers = session.places.numbers(entry.place for entry in entries)
    rows = [_columns(run_seq, numbers[entry.place.key], entry) for entry in entries]
    added = db.change(_ADD, rows)
    if added < len(entries):
        # An address that an entry has already adds nothing, so those that are new need not be told apart.
        asked = dict.fromkeys((entry.fetch_url, numbers[entry.place.key]) for entry in entries)
        db.change(_ADD_ALTERNATE, [(url, run_seq, number, n) for n, (url, number) in enumerate(asked)])
    return added


def present(session: LedgerSession, run_seq: int, keys: Collection[UrlKey]) -> set[UrlKey]:
    """Those of these keys that have an entry."""
    wanted = [(bytes.fromhex(key),) for key in keys]
    return {UrlKey(row[0].hex()) for row in session.db.rows_for(_PRESENT, wanted, (run_seq,))}


def close(session: LedgerSession, run_seq: int, closed: Iterable[Closed]) -> None:
    """Inside a transaction: write what became of entries."""
    ends: dict[UrlKey, Closed] = {}
    for end in closed:
        before = ends.get(end.key)
        ends[end.key] = replace(end, attempts=before.attempts + end.attempts) if before else end
    rows = [
        (str(end.state), note_text(end.note), end.attempts, run_seq, bytes.fromhex(key))
        for key, end in ends.items()
    ]
    session.db.change(_CLOSE, rows)


def _columns(run_seq: int, url_id: int, entry: FrontierEntry) -> tuple[object, ...]:
    address = None if entry.fetch_url == entry.place.url else entry.fetch_url
    parent = bytes.fromhex(entry.parent) if entry.parent else None
    order = (entry.depth, entry.source, entry.position)
    facts = (address, entry.listed, to_micros_or_none(entry.lastmod), parent)
    return (run_seq, url_id, str(entry.state), *order, *facts, note_text(entry.note), entry.attempts)


def _entry(row: Row, state: EntryState | None = None) -> FrontierEntry:
    place = place_of(row[0], row[1], row[2])
    return FrontierEntry(
        place=place,
        fetch_url=row[3] if row[3] is not None else place.url,
        depth=row[4],
        source=row[5],
        position=row[6],
        listed=bool(row[7]),
        lastmod=moment_or_none(row[8]),
        parent=UrlKey(row[9].hex()) if row[9] is not None else None,
        state=state or EntryState(row[10]),
        note=read_note(row[11]),
        attempts=row[12],
    )
