"""One SQLite file: how it is opened, what a transaction is, and where foreign errors end.

1. The library must be 3.53 or newer: those before 3.51.3 can lose pages when two connections write and
   checkpoint at once (the WAL-reset bug), and those before 3.53 do not read all our statements.
2. WAL with `synchronous=FULL`: what is committed survives power loss (SEC-6).
3. Every writing transaction begins IMMEDIATE: reading first and asking to write later fails when others
   write, and no time-out helps.
4. A file on storage that cannot be written can be asked all the same.
5. After an error inside it a transaction is rolled back whole.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain
from itertools import count as count_from
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from holdfast.adapters.system import NEW_FILE
from holdfast.core.base.errors import HoldfastError, LedgerError, LockedError, NoSpaceError
from holdfast.core.base.late_modules import naming_extras
from holdfast.core.lineage.batch import Numbers
from holdfast.storage.ledger.database import Change, ConstraintError, Glob, Row, by_table

with naming_extras():
    import apsw

APPLICATION_ID: Final = 0x484F4C44  # "HOLD"
_OLDEST_LIBRARY: Final = (3, 53, 0)
_PATIENCE_MS: Final = 60_000
_WRITING: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
_AT_ONCE: Final = 256
_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cache_size = -16384",
    "PRAGMA journal_size_limit = 67108864",
)
_READ_PRAGMAS: Final = (
    "PRAGMA query_only = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA mmap_size = 67108864",  # what is mapped counts as memory of whoever asks
)
_ENDS: Final = """
SELECT (SELECT max(capture_seq) FROM capture), (SELECT max(item_seq) FROM item),
       (SELECT max(observation_id) FROM observation)
"""

_COLUMNS: Final = """
SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.cid
"""


class SqliteDatabase:
    """A connection. Not for two threads at once."""

    bytes_type = "BLOB"
    makes_json = True
    glob = Glob("GLOB", lambda pattern: pattern.replace("[!", "[^"))

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        check_library(library_version())
        self.path = path
        self.read_only = read_only
        self.name = str(path)
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        with self._translated():
            self._apsw = self._connect_to_read() if read_only else _connect(str(path), _WRITING)
            for pragma in _READ_PRAGMAS if read_only else _PRAGMAS:
                self._apsw.execute(pragma)

    def close(self) -> None:
        """Close the file."""
        with self._translated():
            # No `PRAGMA optimize`: statistics gathered while a ledger is small make its guards scan whole
            # tables once it is large (after a first run of one page, 6,000 more cost 8.1 s, not 1.7).
            self._apsw.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _connect_to_read(self) -> apsw.Connection:
        """A connection that asks. Where nothing can be written beside the file (its readers meet there), the
        file is read as it is; with a log that was never merged into it, a copy of both is read.
        """
        connection = _connect(str(self.path), apsw.SQLITE_OPEN_READONLY)
        try:
            connection.execute("PRAGMA schema_version").fetchall()
        except apsw.CantOpenError:
            connection.close()
            if not self.path.is_file() or os.access(self.path.parent, os.W_OK):
                raise
        else:
            return connection
        log = self.path.with_name(f"{self.path.name}-wal")
        if not log.is_file() or not log.stat().st_size:
            address = f"file:{quote(str(self.path.absolute()))}?immutable=1"
            return _connect(address, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        self._copy = tempfile.TemporaryDirectory(prefix="holdfast-")
        for file in (self.path, log):
            shutil.copyfile(file, Path(self._copy.name) / file.name)
        return _connect(str(Path(self._copy.name) / self.path.name), _WRITING)

    def tables(self) -> dict[str, tuple[str, ...]]:
        """Every table by name, with the names of its columns."""
        return by_table(self.rows(_COLUMNS))

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A transaction that only reads: all its answers are of one moment."""
        self.execute("BEGIN")
        try:
            yield
        finally:
            self.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that may write: durable when it is left, undone when it is left by an error."""
        with self._translated():
            self._apsw.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._apsw.execute("COMMIT")
            except BaseException:
                if self._apsw.in_transaction:
                    self._apsw.execute("ROLLBACK")
                raise

    @contextmanager
    def purging(self) -> Iterator[None]:
        """A transaction that takes rows out, and the file compacted after it: nothing stays in its free pages
        or in the log.
        """
        self.execute("PRAGMA secure_delete = ON")
        self.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.writing():
                yield
                if row := self.row("PRAGMA foreign_key_check"):
                    raise LedgerError(
                        f"{self.path}: a row of {row[0]} would name a row of {row[2]} that is not there",
                        hint="nothing was forgotten; `holdfast verify` says more",
                    )
        finally:
            self.execute("PRAGMA foreign_keys = ON")
        self.execute("VACUUM")
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def filling(self) -> Iterator[None]:
        """A transaction without references: row by row, what refers forward would walk whole tables."""
        self.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.writing():
                yield
        finally:
            self.execute("PRAGMA foreign_keys = ON")

    def attempt(self) -> nullcontext[None]:
        """A statement that fails leaves the transaction as it was."""
        return nullcontext()

    def lock(self, keys: Collection[str]) -> None:
        """Nobody else writes while a transaction is open."""

    def new_numbers(self, count: int) -> Numbers:  # noqa: ARG002 - there is no end to them
        """Numbers after the last ones: nobody else writes while a transaction is open."""
        ends = self.row(_ENDS) or (None,) * 3
        return Numbers(*(count_from((end or 0) + 1) for end in ends))

    # These run dozens of times a page, so they translate errors without the cost of a context manager.

    def execute(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Do something, or several things one after another; how many rows the last one wrote."""
        try:
            self._apsw.execute(sql, values)
            return self._apsw.changes()
        except apsw.Error as error:
            raise _in_words(error, self.path) from error

    def execute_many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        """Do something for each row; how many rows were written, those that triggers wrote not among them."""
        changes, written = self._apsw.changes, 0

        def counted() -> Iterator[Sequence[Any]]:
            nonlocal written
            for row in rows:
                yield row
                written += changes()

        try:
            self._apsw.executemany(sql, counted())
        except apsw.Error as error:
            raise _in_words(error, self.path) from error
        return written

    def change(self, change: Change, rows: Sequence[Row]) -> int:
        """Do something for each row, one after another."""
        return self.execute_many(change.each, rows)

    def append(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows that are new."""
        marks = ", ".join("?" * (columns.count(",") + 1))
        try:
            self._apsw.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
        except apsw.Error as error:
            raise _in_words(error, self.path) from error

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row, if there is one; what writes with RETURNING is finished."""
        try:
            rows = self._apsw.execute(sql, values).fetchall()
        except apsw.Error as error:
            raise _in_words(error, self.path) from error
        except UnicodeDecodeError as error:
            raise LedgerError(f"{self.path} is damaged: a text in it is not UTF-8") from error
        return rows[0] if rows else None

    def rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows as they are read. Do not write to what is being read."""
        try:
            with self._translated():
                yield from self._apsw.execute(sql, values)
        except UnicodeDecodeError as error:
            raise LedgerError(f"{self.path} is damaged: a text in it is not UTF-8") from error

    stream = rows

    def rows_for(self, sql: str, wanted: Sequence[Row], after: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows for any of many, hundreds at a time: `VALUES (?, ?), (?, ?), …` stands in place of `{}`. What
        is numbered in the text comes after, whatever number it bears there.
        """
        for first in range(0, len(wanted), _AT_ONCE):
            some = wanted[first : first + _AT_ONCE]
            marks = "(" + ", ".join("?" * len(some[0])) + ")"
            values = tuple(chain.from_iterable(some))
            table = "VALUES " + ", ".join([marks] * len(some))
            yield from self.rows(sql.format(table), (*values, *after))

    def number(self, sql: str, values: Sequence[Any] = ()) -> int:
        """The one number that a question is answered with."""
        row = self.row(sql, values)
        return int(row[0]) if row and row[0] is not None else 0

    def define(self, name: str, function: Callable[..., Any], arguments: int) -> None:
        """A function for statements and views; equal arguments must give equal results."""
        self._apsw.create_scalar_function(
            name, function, arguments, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise _in_words(error, self.path) from error


def library_version() -> str:
    """The version of SQLite that is used here."""
    return str(apsw.sqlite_lib_version())


def make_private(path: Path) -> None:
    """A new file is for its owner alone. One that is there is left as it is: to open and close it would drop
    the locks of another connection in this process.
    """
    with suppress(FileExistsError):
        try:
            os.close(os.open(path, NEW_FILE, 0o600))
        except FileExistsError:
            raise
        except OSError as error:
            raise LedgerError(f"the ledger {path} cannot be made: {error.strerror}") from error


def _connect(name: str, flags: int) -> apsw.Connection:
    connection = apsw.Connection(name, flags=flags, statementcachesize=200)
    connection.set_busy_timeout(_PATIENCE_MS)
    # a plan goes by the statement alone: else one that compares a value is prepared anew for every row
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def check_library(version: str) -> None:
    """Refuse a library that could harm a ledger, or not read a statement."""
    if tuple(int(part) for part in version.split(".")) < _OLDEST_LIBRARY:
        raise LedgerError(
            f"the SQLite library is {version}; Holdfast needs 3.53 or newer",
            hint="install a newer apsw: it brings its own SQLite",
        )


def _in_words(error: apsw.Error, path: Path) -> HoldfastError:
    match error:
        case apsw.FullError():
            return NoSpaceError(
                f"no space left for the ledger {path}",
                hint="what was acknowledged is safe; make room and start again",
            )
        case apsw.BusyError() | apsw.LockedError():
            return LockedError(f"another program has locked the ledger {path}", hint="wait for it to end")
        case apsw.NotADBError() | apsw.CorruptError():
            return LedgerError(
                f"{path} is damaged, or is not a ledger: {error}",
                hint="`holdfast verify` says more, `holdfast store rebuild` makes one from the archive",
            )
        case apsw.ConstraintError():
            return ConstraintError(f"ledger {path}: {error}")
        case apsw.CantOpenError():
            return LedgerError(
                f"the ledger {path} cannot be opened",
                hint="is the folder there and readable? may more files be open (`ulimit -n`)?",
            )
        case apsw.ReadOnlyError():
            return LedgerError(f"the ledger {path} may not be written")
        case _:
            return LedgerError(f"ledger {path}: {error}")
