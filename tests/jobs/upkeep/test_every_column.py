"""`verify` never ends in a trace, whatever was altered in the ledger, and sees what it promises to see."""

from __future__ import annotations

import shutil

import apsw
import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-8")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "mirror"
    with LivingSite() as site:
        site.put("/a", "First words", links=["/b"])
        site.put("/b", "Steady", links=["/a"])
        site.redirect("/old", "/a")
        assert mirror(site.origin + "/", folder).status == 0
        site.put("/a", "Second words", links=["/b"])
        assert mirror(site.origin + "/", folder, "--update").status == 0
    return folder


def columns(folder):
    db = apsw.Connection(str(folder / ".holdfast" / "ledger.db"))
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = [
        (table, row[1], row[2])
        for table in tables
        if not table.startswith("sqlite_") and db.execute(f"SELECT count(*) FROM {table}").get
        for row in db.execute(f"PRAGMA table_info({table})")
    ]
    db.close()
    return found


def alter(folder, table, column, kind):
    """Change one value past the program; False where the schema itself refuses it."""
    db = apsw.Connection(str(folder / ".holdfast" / "ledger.db"))
    for (name,) in list(db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")):
        db.execute(f"DROP TRIGGER {name}")
    value = {
        "INTEGER": f"coalesce({column}, 0) + 1",
        "BLOB": f"substr(coalesce({column}, zeroblob(32)), 2) || x'5a'",
    }.get(kind, f"coalesce({column}, '') || 'X'")
    try:
        db.execute(f"UPDATE {table} SET {column} = CAST({value} AS {kind})")
        return bool(db.changes())
    except (apsw.ConstraintError, apsw.SQLError):
        return False
    finally:
        db.close()


def test_every_altered_column(whole, tmp_path):
    unseen = set()
    for table, column, kind in columns(whole):
        folder = tmp_path / f"{table}-{column}"
        shutil.copytree(whole, folder)
        if alter(folder, table, column, kind):
            done = holdfast("verify", folder, "--processes", 1)
            assert done.status in (0, 1, 2, 3, 4), (table, column, done.err)
            if done.status == 0:
                unseen.add((table, column))
        shutil.rmtree(folder)
    assert unseen == set()


ONE_OF_EACH = (
    ("url", "web_key", "BLOB"), ("recipe", "identity_digest", "TEXT"), ("run", "started_at", "INTEGER"),
    ("run_progress", "summary", "TEXT"), ("capture", "fetched_at", "INTEGER"),
    ("item", "created_at", "INTEGER"), ("observation", "fetched_at", "INTEGER"), ("link", "kind", "TEXT"),
    ("page", "etag", "TEXT"), ("alias", "detail", "TEXT"), ("frontier", "state", "TEXT"),
    ("store", "store_id", "TEXT"),
)  # fmt: skip


@pytest.mark.parametrize(("table", "column", "kind"), ONE_OF_EACH)
def test_the_advice_heals(whole, tmp_path, table, column, kind):
    folder = tmp_path / "mirror"
    shutil.copytree(whole, folder)
    assert alter(folder, table, column, kind)
    said = holdfast("verify", folder, "--processes", 1)
    assert said.status == 1
    assert "holdfast store rebuild" in said.out
    assert holdfast("store", "rebuild", "--store", folder / ".holdfast", "--processes", 1).status == 0
    healed = holdfast("verify", folder, "--processes", 1)
    assert healed.status == 0, healed.out


@pytest.mark.parametrize(("table", "column", "kind"), ONE_OF_EACH)
def test_no_question_ends_in_a_trace(whole, tmp_path, table, column, kind):
    folder = tmp_path / "mirror"
    shutil.copytree(whole, folder)
    assert alter(folder, table, column, kind)
    state = ("--store", folder / ".holdfast")
    for words in (("log", "--runs", *state), ("log", "http://127.0.0.1/a", *state), ("log", folder)):
        done = holdfast(*words)
        assert done.status in (0, 1, 2, 3)
        assert "there is no command" not in done.err
    checked = holdfast("verify", "--store", folder, "--processes", 1)
    assert checked.status == 1, checked.err
