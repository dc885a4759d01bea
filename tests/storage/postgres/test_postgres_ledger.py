"""What is PostgreSQL's own about its ledger: guards, texts, patterns, steps, words."""

from __future__ import annotations

import fnmatch
import threading
from dataclasses import replace

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.ledger_cases import OTHER_RECIPE, RECIPE, at, commit, content, link, place, run, seen
from helpers.postgres_server import Server
from holdfast.core.base.errors import HoldfastError, LedgerError, LockedError, VersionError
from holdfast.storage.ledger.database import Change
from holdfast.storage.postgres.postgres_ledger import check_database, migrate_database, open_postgres, steps
from holdfast.storage.postgres.postgres_server import PostgresDatabase, shown_address
from holdfast.storage.postgres.references import glob_to_regex, text_from, text_to
from storage.ledger.test_citations import cites, document

IMMUTABLE = ("recipe", "run", "capture", "item", "observation", "edge", "link")


@pytest.fixture
def ledger(postgres):
    made = open_postgres(postgres, at(0))
    made.runs.begin_run(run())
    yield made
    made.close()


@pytest.mark.spec("LIN-1")
@pytest.mark.parametrize("table", IMMUTABLE)
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
def test_the_database_refuses_to_change_what_is_written_once(ledger, postgres, table, change):
    commit(ledger, seen(place("a"), 1, "one", links=(link(place("b")),)))
    commit(ledger, seen(place("a"), 2, "two"))
    column = {"link": "ord", "edge": "kind", "recipe": "version", "capture": "status"}.get(table, "run_seq")
    column = {"run": "job", "item": "title", "observation": "fetched_at"}.get(table, column)
    with psycopg.connect(postgres) as other, pytest.raises(psycopg.errors.IntegrityError, match="immutable"):
        other.execute(change.replace("{}", table, 1).replace("{}", column))


@pytest.mark.spec("CLU-1")
def test_texts_that_postgresql_has_no_words_for_come_back_as_they_were(ledger):
    odd = "a\0b\1c\1\1d\1\2\0"
    commit(ledger, seen(place("a"), 1, odd, links=(link(place("b"), odd),)))
    [found] = ledger.history.links_of(RECIPE, place("a").key)
    assert found.text == odd
    assert ledger.history.current_item(RECIPE, place("a").key).title == f"Title of {odd}"


ODD = [
    "",
    " ",
    "NULL",
    "\\N",
    "\\.",
    "{a,b}",
    'a "b" \\ c',
    "tab\there",
    "line\nand\r\nline",
    "\0\1",
    "ü\u2028",
    None,
]


@pytest.mark.spec("CLU-1")
def test_many_values_at_once_arrive_as_each_of_them_would(postgres):
    rows = [(n, text, None if text is None else text.encode(), n % 2 == 0) for n, text in enumerate(ODD)]
    db = PostgresDatabase(postgres)
    columns = "number, text, data, is_even"
    db.execute("CREATE TEMP TABLE odd (number bigint, text text, data bytea, is_even boolean)")
    assert list(db.rows_for("{}", rows)) == rows
    db.append("odd", columns, rows)
    assert list(db.rows("SELECT * FROM odd ORDER BY number")) == rows
    db.execute("DELETE FROM odd")
    assert db.change(Change("", f"INSERT INTO odd ({columns}) {{}}"), rows) == len(rows)
    assert list(db.rows("SELECT * FROM odd ORDER BY number")) == rows
    db.close()


@given(st.lists(st.text("\0\1\2ab", max_size=6), min_size=2, max_size=2))
def test_kept_texts_are_read_back_and_sort_as_they_did(texts):
    one, two = texts
    assert text_from(text_to(one)) == one
    assert (text_to(one) < text_to(two)) is (one.encode() < two.encode())
    assert b"\0" not in text_to(one)


@pytest.mark.parametrize(
    "pattern",
    ["*", "https://example.com/?", "*[ab]", "*[!a]", "*.com/a", "*[[]x", "*(x)", "*[a-c]", "*[", "*[]]"],
)
def test_globs_match_as_they_do_elsewhere(ledger, pattern):
    names = ("a", "b", "c", "[x", "(x)", "\\", "]")
    ledger.citations.put_documents([(document("d.md"), [cites(place(name)) for name in names])])
    found = {link.citation.place.url for link in ledger.citations.backlinks_like(pattern)}
    wanted = {place(n).url for n in names if fnmatch.fnmatchcase(place(n).url, pattern)}
    assert found == (set() if pattern == "*[" else wanted), glob_to_regex(pattern)


@pytest.mark.spec("CLU-1")
def test_a_schema_step_with_another_text_is_refused(ledger, postgres_server):
    with psycopg.connect(postgres_server.address, autocommit=True) as other:
        kept = other.execute("SELECT sha256 FROM migration WHERE number = 1").fetchone()[0]
        other.execute("UPDATE migration SET sha256 = 'x' WHERE number = 1")
        try:
            with pytest.raises(LedgerError, match="another schema step 1"):
                open_postgres(postgres_server.address, at(0))
            assert "another schema step 1" in next(check_database(postgres_server.address))
        finally:
            other.execute("UPDATE migration SET sha256 = %s WHERE number = 1", (kept,))
        other.execute("INSERT INTO migration VALUES (99, 'later', 'x', 0)")
        try:
            with pytest.raises(VersionError, match="has schema 99"):
                open_postgres(postgres_server.address, at(0))
        finally:
            other.execute("DELETE FROM migration WHERE number = 99")
    assert migrate_database(postgres_server.address, at(0)) == (len(steps()), len(steps()))


def test_a_database_without_a_ledger_is_not_made_one_by_a_question(postgres_server):
    with psycopg.connect(postgres_server.address, autocommit=True) as other:
        other.execute("DROP DATABASE IF EXISTS bare")
        other.execute("CREATE DATABASE bare")
    bare = postgres_server.address.replace("/postgres?", "/bare?")
    with pytest.raises(LedgerError, match="there is no ledger at postgresql://"):
        open_postgres(bare, at(0), read_only=True)
    with pytest.raises(LedgerError, match="there is no ledger at postgresql://"):
        migrate_database(bare, at(0))


def test_what_is_opened_to_be_asked_cannot_be_written(ledger, postgres):
    asked = open_postgres(postgres, at(0), read_only=True)
    with pytest.raises(LedgerError, match="may not be written"):
        asked.runs.begin_run(run("run-2"))
    asked.close()


def test_one_program_at_a_time_holds_a_ledger_alone(postgres):
    first = open_postgres(postgres, at(0), alone=True)
    with pytest.raises(LockedError, match="another program writes to the ledger"):
        open_postgres(postgres, at(0), alone=True)
    first.close()
    open_postgres(postgres, at(0), alone=True).close()


@pytest.mark.spec("SEC-3")
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@127.0.0.1:1/db",
        "postgresql://me@127.0.0.1:1/db?password=s3cret",
        "postgresql://me:s3cret/x@127.0.0.1:1/db",
        "postgresql://me:s3cret@127.0.0.1:1/db?s3cret=1",
    ],
)
def test_a_password_is_in_no_message(address):
    with pytest.raises(HoldfastError) as caught:
        open_postgres(address, at(0))
    assert "s3cret" not in f"{caught.value.message} {caught.value.hint}"
    assert "cannot be re" in caught.value.message


def test_an_address_is_shown_without_what_is_not_needed():
    parts = {"user": "me", "password": "x", "host": "db", "port": "5433", "dbname": "h", "sslmode": "require"}
    assert shown_address(parts) == "postgresql://me@db:5433/h"


@pytest.mark.spec("CLU-1")
def test_a_server_that_goes_away_is_told_in_words_and_loses_nothing(postgres_server):
    server = Server(postgres_server.programs, durable=True)
    try:
        ledger = open_postgres(server.address, at(0))
        ledger.runs.begin_run(run())
        commit(ledger, seen(place("a"), 1, "one"))
        server.stop()
        with pytest.raises(LedgerError, match="cannot be reached") as caught:
            commit(ledger, seen(place("a"), 2, "two"))
        ledger.close()
        assert "start again when it is back" in caught.value.hint
        server.start()
        again = open_postgres(server.address, at(0))
        assert [o.item.content_sha256 for o in again.history.of_url(place("a").key)] == [content("one")]
        again.close()
    finally:
        server.close()


@pytest.mark.spec("LIN-6")
def test_many_who_begin_with_a_new_recipe_at_once_find_one(postgres):
    ledgers = [open_postgres(postgres, at(0)) for _ in range(6)]
    for recipe in (RECIPE, OTHER_RECIPE):
        together, problems = threading.Barrier(len(ledgers)), []

        def begin(number, recipe=recipe, together=together, problems=problems):
            together.wait()
            try:
                ledgers[number].runs.begin_run(run(f"run-{recipe}-{number // 2}", recipe))
            except Exception as error:  # noqa: BLE001 - whatever it is, it is one too many
                problems.append(error)

        threads = [threading.Thread(target=begin, args=(number,)) for number in range(len(ledgers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
    assert len(list(ledgers[0].runs.latest_first())) == 6
    with pytest.raises(LedgerError, match="another run with the id"):
        ledgers[0].runs.begin_run(replace(run(f"run-{RECIPE}-0"), label="other"))
    for ledger in ledgers:
        ledger.close()


def test_an_answer_is_read_in_pieces_while_others_are_asked(ledger, postgres):
    ledger.frontier.add_entries("run-1", [])
    db = PostgresDatabase(postgres, read_only=True)
    numbers = db.stream("SELECT n FROM generate_series(1, $1) AS n", (2_500,))
    assert [row[0] for row in numbers if db.number("SELECT $1::bigint", (row[0],)) == row[0]][-1] == 2_500
    left = db.stream("SELECT n FROM generate_series(1, $1) AS n", (2_500,))
    next(left)
    db.close()
    left.close()


BEFORE_PLACES = """
DROP INDEX capture_by_url; DROP INDEX observation_by_url;
ALTER TABLE capture DROP COLUMN rank, DROP COLUMN stamp;
ALTER TABLE observation DROP COLUMN rank, DROP COLUMN stamp;
ALTER TABLE run DROP COLUMN rank, DROP COLUMN stamp;
CREATE INDEX capture_by_url ON capture (url_id, fetched_at);
CREATE INDEX observation_by_url ON observation (recipe_id, url_id, fetched_at, observation_id);
DELETE FROM migration WHERE name = 'ranks'
"""
"""What undoes the step by which captures got places of their own."""


@pytest.mark.spec("CLU-1", "LIN-10")
def test_captures_of_an_older_database_get_the_place_that_it_knows_of(postgres):
    a = place("a")
    ledger = open_postgres(postgres, at(0))
    ledger.runs.begin_run(run())
    ledger.commit("run-1", [seen(a, n, f"own-{n}") for n in (4, 9, 6)], at(10))
    ledger.runs.begin_run(run("run-2", label="imported", seconds=11))
    ledger.commit("run-2", [seen(a, n, f"brought-{n}", run_id="run-2") for n in (3, 20)], at(12))
    ledger.close()
    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute(BEFORE_PLACES)
    migrate_database(postgres, at(13))
    ledger = open_postgres(postgres, at(14))
    shown = [each.item.title.rpartition(" ")[2] for each in ledger.history.of_url(a.web_key)]
    assert shown == ["brought-3", "own-4", "own-9", "own-6", "brought-20"]
    ledger.close()
    with psycopg.connect(postgres, autocommit=True) as other:
        for table in ("capture", "observation", "run"):
            with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="immutable"):
                other.execute(f"UPDATE {table} SET stamp = 5")
    assert list(check_database(postgres)) == []
