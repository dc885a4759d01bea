"""One connection to a PostgreSQL server: what a transaction is, who waits for whom, where foreign errors end.

1. READ COMMITTED. Writers that judge the same URLs or contents wait for each other by advisory locks, taken
   in one order, in a statement of their own: what the next statement reads, they have committed (LIN-6).
2. Every plan is made anew: one that was made when a table was empty would read all of it for ever. Many
   rows of one statement share a plan, which is thrown away after them.
3. An answer of any length is read in pieces from a cursor that the server holds, so others can be asked
   meanwhile.
4. A ledger's address is one as libpq understands it. Its password is used and never shown: it is in no
   message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from typing import Any, Final, cast

from holdfast.core.base.errors import HoldfastError, LedgerError, LockedError, NoSpaceError
from holdfast.core.base.late_modules import naming_extras
from holdfast.core.lineage.batch import Numbers
from holdfast.core.lineage.shared_jobs import JobLease
from holdfast.storage.ledger.database import Change, ConstraintError, Glob, Row, by_table
from holdfast.storage.postgres.references import (
    LATER,
    array_text,
    copy_text,
    glob_to_regex,
    lost_references,
    text_from,
    text_to,
)
from holdfast.storage.state_folder import refuse_address

with naming_extras():
    import psycopg
    from psycopg import errors
    from psycopg.adapt import Buffer, Dumper, Loader
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import TransactionStatus
    from psycopg.types.numeric import Int8Dumper

_PURGE: Final = 0x484F4C44  # "HOLD": writers hold it together, a purge holds it alone
_ALONE: Final = 0x484F4C46
_AT_ONCE: Final = 1_000
_WANTED_AT_ONCE: Final = 8_192
_COPIED_AT_ONCE: Final = 512
_ARRAYS: Final = {bytes: "bytea[]", int: "bigint[]", str: "text[]", bool: "boolean[]"}
_FENCE: Final = "SELECT 1 FROM job WHERE job_id = $1 AND epoch = $2 AND state = 'taken' FOR SHARE"
_STANDS_STILL: Final = "idle_in_transaction_session_timeout = '15s'"
_LOCK: Final = "SELECT pg_advisory_xact_lock_shared($1)"
_LOCK_KEYS: Final = "SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) AS k"
_NUMBERS: Final = """
SELECT nextval('capture_capture_seq_seq'), nextval('item_item_seq_seq'),
       nextval('observation_observation_id_seq') FROM generate_series(1, $1)
"""
_NUMBERED: Final = """
SELECT table_name::text, column_name::text FROM information_schema.columns
WHERE table_schema = current_schema() AND is_identity = 'YES'
"""
_NUMBER_ON: Final = """
SELECT setval(pg_get_serial_sequence('{table}', '{column}'), coalesce(max({column}), 0) + 1, false)
FROM {table}
"""
_COLUMNS: Final = """
SELECT table_name::text, column_name::text FROM information_schema.columns
WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
"""
_CLEANED: Final = (
    "page, link, observation, edge, section, item, lost_capture, capture, frontier, alternate, alias"
)
_WORTH_A_PLAN: Final = 8
_ONE_PLAN: Final = b"DISCARD PLANS; SET LOCAL plan_cache_mode = force_generic_plan"
_NEW_PLANS: Final = b"SET LOCAL plan_cache_mode = force_custom_plan"
_SETTINGS: Final = ("plan_cache_mode = force_custom_plan", "idle_in_transaction_session_timeout = 0")


class PostgresDatabase:
    """A connection. Not for two threads at once."""

    bytes_type = "BYTEA"
    makes_json = False
    glob = Glob("~", glob_to_regex)

    def __init__(
        self,
        address: str,
        *,
        read_only: bool = False,
        settings: Sequence[str] = (),
        fence: JobLease | None = None,
    ) -> None:
        self.address = address
        self.read_only = read_only
        self.name = _shown(address)
        self._cursors = count(1)
        self._fence = fence
        more = ["default_transaction_read_only = on"] if read_only else []
        more += [_STANDS_STILL] if fence else []
        with self._translated():
            name = f"holdfast job {fence.job_id} epoch {fence.epoch}" if fence else "holdfast"
            self._connection = _connect(address, name, (*_SETTINGS, *settings, *more))

    def close(self) -> None:
        """Close the server."""
        self._connection.close()

    def tables(self) -> dict[str, tuple[str, ...]]:
        """Every table by name, with the names of its columns."""
        return by_table(self.rows(_COLUMNS))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A transaction that only reads: all its answers are of one moment."""
        self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        try:
            with self.writing():
                yield
        finally:
            self._connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that may write: durable when it is left, undone when it is left by an error."""
        with self._translated(), self._connection.transaction():
            self._require_lease()
            yield

    def _require_lease(self) -> None:
        """First of all in a transaction of a run: whose lease is over writes nothing (CLU-2)."""
        if self._fence and self.row(_FENCE, (self._fence.job_id, self._fence.epoch)) is None:
            raise LockedError(
                f"{self._fence.name} was taken over by somebody else",
                hint="nothing was written after that; `holdfast cluster jobs` says who has it",
            )

    @contextmanager
    def purging(self) -> Iterator[None]:
        """A transaction that takes rows out while nobody else writes, and the tables written anew after it:
        nothing stays in their files. What the server keeps elsewhere (its log, copies of it) is not ours.
        """
        with self.writing():
            self.execute("SELECT pg_advisory_xact_lock($1)", (_PURGE,))
            with self._in_any_order():
                yield
        self.execute(f"VACUUM (FULL) {_CLEANED}")

    @contextmanager
    def filling(self) -> Iterator[None]:
        """A transaction whose references are checked at its end; numbers go on after the last ones."""
        with self.writing(), self._in_any_order():
            yield
            for table, column in list(self.rows(_NUMBERED)):
                self.execute(_NUMBER_ON.format(table=table, column=column))

    @contextmanager
    def _in_any_order(self) -> Iterator[None]:
        """A part of a transaction in which a row may name another that comes later; it looks when it ends."""
        self.execute("SET CONSTRAINTS ALL DEFERRED")
        self.execute(LATER)
        yield
        for sentence, sql in lost_references():
            if self.row(f"{sql} LIMIT 1"):
                raise ConstraintError(f"ledger {self.name}: {sentence}")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A part of a transaction: a statement that fails would end all of it otherwise."""
        with self._translated(), self._connection.transaction():
            yield

    def hold(self, *, alone: bool) -> None:
        """As long as this connection lasts, nobody may hold the ledger alone, or, `alone`, at all."""
        row = self.row(f"SELECT pg_try_advisory_lock{'' if alone else '_shared'}($1)", (_ALONE,))
        if row is None or not row[0]:
            raise LockedError(
                f"another program writes to the ledger {self.name}",
                hint="wait for it to end; several write at a time where the archive is in a bucket",
            )

    def lock(self, keys: Collection[str]) -> None:
        """Wait for every open transaction that judges one of these; all wait in one order, none for ever."""
        numbers = (hashlib.blake2b(key.encode(), digest_size=8).digest() for key in keys)
        self.execute(_LOCK, (_PURGE,))
        in_order = sorted(int.from_bytes(number, "big", signed=True) for number in numbers)
        self.execute(_LOCK_KEYS, (array_text(in_order),))

    def new_numbers(self, count: int) -> Numbers:
        """Numbers from the sequences: nobody else gets them."""
        columns = list(zip(*self.rows(_NUMBERS, (count,)), strict=True)) or [(), (), ()]
        return Numbers(*(iter(column) for column in columns))

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Do something; how many rows were written."""
        with self._translated():
            return self._connection.execute(sql.encode(), values).rowcount

    def execute_script(self, sql: str) -> None:
        """Do several things one after another; they take no values."""
        with self._translated():
            self._connection.execute(sql.encode())

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        """Do something for each row, in order; how many rows were written."""
        if not rows:
            return 0
        with self._translated(), self._one_plan(len(rows)), self._connection.cursor() as cursor:
            cursor.executemany(sql.encode(), rows)
            return cursor.rowcount

    @contextmanager
    def _one_plan(self, rows: int) -> Iterator[None]:
        """Inside a transaction, for many rows: one plan for all of them, made now and for these alone."""
        if rows < _WORTH_A_PLAN or self._connection.info.transaction_status != TransactionStatus.INTRANS:
            yield
            return
        self._connection.execute(_ONE_PLAN)
        yield
        self._connection.execute(_NEW_PLANS)

    def change(self, change: Change, rows: Sequence[Row]) -> int:
        """Do something for all rows at once, thousands at a time."""
        written = 0
        for first in range(0, len(rows), _WANTED_AT_ONCE):
            table, arrays = _as_arrays(rows[first : first + _WANTED_AT_ONCE])
            written += self.execute(change.together.format(table), arrays)
        return written

    def append(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows that are new, by COPY: the server writes some while the next are made here."""
        left = iter(rows)
        some = list(islice(left, _COPIED_AT_ONCE))
        if not some:
            return
        sql = f"COPY {table} ({columns}) FROM STDIN"
        with self._translated(), self._connection.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            while some:
                copy.write(copy_text(some).encode())
                some = list(islice(left, _COPIED_AT_ONCE))

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one."""
        with self._translated():
            return self._connection.execute(sql.encode(), values).fetchone()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows of an answer that is small."""
        with self._translated():
            return iter(self._connection.execute(sql.encode(), values).fetchall())

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows in pieces, from a cursor of the server's; it outlives the transaction that made it."""
        name = f"holdfast_{next(self._cursors)}"
        with self._translated(), self._connection.cursor(name, withhold=True) as cursor:
            cursor.itersize = _AT_ONCE
            cursor.execute(sql.encode(), values)
            yield from cursor

    def rows_for(self, sql: str, wanted: Sequence[Row], after: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows for any of many, thousands at a time: one array for each column stands in place of `{}`."""
        for first in range(0, len(wanted), _WANTED_AT_ONCE):
            table, arrays = _as_arrays(wanted[first : first + _WANTED_AT_ONCE])
            yield from self.rows(sql.format(table), (*arrays, *after))

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one number that a question is answered with."""
        row = self.row(sql, values)
        return int(row[0]) if row and row[0] is not None else 0

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise _in_words(error, self.name) from error


class _Text(Dumper):
    """A text on its way in."""

    def dump(self, obj: str) -> Buffer:
        return text_to(obj)


class _TextBack(Loader):
    """A text on its way out."""

    def load(self, data: Buffer) -> str:
        return text_from(bytes(data))


def _connect(address: str, name: str, settings: Sequence[str]) -> psycopg.Connection[Row]:
    connection = psycopg.Connection.connect(
        address,
        autocommit=True,
        cursor_factory=cast("type[psycopg.Cursor[Row]]", psycopg.RawCursor),
        application_name=name,
        client_encoding="UTF8",
        connect_timeout=10,
    )
    connection.server_cursor_factory = cast("type[psycopg.ServerCursor[Row]]", psycopg.RawServerCursor)
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(str, _Text)
    connection.adapters.register_loader("text", _TextBack)
    for setting in settings:
        connection.execute(f"SET {setting}".encode())
    return connection


def _shown(address: str) -> str:
    try:
        return shown_address(dict(conninfo_to_dict(address)))
    except psycopg.ProgrammingError:
        raise refuse_address() from None


def _as_arrays(rows: Sequence[Row]) -> tuple[str, list[str]]:
    """Rows as a table of a statement, and its values: an array for each column."""
    columns = list(zip(*rows, strict=True))
    types = ", ".join(f"${n}::{_array_type(column)}" for n, column in enumerate(columns, 1))
    return f"SELECT * FROM unnest({types})", [array_text(column) for column in columns]


def _array_type(column: Sequence[object]) -> str:
    """Absent values say nothing of their type; where all are absent, any will do."""
    return next((_ARRAYS[type(value)] for value in column if type(value) in _ARRAYS), "text[]")


def _in_words(error: psycopg.Error, name: str) -> HoldfastError:
    words = str(error.diag.message_primary or error).strip().splitlines()[0]
    match error:
        case errors.DiskFull() | errors.OutOfMemory():
            return NoSpaceError(
                f"no space left for the ledger {name}",
                hint="what was acknowledged is safe; make room and start again",
            )
        case errors.IntegrityError():
            return ConstraintError(f"ledger {name}: {words}")
        case errors.ReadOnlySqlTransaction() | errors.InsufficientPrivilege():
            return LedgerError(f"the ledger {name} may not be written: {words}")
        case errors.DeadlockDetected() | errors.LockNotAvailable() | errors.TooManyConnections():
            return LockedError(f"the ledger {name} is in use: {words}", hint="wait for others to end")
        case errors.OperationalError() | errors.InterfaceError():
            return LedgerError(
                f"the ledger {name} cannot be reached: {words}",
                hint="is the server running? What was acknowledged is safe; start again when it is back",
            )
        case _:
            return LedgerError(f"ledger {name}: {words}")


def shown_address(parts: dict[str, object]) -> str:
    """An address as it may be told to anybody: user, host, port and database, nothing else."""
    user = f"{parts['user']}@" if parts.get("user") else ""
    host = str(parts.get("host") or parts.get("hostaddr") or "")
    port = f":{parts['port']}" if parts.get("port") else ""
    if not set(port) <= set(":,0123456789"):
        raise refuse_address()  # a password with a slash in it is read as a port
    if host.startswith("/"):
        return f"postgresql://{user}/{parts.get('dbname') or ''}?host={host}" + port.replace(":", "&port=")
    return f"postgresql://{user}{host}{port}/{parts.get('dbname') or ''}"
