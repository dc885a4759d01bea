"""`holdfast store copy` moves a ledger either way, exactly; backup and rebuild know servers, too."""

from __future__ import annotations

import shutil

import apsw
import psycopg
import pytest

from helpers.sites.server import Site, page
from holdfast.storage.ledger.kept_sums import KEPT_BY_DATABASE
from holdfast.storage.postgres.postgres_server import PostgresDatabase
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase

SITE = {
    "/": page("Home", links=["/a", "/b", "/gone"]),
    "/a": page("A\u2028with a break", links=["/b", "/"]),
    "/b": page("B", text="The same words as before."),
}
FLAGS = ("--discover", "links", "--content-rate-limit", "0", "--allow-private", "--processes", "1", "-q")

pytestmark = pytest.mark.spec("CLU-1")


@pytest.fixture
def project(tmp_path):
    """A folder with a settings file, a mirror of two versions, checked documents, and something forgotten."""
    (tmp_path / "holdfast.toml").write_text("")
    return tmp_path


@pytest.fixture
def filled(holdfast, project):
    site = Site(dict(SITE))
    with site.serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "docs", *FLAGS).status in (0, 1)
        site.answers["/a"] = page("A", text="Other words.", links=["/b"])
        assert holdfast("mirror", f"{origin}/", "-o", "docs", *FLAGS, "--update").status in (0, 1)
        (project / "notes.md").write_text(f"[a]({origin}/a) [gone]({origin}/gone)\n")
        tracked = holdfast("check", ".", "--fetch-urls", "--allow-private", "--content-rate-limit", "0")
        assert tracked.status in (0, 1), tracked.err
        assert holdfast("forget", f"{origin}/b").status == 0
    return project / ".holdfast"


def rows_of(state):
    """Every row of every table, but which steps of the schema were made when."""
    db = apsw.Connection(str(state / "ledger.db"), flags=apsw.SQLITE_OPEN_READONLY)
    names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        name: sorted(map(repr, db.execute(f"SELECT * FROM {name}"))) for name in names if name != "migration"
    }


def test_a_ledger_that_went_to_a_server_and_back_is_the_same_row_for_row(holdfast, filled, project, postgres):
    there = holdfast("store", "copy", ".holdfast", postgres)
    assert there.status == 0, there.err
    assert holdfast("verify", "--ledger", postgres).status == 0
    back = holdfast("store", "copy", postgres, "back/.holdfast", "--json")
    assert back.status == 0, back.err
    before, after = rows_of(filled), rows_of(project / "back" / ".holdfast")
    copied = [rows for name, rows in after.items() if name not in KEPT_BY_DATABASE]
    assert sum(map(len, copied)) == back.json["rows"] > 50
    chapters = {text for text in before.pop("chapter") if "store" not in text}
    assert chapters == {text for text in after.pop("chapter") if "store" not in text}
    assert before == after
    shutil.copytree(filled / "archive", project / "back/.holdfast/archive")  # `verify` reads it, too
    checked = holdfast("verify", "--store", "back/.holdfast")
    assert checked.status == 0, checked.out


def test_work_goes_on_where_a_ledger_was_copied_to(holdfast, filled, postgres):
    assert holdfast("store", "copy", ".holdfast", postgres).status == 0
    with Site(SITE).serve() as origin:
        served = ("--ledger", postgres)
        assert holdfast("mirror", f"{origin}/", "-o", "more", *FLAGS, *served).status in (0, 1)
    assert holdfast("verify", *served).status == 0
    assert holdfast("verify", "docs", *served).status == 0


def test_a_ledger_that_has_something_in_it_is_not_written_over(holdfast, filled, project, postgres):
    assert holdfast("store", "copy", ".holdfast", postgres).status == 0
    again = holdfast("store", "copy", ".holdfast", postgres)
    assert again.status == 2, again.err
    assert "is not empty" in again.err
    before = rows_of(filled)
    assert holdfast("store", "copy", postgres, ".holdfast").status == 2
    assert rows_of(filled) == before


def test_a_copy_that_fails_leaves_nothing(holdfast, filled, project, postgres):
    """A row that the target refuses ends all of it."""
    db = apsw.Connection(str(filled / "ledger.db"))
    db.execute("PRAGMA ignore_check_constraints = ON")
    db.execute("UPDATE run_progress SET status = 'dreaming'")
    db.close()
    failed = holdfast("store", "copy", ".holdfast", postgres)
    assert failed.status != 0
    assert "Traceback" not in failed.err
    with psycopg.connect(postgres) as server:
        assert server.execute("SELECT count(*) FROM url").fetchone() == (0,)
        assert server.execute("SELECT count(*) FROM store").fetchone() == (1,)


def test_both_kinds_of_database_have_the_same_columns(filled, postgres, holdfast):
    assert holdfast("store", "copy", ".holdfast", postgres).status == 0
    file, server = SqliteDatabase(filled / "ledger.db", read_only=True), PostgresDatabase(postgres)
    there = {table: set(columns) for table, columns in server.tables().items()}
    for table, columns in file.tables().items():
        assert set(columns) == there[table], table
    file.close()
    server.close()


@pytest.mark.parametrize("places", [(), ("a",), ("a", "b", "c")])
def test_a_copy_needs_two_places(holdfast, places):
    ran = holdfast("store", "copy", *places)
    assert ran.status == 2
    assert "usage: holdfast store copy SOURCE TO" in ran.err


def test_a_password_is_not_shown(holdfast, filled):
    ran = holdfast("store", "copy", ".holdfast", "postgresql://me:hunter2@127.0.0.1:9/none")
    assert ran.status != 0
    assert "hunter2" not in ran.err + ran.out
    assert "cannot be reached" in ran.err


@pytest.mark.spec("STA-7")
def test_a_backup_of_a_ledger_on_a_server_is_read_where_it_is(holdfast, filled, project, postgres):
    assert holdfast("store", "copy", ".holdfast", postgres).status == 0
    made = holdfast("store", "backup", "kept", "--ledger", postgres)
    assert made.status == 0, made.err
    assert holdfast("verify", "--store", "kept").status == 0
    assert sorted(path.name for path in (project / "kept").iterdir()) == ["archive", "ledger.db"]


@pytest.mark.spec("STA-7")
def test_a_lost_server_s_ledger_is_made_anew_from_the_archive(holdfast, filled, postgres):
    for file in filled.glob("ledger.db*"):
        file.unlink()
    made = holdfast("store", "rebuild", "--ledger", postgres)
    assert made.status == 0, made.err
    assert not list(filled.glob("ledger.db*"))
    assert holdfast("verify", "--ledger", postgres).status == 0
    assert holdfast("verify", "docs", "--ledger", postgres).status == 0
    again = holdfast("store", "rebuild", "--ledger", postgres)
    assert again.status == 2, again.err
    assert "is not empty" in again.err
