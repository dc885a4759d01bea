"""What only the SQLite ledger has: a file, its schema, its guards."""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from helpers.ledger_cases import RECIPE, at, capture, commit, content, facts, link, place, run, seen
from holdfast.core.base.errors import LedgerError, NoSpaceError, VersionError
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.chapters import RUN
from holdfast.core.lineage.event_kind import ChangeDetail, EventKind
from holdfast.core.lineage.ledger_values import Finding, FrontierEntry
from holdfast.core.lineage.lineage import RecordRef, RunTally
from holdfast.core.links.citation import LedgerEvent
from holdfast.core.url.url import Place
from holdfast.storage.ledger.columns import detail_of
from holdfast.storage.ledger.database import Step
from holdfast.storage.ledger.restoring import copy_rows
from holdfast.storage.sqlite import sqlite_ledger
from holdfast.storage.sqlite.sqlite_file import SqliteDatabase, check_library
from holdfast.storage.sqlite.sqlite_ledger import check_file, migrate_file, open_ledger, steps
from storage.ledger.test_citations import cites, document, known
from storage.sqlite import ledger_tour

A, B = place("a"), place("b")
GUARDED = ("recipe", "run", "capture", "item", "edge", "observation", "link", "event")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "ledger.db"


PLACED = [step.name for step in steps()].index("ranks") + 1
"""The step by which captures got places of their own."""


def _without_later_steps(path: Path, count: int) -> None:
    """The file as it would be if it had only the first steps of the schema."""
    early = apsw.Connection(":memory:")
    for step in steps()[:count]:
        early.execute(step.sql)
    shapes = "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL"
    columns = "SELECT name FROM pragma_table_info(?)"
    kept = {name: (kind, sql) for name, kind, sql in early.execute(shapes)}
    db = apsw.Connection(str(path))
    db.execute("PRAGMA foreign_keys = OFF")
    now = db.execute(shapes).fetchall()
    for kind in ("trigger", "index"):
        for name in (name for name, each, sql in now if each == kind and kept.get(name) != (kind, sql)):
            db.execute(f"DROP {kind} {name}")
    for name in (name for name, kind, _ in now if kind == "table" and name != "migration"):
        if name not in kept:
            db.execute(f"DROP TABLE {name}")
            continue
        before = {row[0] for row in early.execute(columns, (name,))}
        for (column,) in db.execute(columns, (name,)).fetchall():
            if column not in before:
                db.execute(f"ALTER TABLE {name} DROP COLUMN {column}")
    there = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
    for sql in (sql for name, (_, sql) in kept.items() if name not in there):
        db.execute(sql)
    db.execute("DELETE FROM migration WHERE number > ?", (steps()[count - 1].number,))
    db.close()


@pytest.fixture
def filled(path) -> Path:
    ledger = open_ledger(path, at(0))
    ledger.runs.begin_run(run())
    one = replace(seen(A, 1, "one", links=(link(B),)), page=facts("a.md"))
    ledger.commit("run-1", [one, seen(A, 2, "two"), seen(B, 3, "one")], at(4))
    ledger.citations.put_places([], [LedgerEvent(at(5), EventKind.CHANGED, A)])
    ledger.close()
    return path


def attack(path: Path) -> apsw.Connection:
    """A connection that keeps none of our own precautions."""
    return apsw.Connection(str(path))


class TestImmutable:
    @pytest.mark.spec("LIN-1")
    @pytest.mark.parametrize("table", GUARDED)
    def test_no_row_can_be_changed_deleted_or_replaced(self, filled, table):
        db = attack(filled)
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        before = db.execute(f"SELECT * FROM {table}").fetchall()
        assert before, "the attack needs a row"
        attacks = [f"UPDATE {table} SET {column} = {column}" for column in columns]
        attacks += [f"DELETE FROM {table}"]
        if table != "link":
            attacks += [f"REPLACE INTO {table} SELECT * FROM {table} LIMIT 1"]
            attacks += [f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"]
        for sql in attacks:
            with pytest.raises(apsw.ConstraintError, match=f"a row of {table} is immutable"):
                db.execute(sql)
        assert db.execute(f"SELECT * FROM {table}").fetchall() == before

    @pytest.mark.spec("LIN-1")
    def test_our_own_connection_replaces_no_link_either(self, filled):
        db = SqliteDatabase(filled)
        with pytest.raises(LedgerError, match="a row of link is immutable"):
            db.execute("REPLACE INTO link SELECT * FROM link")
        db.close()

    @pytest.mark.spec("LIN-1", "STA-4")
    def test_forgetting_may_delete_but_never_change(self, filled):
        db = attack(filled)
        db.execute("BEGIN IMMEDIATE; INSERT INTO forgetting VALUES (1)")
        db.execute("DELETE FROM link")
        with pytest.raises(apsw.ConstraintError, match="immutable"):
            db.execute("UPDATE item SET title = 'x'")
        db.execute("DELETE FROM forgetting; COMMIT")
        assert db.execute("SELECT count(*) FROM link").get == 0
        with pytest.raises(apsw.ConstraintError, match="immutable"):
            db.execute("DELETE FROM item")

    def test_tables_are_strict(self, filled):
        rows = attack(filled).execute("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'")
        assert {name for name, strict in rows if not strict} <= {
            "sqlite_schema",
            "sqlite_stat1",
            "sqlite_stat4",
        }


class TestSchema:
    def test_a_new_file_has_every_step_recorded_with_its_hash(self, filled):
        rows = attack(filled).execute("SELECT number, name, sha256 FROM migration").fetchall()
        assert rows == [(step.number, step.name, step.sha256) for step in steps()]

    def test_a_newer_schema_is_refused(self, filled):
        attack(filled).execute("INSERT INTO migration VALUES (99, 'from_the_future', 'x', 0)")
        with pytest.raises(VersionError, match=r"schema 99 \(from_the_future\)"):
            open_ledger(filled, at(0))

    def test_a_step_with_another_text_is_refused(self, filled):
        attack(filled).execute("UPDATE migration SET sha256 = 'x'")
        with pytest.raises(LedgerError, match="another schema step 1"):
            open_ledger(filled, at(0))

    def test_another_database_is_no_ledger(self, path):
        attack(path).execute("CREATE TABLE t (x)")
        with pytest.raises(LedgerError, match="not a ledger of Holdfast"):
            open_ledger(path, at(0))

    def test_a_file_that_is_no_database_is_said_to_be_none(self, path):
        path.write_bytes(b"no database at all" * 100)
        with pytest.raises(LedgerError, match="damaged, or is not a ledger"):
            open_ledger(path, at(0))

    def test_an_older_schema_is_refused_until_it_is_migrated_and_a_copy_is_kept(self, filled, monkeypatch):
        now = len(steps())
        more = (*steps(), Step(steps()[-1].number + 1, "more", "CREATE TABLE more (x INTEGER) STRICT"))
        monkeypatch.setattr(sqlite_ledger, "steps", lambda: more)
        monkeypatch.setattr("holdfast.storage.sqlite.sqlite_ledger.steps", lambda: more)
        monkeypatch.setattr("holdfast.storage.sqlite.sqlite_ledger.steps", lambda: more)
        with pytest.raises(VersionError, match=f"needs {now + 1}") as refused:
            open_ledger(filled, at(0))
        assert "store migrate" in refused.value.hint
        assert list(check_file(filled)) == [
            f"schema {now}, where this Holdfast needs {now + 1}: run `holdfast store migrate`"
        ]
        before, after, copy = migrate_file(filled, at(1))
        assert (before, after) == (now, now + 1)
        assert copy.stat().st_mode & 0o077 == 0, "private, as the ledger is"
        assert attack(copy).execute("SELECT count(*) FROM item").get == 3
        ledger = open_ledger(filled, at(2))
        assert ledger.history.current_item(RECIPE, A.key).content_sha256 == content("two")
        ledger.close()
        assert migrate_file(filled, at(3)) == (now + 1, now + 1, None)

    def test_a_file_of_the_first_schemas_is_migrated_and_knows_what_it_knew(self, path):
        ledger = open_ledger(path, at(0))
        ledger.runs.begin_run(run())
        ledger.commit("run-1", [seen(A, 1, "one", links=(link(B),)), seen(A, 2, "two")], at(4))
        seal = ledger.runs.end_run("run-1", at(5), RunTally.of({}))
        history = list(ledger.history.of_url(A.web_key))
        ledger.close()
        _without_later_steps(path, 3)
        with pytest.raises(VersionError, match="schema 3"):
            open_ledger(path, at(6))
        migrate_file(path, at(6))
        ledger = open_ledger(path, at(7))
        assert list(ledger.history.of_url(A.web_key)) == history
        assert ledger.runs.run("run-1").seal == seal == ledger.runs.end_run("run-1", at(8), RunTally.of({}))
        assert list(ledger.forgetting.places_on("example.com")) == [A]
        ledger.close()
        assert list(check_file(path)) == []

    @pytest.mark.spec("LIN-10")
    @pytest.mark.parametrize(
        ("is_joined", "expected"),
        [
            (False, ["brought-3", "own-4", "own-9", "own-6", "brought-20"]),
            (True, ["brought-3", "own-4", "own-6", "own-9", "brought-20"]),
        ],
    )
    def test_captures_of_an_older_file_get_the_place_that_it_knows_of(self, path, is_joined, expected):
        ledger = open_ledger(path, at(0))
        ledger.runs.begin_run(run())
        ledger.commit("run-1", [seen(A, n, f"own-{n}") for n in (4, 9, 6)], at(10))
        ledger.runs.begin_run(run("run-2", label="imported", seconds=11))
        ledger.commit("run-2", [seen(A, n, f"brought-{n}", run_id="run-2") for n in (3, 20)], at(12))
        ledger.runs.begin_run(run("run-3", seconds=-5))
        ledger.commit("run-1", [seen(B, 8, "b")], at(12))
        ledger.commit("run-3", [seen(B, 2, "b by a wrong clock", run_id="run-3")], at(12))
        ledger.runs.begin_run(run("run-4", seconds=12))
        ledger.chapters.settle({}, set())
        ledger.close()
        _without_later_steps(path, PLACED - 1)
        if is_joined:
            attack(path).execute("INSERT INTO store (store_id, is_own) VALUES ('another', 0)")
        migrate_file(path, at(13))
        ledger = open_ledger(path, at(14))
        shown = [o.item.title.rpartition(" ")[2] for o in ledger.history.of_url(A.web_key)]
        assert shown == expected
        current = ledger.history.current_item(RECIPE, A.key)
        assert current.title == f"Title of {expected[-1]}"
        told_anew = {name for name in ledger.chapters.due() if name.startswith(RUN)}
        assert told_anew == {RUN + f"run-{number}" for number in ((1, 2, 3, 4) if is_joined else (2,))}
        assert list(ledger.chapters.altered()) == []
        (again,) = commit(ledger, seen(A, 1, "back", run_id="run-3"), run_id="run-3", seconds=15)
        assert ledger.history.current_item(RECIPE, A.key) == again.item
        runs = [record.run.run_id for record in ledger.runs.latest_first()]
        assert runs[0] == "run-4"
        assert runs[1:] == (["run-2", "run-1", "run-3"] if is_joined else ["run-3", "run-2", "run-1"])
        ledger.close()
        assert list(check_file(path)) == []

    def test_what_is_kept_beside_rows_is_made_when_a_file_is_migrated(self, path):
        ledger = open_ledger(path, at(0))
        ledger_tour.fill(ledger)
        ledger.citations.put_documents([(document("b.md"), [cites(A)])])
        ledger.close()
        _without_later_steps(path, len(steps()) - 2)
        migrate_file(path, at(6))
        assert list(check_file(path)) == []

    @pytest.mark.parametrize(
        ("harm", "words"),
        [
            (
                "UPDATE entry_count SET entries = entries + 1",
                "entries of runs that are not counted as they are",
            ),
            ("UPDATE page_count SET gone = gone + 1", "mirrors whose pages are not counted as they are"),
            ("UPDATE brought_count SET changed = 9", "runs whose items are not counted as they are"),
            ("UPDATE alias SET url = 'x'", "aliases in the place of another URL"),
            ("UPDATE cited_place SET url = 'x'", "cited places in the place of another URL"),
            ("UPDATE cited_place SET is_cited = 1 - is_cited", "places that are not known as cited"),
        ],
    )
    def test_what_is_kept_beside_rows_is_compared_with_them(self, path, harm, words):
        ledger = open_ledger(path, at(0))
        ledger_tour.fill(ledger)
        ledger.close()
        attack(path).execute(harm)
        assert any(words in problem for problem in check_file(path))

    def test_a_new_file_has_all_steps_or_none(self, path, monkeypatch):
        with monkeypatch.context() as patched:
            broken = (*steps(), Step(steps()[-1].number + 1, "broken", "no SQL at all"))
            patched.setattr(sqlite_ledger, "steps", lambda: broken)
            with pytest.raises(LedgerError):
                open_ledger(path, at(0))
        open_ledger(path, at(1)).close()

    @pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.52.0", "3.7.0"])
    def test_a_library_that_is_too_old_is_refused(self, version):
        with pytest.raises(LedgerError, match=version):
            check_library(version)

    def test_the_library_in_use_is_new_enough(self):
        check_library(apsw.sqlite_lib_version())

    def test_a_ledger_that_is_not_there_is_not_made_by_asking(self, path):
        with pytest.raises(LedgerError, match="no ledger at"):
            open_ledger(path, at(0), read_only=True)
        with pytest.raises(LedgerError, match="no ledger at"):
            migrate_file(path, at(0))
        assert not path.exists()

    @pytest.mark.parametrize("work", ["filling", "purging"])
    def test_references_are_unchecked_while_many_rows_are_written_and_checked_again_after_it(
        self, path, work
    ):
        db = SqliteDatabase(path)
        with getattr(db, work)():
            assert db.number("PRAGMA foreign_keys") == 0
        assert db.number("PRAGMA foreign_keys") == 1
        db.close()

    def test_a_reader_cannot_write(self, filled):
        ledger = open_ledger(filled, at(0), read_only=True)
        assert ledger.history.current_item(RECIPE, A.key) is not None
        with pytest.raises(LedgerError, match="may not be written"):
            ledger.runs.begin_run(run("run-2"))
        ledger.close()


class TestCheck:
    def test_a_sound_file_has_no_problems(self, filled):
        assert list(check_file(filled)) == []

    def test_a_damaged_page_is_found(self, filled):
        db = attack(filled)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        data = bytearray(filled.read_bytes())
        data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
        filled.write_bytes(data)
        assert list(check_file(filled))

    def test_a_broken_law_is_found(self, filled):
        db = attack(filled)
        db.execute("PRAGMA foreign_keys = OFF; INSERT INTO forgetting VALUES (1); DELETE FROM observation")
        problems = list(check_file(filled))
        assert any("items that no capture was observed to show: 3" in p for p in problems)
        assert any("permits to forget" in p for p in problems)
        assert any("names a row of observation that is not there" in p for p in problems)


WRITERS, PAGES, CONTENTS = 4, 40, 12


def _write(path: Path, number: int, barrier) -> None:
    ledger = open_ledger(path, at(0))
    barrier.wait()
    for n in range(PAGES):
        where = place(f"{number}/{n % 17}")
        batch = [seen(where, 1 + n + number / 10, f"text {n % CONTENTS}"), seen(A, 500 + n, f"shared {n}")]
        ledger.commit("run-1", batch, at(1000))
    ledger.close()


@pytest.mark.spec("LIN-6")
def test_four_writers_leave_the_edges_of_a_serial_order(path):
    open_ledger(path, at(0)).runs.begin_run(run())
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(WRITERS)
    writers = [context.Process(target=_write, args=(path, n, barrier)) for n in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    assert list(check_file(path)) == []
    db = attack(path)
    assert (
        db.execute(
            "SELECT count(*) FROM capture WHERE url_id <> (SELECT url_id FROM url WHERE url = ?)", (A.url,)
        ).get
        == WRITERS * PAGES
    )
    edges = db.execute("SELECT source_seq, target_seq FROM edge WHERE kind = 'supersedes'").fetchall()
    _replay(db, edges)
    db.close()


def _replay(db: apsw.Connection, edges: list[tuple[int, int]]) -> None:
    """Every edge is the one that judging the items one after another gives; none is missing, none is more."""
    rows = db.execute("SELECT item_seq, url_id, content_sha256 FROM item ORDER BY item_seq").fetchall()
    by_url: dict[int, int] = {}
    by_content: dict[bytes, int] = {}
    expected = []
    for seq, url, text in rows:
        old = by_content.get(text, by_url.get(url))
        if old is not None:
            expected.append((seq, old))
        by_url[url] = by_content[text] = seq
    assert sorted(edges) == expected
    contents = Counter(text for _, _, text in rows)
    assert max(contents.values()) > WRITERS, "the writers never met on equal content"
    times = [row[0] for row in db.execute("SELECT created_at FROM item ORDER BY item_seq")]
    assert times == sorted(set(times))


def test_a_frontier_longer_than_a_batch_is_handed_out_in_order_from_disk(path):
    ledger = open_ledger(path, at(0))
    ledger.runs.begin_run(run())

    def made(n):
        url = f"https://example.com/{n}"
        return FrontierEntry(Place(url, url_key(url), url_key(url)), url, n % 3, 0, n)

    assert ledger.frontier.add_entries("run-1", map(made, range(5000))) == 5000
    order = []
    while batch := ledger.frontier.take_entries("run-1", 700):
        order += [(e.depth, e.source, e.position) for e in batch]
    assert order == sorted(order)
    assert len(order) == 5000
    plan = attack(path).execute(
        "EXPLAIN QUERY PLAN SELECT * FROM frontier WHERE run_seq = 1 AND state = 'ready'"
        " ORDER BY depth, source, position, entry_id LIMIT 5"
    )
    assert not any("TEMP B-TREE" in row[3] for row in plan)
    ledger.close()


def test_the_committed_ends_are_those_of_the_captures(path):
    ledger = open_ledger(path, at(0))
    ledger.runs.begin_run(run())
    refs = [RecordRef("a.warc.gz", 10, 5), RecordRef("b.warc.gz", 0, 7), RecordRef("a.warc.gz", 15, 5)]
    for n, ref in enumerate(refs):
        ledger.commit("run-1", [Finding(capture=capture(A, n, ref=ref))], at(n))
    assert ledger.archived.ends() == {"a.warc.gz": 20, "b.warc.gz": 7}
    ledger.close()


def test_a_cited_place_is_written_once_with_all_that_is_kept_beside_it(path):
    ledger = open_ledger(path, at(0))
    places = [place(f"cited{number}") for number in range(20)]
    ledger.citations.put_documents([(document("a.md"), [cites(each) for each in places[:10]])])
    db = ledger._db._apsw
    written = db.total_changes()
    ledger.citations.put_places([known(each) for each in places])
    assert db.total_changes() - written == len(places) + 10  # those that no document cites are new URLs
    shown = db.execute("SELECT url, is_cited FROM cited_place ORDER BY place_id").fetchall()
    assert shown == [(each.url, int(number < 10)) for number, each in enumerate(places)]
    ledger.close()


@pytest.mark.spec("SEC-6")
def test_a_full_ledger_rolls_back_whole_and_goes_on_when_there_is_room(path):
    ledger = open_ledger(path, at(0))
    ledger.runs.begin_run(run())
    pages = ledger._db.number("PRAGMA page_count")
    ledger._db.execute(f"PRAGMA max_page_count = {pages + 40}")
    batches = [[seen(place(f"{n}/{k}"), n, f"text {n} {k}") for k in range(50)] for n in range(100)]
    room = iter(batches)
    with pytest.raises(NoSpaceError, match="no space left for the ledger"):
        deque((ledger.commit("run-1", batch, at(1)) for batch in room), maxlen=0)
    kept = len(batches) - len(list(room)) - 1
    assert kept > 0
    assert len(list(ledger.history.of_run("run-1"))) == kept * 50
    ledger._db.execute("PRAGMA max_page_count = 1000000")
    ledger.commit("run-1", batches[kept], at(1))
    assert len(list(ledger.history.of_run("run-1"))) == (kept + 1) * 50
    ledger.close()
    assert list(check_file(path)) == []


def test_an_event_of_an_earlier_version_has_no_details():
    assert detail_of("") == detail_of("what is this") == detail_of("410") == ChangeDetail()


def test_rows_are_not_copied_into_a_table_with_other_columns(tmp_path):
    for name in ("old.db", "new.db"):
        open_ledger(tmp_path / name, at(0)).close()
    old, new = (SqliteDatabase(tmp_path / name) for name in ("old.db", "new.db"))
    new.execute("ALTER TABLE run ADD COLUMN later TEXT")
    with pytest.raises(LedgerError, match="have other columns of run"):
        copy_rows(old, new, lambda _table, _rows: None)
    old.close()
    new.close()
