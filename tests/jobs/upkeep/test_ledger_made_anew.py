"""`holdfast store rebuild` makes a ledger from the archive, equal to the lost one in all that it can say."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest
from warcio.archiveiterator import ArchiveIterator

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-7")

UNKNOWABLE = {
    # Which number a row has where nothing refers to it by number; when this file got its schema.
    "host": {"host_id"}, "url": {"url_id", "host_id"}, "recipe": {"recipe_id"}, "label": {"label_id"},
    "archive_file": {"file_id"}, "migration": {"applied_at"}, "page": {"page_id"}, "frontier": {"entry_id"},
    "alternate": {"alternate_id"}, "chapter": {"digest"},
}  # fmt: skip
NAMES = {
    "url_id": "(SELECT url FROM url WHERE url_id = t.{0})",
    "target_id": "(SELECT url FROM url WHERE url_id = t.{0})",
    "recipe_id": "(SELECT version FROM recipe WHERE recipe_id = t.{0})",
    "label_id": "(SELECT name FROM label WHERE label_id = t.{0})",
    "file_id": "(SELECT name FROM archive_file WHERE file_id = t.{0})",
}
PASSING = {"chapter", "forgetting", "removal", "spare_file"}
"""Tables of work in hand."""


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/a", "First words of a", links=["/b", "/gone", "/old"])
        living.put("/b", "Steady words of b", links=["/a"])
        living.put("/copy", "Steady words of b", links=["/a"])
        living.redirect("/old", "/a")
        yield living


@pytest.fixture
def twice(site, tmp_path):
    """A mirror of two versions, with an alias, a redirect and a failure."""
    folder = tmp_path / "mirror"
    assert mirror(site.origin + "/", folder).status in (0, 1)
    site.put("/a", "Second words of a", links=["/b", "/gone", "/old"])
    assert mirror(site.origin + "/", folder, "--update").status in (0, 1)
    return folder


def state_of(folder):
    return folder / ".holdfast"


def lose_ledger(folder):
    for file in state_of(folder).glob("ledger.db*"):
        file.unlink()


def rebuild(folder, *flags):
    done = holdfast("store", "rebuild", "--store", state_of(folder), *flags)
    assert done.status == 0, done.err
    return done


def tables(folder):
    """Every row of every table in a form that holds in any file: names for numbers that are a file's own."""
    db = apsw.Connection(str(state_of(folder) / "ledger.db"), flags=apsw.SQLITE_OPEN_READONLY)
    found = {}
    names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    for table in names:
        if table.startswith("sqlite_") or table in PASSING:
            continue
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        kept = [column for column in columns if column not in UNKNOWABLE.get(table, ())]
        values = ", ".join(NAMES.get(column, "t.{0}").format(column) for column in kept)
        found[table] = sorted(map(repr, db.execute(f"SELECT {values} FROM {table} t")))
    db.close()
    return found


def test_a_ledger_made_anew_equals_the_lost_one(twice):
    before = tables(twice)
    assert before["alias"]
    assert before["edge"]
    lose_ledger(twice)
    rebuild(twice)
    after = tables(twice)
    for table, rows in before.items():
        assert after[table] == rows, table
    assert holdfast("verify", twice, "--processes", 1).status == 0


def test_history_goes_on_after_a_ledger_was_made_anew(site, twice):
    lose_ledger(twice)
    rebuild(twice)
    site.asked.clear()
    site.put("/a", "Third words of a", links=["/b"])
    assert mirror(site.origin + "/", twice, "--update").status in (0, 1)
    history = holdfast("log", site.origin + "/a", "--store", state_of(twice), "--json")
    assert sum(seen["new"] for seen in json.loads(history.out)["parts"][0]["page"]["captures"]) == 3
    assert holdfast("verify", twice, "--processes", 1).status == 0
    steady = [asked for asked in site.asked if asked.path == "/b"]
    assert all(asked.conditional for asked in steady)


def test_a_ledger_that_is_there_is_kept_beside_the_new_one(twice):
    before = (state_of(twice) / "ledger.db").read_bytes()
    done = rebuild(twice, "--json")
    copy = json.loads(done.out)["copy"]
    kept = state_of(twice) / os.path.basename(copy)  # noqa: PTH119 - a name, not a path
    assert kept.read_bytes()[:100] == before[:100]
    assert holdfast("verify", twice, "--processes", 1).status == 0


def test_a_damaged_ledger_is_made_anew(twice):
    (state_of(twice) / "ledger.db").write_bytes(b"rubbish" * 1000)
    assert holdfast("log", "--runs", "--store", state_of(twice)).status == 3
    rebuild(twice)
    assert holdfast("verify", twice, "--processes", 1).status == 0


def assert_store_is_sound(folder, but="\0"):
    """Ledger and archive each by itself; what they and the mirror's folder lack is another matter."""
    (part,) = json.loads(holdfast("verify", "--store", state_of(folder), "--json").out)["parts"]
    assert [one for one in part["differences"] if one["where"] == "state" and but not in one["what"]] == []


def test_orphans_come_back(site, twice):
    before = tables(twice)
    lose_ledger(twice)
    assert mirror(site.origin + "/", twice).status in (0, 1)
    assert list((state_of(twice) / "archive" / "orphans").iterdir())
    rebuild(twice)
    after = tables(twice)
    for table in ("run", "item", "edge", "observation"):
        assert len(after[table]) >= len(before[table]), table
    history = holdfast("log", site.origin + "/a", "--store", state_of(twice))
    assert history.status == 0
    assert_store_is_sound(twice)


def test_pieces_of_a_file_come_back_with_the_bodies_that_they_only_refer_to(site, twice):
    """An older ledger was put back, and a writer moved what it did not know aside: revisits among it."""
    ledger, url = state_of(twice) / "ledger.db", site.origin + "/a"
    older = ledger.read_bytes()
    assert mirror(site.origin + "/", twice, "--update", "--max-age", "0s").status in (0, 1)
    before = json.loads(holdfast("log", url, "--store", state_of(twice), "--json").out)["parts"][0]["page"][
        "captures"
    ]
    lose_ledger(twice)
    ledger.write_bytes(older)
    assert mirror(site.origin + "/", twice).status in (0, 1)
    assert [path.name for path in (state_of(twice) / "archive/orphans").iterdir() if "+" in path.name]
    done = holdfast("store", "rebuild", "--store", state_of(twice), "--processes", 1, "--json")
    assert (done.status, json.loads(done.out)["flaws"]) == (0, []), done.err
    after = json.loads(holdfast("log", url, "--store", state_of(twice), "--json").out)["parts"][0]["page"][
        "captures"
    ]
    seen = [[(one["fetched_at"], one["run_id"]) for one in captures] for captures in (before, after)]
    assert seen[0] == seen[1], "they are those of the run that made them"
    assert_store_is_sound(twice)


def test_captures_of_which_no_section_tells_are_read_anew(site, tmp_path):
    """A run that was killed, or an archive of an earlier Holdfast: the pages are converted again."""
    folder = tmp_path / "mirror"
    site.drop("/old")
    site.redirect("/moved", "/here")
    site.put("/here", "Words that moved", listed=False)
    assert mirror(site.origin + "/", folder).status in (0, 1)
    db = apsw.Connection(str(state_of(folder) / "ledger.db"))
    last = db.execute("SELECT max(file_offset + file_length) FROM capture").get
    items = db.execute("SELECT count(*) FROM item").get
    db.close()
    os.truncate(state_of(folder) / "archive" / "holdfast-00001.warc.gz", last)
    lose_ledger(folder)
    done = rebuild(folder)
    assert "converted" in done.err
    db = apsw.Connection(str(state_of(folder) / "ledger.db"))
    assert db.execute("SELECT count(*) FROM item").get == items
    db.close()
    merged = holdfast("log", site.origin + "/moved", "--store", folder)
    assert "it redirects there" in merged.err
    assert mirror(site.origin + "/", folder, "--update").status in (0, 1)
    assert holdfast("verify", folder, "--processes", 1).status == 0


def test_files_of_another_store_are_taken_in_once(site, twice, tmp_path):
    """They stay among the orphans, and a second rebuild knows what it has of them."""
    site.put("/b", "Other words of b", links=["/a"])
    assert mirror(site.origin + "/", tmp_path / "other").status in (0, 1)
    orphans = state_of(twice) / "archive" / "orphans"
    orphans.mkdir()
    for file in (state_of(tmp_path / "other") / "archive").glob("*.warc.gz"):
        shutil.copy(file, orphans / f"brought-{file.name}")
    rebuild(twice)
    first = tables(twice)
    size = sum(file.stat().st_size for file in (state_of(twice) / "archive").glob("*.warc.gz"))
    assert "Other words of b" in holdfast("show", site.origin + "/b", "--store", twice).out
    rebuild(twice)
    again = tables(twice)
    assert {table: again[table] for table in ("run", "capture", "item")} == {
        table: first[table] for table in ("run", "capture", "item")
    }
    assert sum(f.stat().st_size for f in (state_of(twice) / "archive").glob("*.warc.gz")) == size


def test_a_damaged_section_costs_that_section_alone(site, twice):
    """The captures of the run that it told of are converted anew; the other run is put back as it was."""
    file = state_of(twice) / "archive" / "holdfast-00001.warc.gz"
    with file.open("rb") as stream:
        records = ArchiveIterator(stream)
        first = next(
            records.get_record_offset()
            for record in records
            if (record.rec_headers.get_header("Holdfast-Chapter") or "").startswith("run ")
        )
    data = bytearray(file.read_bytes())
    data[first + 40] ^= 0xFF
    file.write_bytes(data)
    lose_ledger(twice)
    done = rebuild(twice)
    assert "not read" in done.err
    assert "converted" in done.err
    assert_store_is_sound(twice, but=".warc")
    history = json.loads(holdfast("log", site.origin + "/a", "--store", state_of(twice), "--json").out)
    assert [seen["content_sha256"] is not None for seen in history["parts"][0]["page"]["captures"]] == [
        True,
        True,
    ]


def test_others_tools_read_the_chapters(twice):
    file = state_of(twice) / "archive" / "holdfast-00001.warc.gz"
    with file.open("rb") as stream:
        chapters = [
            (record.rec_headers.get_header("Holdfast-Chapter"), record.content_stream().read())
            for record in ArchiveIterator(stream)
            if record.rec_type == "metadata"
        ]
    assert {name.split(" ")[0] for name, _ in chapters} >= {"run", "mirror", "store"}
    first = json.loads(chapters[0][1].splitlines()[0])
    assert set(first) == {"table", "columns"}
    fastwarc = Path(sys.executable).with_name("fastwarc")
    checked = subprocess.run([fastwarc, "check", str(file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_forgotten_words_are_in_no_chapter(site, twice):
    assert holdfast("forget", site.origin + "/a", "--store", state_of(twice)).status == 0
    lose_ledger(twice)
    rebuild(twice)
    db = apsw.Connection(str(state_of(twice) / "ledger.db"))
    assert db.execute("SELECT count(*) FROM tombstone").get == 1
    assert db.execute("SELECT count(*) FROM item i JOIN url u USING (url_id) WHERE u.url LIKE '%/a'").get == 0
    db.close()
    assert holdfast("verify", twice, "--processes", 1).status == 0


def test_a_rebuild_that_was_killed_is_done_by_the_next(twice, tmp_path):
    before = tables(twice)
    lose_ledger(twice)
    command = [sys.executable, "-m", "holdfast", "store", "rebuild", "--store", str(state_of(twice))]
    for delay in (0.15, 0.25, 0.35, 0.45, 0.6):
        work = tmp_path / f"killed-{delay}"
        shutil.copytree(twice, work)
        process = subprocess.Popen(
            [*command[:-1], str(state_of(work))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        rebuild(work)
        after = tables(work)
        assert {name: after[name] for name in before} == before
