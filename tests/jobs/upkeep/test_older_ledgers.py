"""A ledger of an earlier Holdfast is brought up to date, or refused in words with a remedy that heals."""

from __future__ import annotations

import shutil

import apsw
import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.killing import KILLED, run_until
from helpers.sites.living import LivingSite
from holdfast.storage.sqlite import sqlite_ledger

pytestmark = [pytest.mark.spec("STA-7"), pytest.mark.spec("STA-8")]

UNDO = "DROP INDEX alias_by_url; DROP INDEX alias_by_target; DELETE FROM migration WHERE number = 10"
"""What the step that added nothing but indexes did."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "mirror"
    with LivingSite() as site:
        site.put("/a", "Words of a", links=["/b"])
        site.put("/b", "Words of b")
        assert mirror(site.origin + "/", folder).status == 0
        yield site, folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made[1], tmp_path / "mirror")


def alter(folder, sql):
    db = apsw.Connection(str(folder / ".holdfast/ledger.db"))
    db.execute(sql)
    db.close()


def test_a_ledger_with_a_step_less_asks_for_a_migration_and_is_well_then(made, folder):
    alter(folder, UNDO)
    for words in (("log", "--runs", "--store", folder), ("verify", folder, "--processes", "1")):
        refused = holdfast(*words)
        assert (refused.status, "holdfast store migrate" in refused.err) == (4, True)
    assert holdfast("store", "migrate", "--store", folder).status == 0
    for words in (("verify", folder, "--processes", "1"), ("verify", "--store", folder)):
        done = holdfast(*words)
        assert done.status == 0, done.out
    assert mirror(made[0].origin + "/", folder, "--update").status == 0
    assert holdfast("verify", folder, "--processes", "1").status == 0


def test_a_migration_that_was_killed_is_done_by_the_next(folder):
    alter(folder, UNDO)
    words = ["store", "migrate", "--store", folder]
    step = 1
    while run_until(words, step) == KILLED:
        step += 1
        shutil.copy(folder / ".holdfast/ledger.db", folder.parent / "as-it-is")
        assert holdfast("verify", "--store", folder).status in (0, 1, 4)
    assert step > 2
    assert holdfast("verify", folder, "--processes", "1").status == 0


@pytest.mark.parametrize("number", [step.number for step in sqlite_ledger.steps()])
def test_a_step_that_was_another_once_is_named_and_a_rebuild_heals(made, folder, number):
    alter(folder, f"UPDATE migration SET sha256 = 'another' WHERE number = {number}")
    refused = holdfast("log", "--runs", "--store", folder)
    assert refused.status == 3
    assert f"schema step {number}" in refused.err
    assert "holdfast store rebuild" in refused.err
    assert holdfast("store", "rebuild", "--store", folder).status == 0
    assert holdfast("verify", folder, "--processes", "1").status == 0
    assert "Words of a" in holdfast("show", made[0].origin + "/a", "--store", folder).out


@pytest.mark.parametrize("count", range(1, len(sqlite_ledger.steps())))
def test_a_ledger_of_any_number_of_steps_is_brought_up_to_date(tmp_path, count):
    state = tmp_path / ".holdfast"
    state.mkdir(mode=0o700)
    db = apsw.Connection(str(state / "ledger.db"))
    db.execute(f"PRAGMA application_id = {sqlite_ledger.APPLICATION_ID}")
    db.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL,"
               " applied_at INTEGER NOT NULL) STRICT")  # fmt: skip
    for step in sqlite_ledger.steps()[:count]:
        db.execute(step.sql)
        row = (step.number, step.name, step.sha256, 0)
        db.execute("INSERT INTO migration VALUES (?, ?, ?, ?)", row)
    db.close()
    assert holdfast("store", "migrate", "--store", state).status == 0
    assert holdfast("verify", "--store", state).status == 0
    assert holdfast("log", "--runs", "--store", state).status == 0
