"""What rows of a batch refer to, on a server: looked at once a statement, and as strictly as once a row."""

from __future__ import annotations

from dataclasses import replace

import psycopg
import pytest

from helpers.ledger_cases import at, commit, entry, facts, link, place, run, seen
from holdfast.storage.ledger.database import ConstraintError
from holdfast.storage.postgres.postgres_ledger import check_database, open_postgres
from holdfast.storage.postgres.postgres_server import PostgresDatabase
from holdfast.storage.postgres.references import REFERENCES

NUMBERS = {
    "url": "url_id",
    "capture": "capture_seq",
    "item": "item_seq",
    "observation": "observation_id",
    "page": "page_id",
    "frontier": "entry_id",
}
A_NAME = "decode(repeat('ab', 32), 'hex')"
OF_THE_OTHER_URL = "url_id = (SELECT url_id FROM url WHERE url LIKE '%b')"
OWN = {
    "url": f"url_key = {A_NAME}",
    "capture": f"capture_id = {A_NAME}",
    "item": f"item_id = {A_NAME}",
    "observation": "capture_seq = 900",
    "page": f"path = 'b.md', {OF_THE_OTHER_URL}",
    "frontier": OF_THE_OTHER_URL,
}
EACH = [(table, column, named) for table, all_of in REFERENCES.items() for column, named, _ in all_of]


@pytest.fixture
def filled(postgres):
    ledger = open_postgres(postgres, at(0))
    ledger.runs.begin_run(run())
    found = seen(place("a"), 1, "one", links=(link(place("b")),))
    commit(ledger, replace(found, page=facts("a.md"), discovered=(entry("a"),)))
    yield postgres
    ledger.close()


def another(connection, table):
    """A row like the one that is there, with a number and a name of its own, in `like_it`."""
    if table == "observation":  # one of each capture: it needs a capture of its own
        another(connection, "capture")
        connection.execute("INSERT INTO capture SELECT * FROM like_it")
        connection.execute("DROP TABLE like_it")
    connection.execute(f"CREATE TEMP TABLE like_it AS SELECT * FROM {table} LIMIT 1")
    connection.execute(f"UPDATE like_it SET {NUMBERS[table]} = 900, {OWN[table]}")


@pytest.mark.spec("CLU-1")
@pytest.mark.parametrize(("table", "column", "named"), EACH)
def test_a_row_that_names_what_is_not_there_is_refused(filled, table, column, named):
    with psycopg.connect(filled) as connection:
        another(connection, table)
        connection.execute(f"UPDATE like_it SET {column} = 4711")
        if column == "file_id":
            connection.execute("UPDATE like_it SET file_offset = 0, file_length = 1")
        with pytest.raises(psycopg.errors.ForeignKeyViolation, match=f"names a row of {named}"):
            connection.execute(f"INSERT INTO {table} SELECT * FROM like_it")


@pytest.mark.spec("CLU-1")
@pytest.mark.parametrize(
    ("table", "column", "named"), [one for one in EACH if one[0] in ("page", "frontier")]
)
def test_a_row_may_not_be_made_to_name_what_is_not_there(filled, table, column, named):
    refused = pytest.raises(psycopg.errors.ForeignKeyViolation, match=f"names a row of {named}")
    with psycopg.connect(filled) as connection, refused:
        connection.execute(f"UPDATE {table} SET {column} = 4711")


def test_the_database_looks_at_the_references_that_are_listed(filled):
    sql = "SELECT tgrelid::regclass::text, tgargs FROM pg_trigger WHERE tgname LIKE '%names_what_is_there'"
    with psycopg.connect(filled) as connection:
        found = {table: given.decode().split("\0")[:-1] for table, given in connection.execute(sql)}
    wanted = {table: [word for one in all_of for word in one] for table, all_of in REFERENCES.items()}
    assert found == wanted


def take_captures_out(db):
    with db.purging():
        db.execute("INSERT INTO forgetting (permit) VALUES (1)")
        db.execute("DELETE FROM capture")


@pytest.mark.spec("STA-4")
def test_a_purge_that_would_leave_a_row_behind_takes_nothing_out(filled):
    db = PostgresDatabase(filled)
    with pytest.raises(ConstraintError, match="rows of item name a row of capture"):
        take_captures_out(db)
    assert db.number("SELECT count(*) FROM capture") == 1
    db.close()


@pytest.mark.spec("LIN-6")
def test_what_names_nothing_is_found_by_the_check(filled):
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # the guards look away
        another(connection, "item")
        connection.execute("UPDATE like_it SET capture_seq = 4711")
        connection.execute("INSERT INTO item SELECT * FROM like_it")
    assert "rows of item name a row of capture that is not there: 1" in list(check_database(filled))


def test_many_rows_of_one_statement_share_a_plan_and_the_next_one_gets_its_own(filled):
    db = PostgresDatabase(filled)
    sql, mode = "INSERT INTO host (name) VALUES ($1)", "SHOW plan_cache_mode"
    with db.writing():
        db.execute_many(sql, [(f"h{n}.example",) for n in range(20)])
        plans = db.row(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = $1", (sql,)
        )
        assert plans == (20, 0)
        assert db.row(mode) == ("force_custom_plan",)
        with pytest.raises(ConstraintError), db.attempt():
            db.execute_many(sql, [("twice.example",)] * 20)
        assert db.row(mode) == ("force_custom_plan",)
    assert db.row(mode) == ("force_custom_plan",)
    db.close()
