"""Stores that the program of commit 911abf59 left open with today's, and it says the same of them.

Facts are compared, not documents: keys and words may move, what is known may not. Made by `old_stores.py`.
"""

import json
import shlex
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from holdfast.storage.postgres.postgres_ledger import migrate_database
from probe.fixed_site import ORIGIN

PACKED = Path(__file__).parent / "stores_911abf59" / "stores.tar.xz"


def _dead(said):
    return {
        (url["url"], url["state"], url["status_code"], place["document"], place["line"], place["column"])
        for url in said["urls"]
        for place in url["citations"]
    }


def _captures(said):
    said = said["parts"][0]["page"] if "parts" in said else said
    return [
        (one["run_id"], one["fetched_at"], one["content_sha256"], one["title"]) for one in said["captures"]
    ]


def _hits(said):
    return {(hit["url"], hit["title"], hit["since"], hit["until"]) for hit in said["hits"]}


def _runs(said):
    said = said["parts"][0] if "parts" in said else said
    return [
        (run["run_id"], run["job"], run["status"], run["started_at"], run["seal"]) for run in said["runs"]
    ]


def _differences(said):
    said = said["parts"][0] if "parts" in said else said
    return said["agrees"], [(one["where"], one["what"]) for one in said["differences"]]


def _links(said):
    return [
        (one["url"], one["line"], one["column"], one["ignored"], one["mirrored_as"]) for one in said["links"]
    ]


def _page(said):
    page = said["parts"][0]["page"] if "parts" in said else said
    return page["final_url"], page["fetched_at"], page["content_hash"], page["markdown"]


FACTS = {
    "broken --json": _dead,
    "history {site}/guide/2/ --json": _captures,
    "search capstans --json": _hits,
    "runs --limit 0 --json": _runs,
    "verify docs --json": _differences,
    "verify handbook --json": _differences,
    "verify own --json": _differences,
    "links notes.md --json": _links,
    "show {site}/going/ --json": _page,
}
TODAY = {
    "history {site}/guide/2/ --json": "log {site}/guide/2/ --json",
    "runs --limit 0 --json": "log --runs --limit 0 --json",
}
"""What is asked today, where the words are others."""
OF_THE_LEDGER = [words for words in FACTS if not words.startswith("verify")]
BACKED_UP = [
    words for words in OF_THE_LEDGER if not words.startswith("links")
]  # a path is from where the state is
AT_A_SERVER = [words for words in OF_THE_LEDGER if not words.startswith("search")]


@pytest.fixture
def old(tmp_path, holdfast, monkeypatch):
    """The stores as they were left; the working folder is the shared root."""
    with tarfile.open(PACKED) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path / "world")
    for settings in tmp_path.rglob("holdfast.toml"):
        settings.write_text(holdfast("config", "import", settings).out)
    return tmp_path


CONVERTED = ("", " --store own/.holdfast", " --store ../saved")


@pytest.fixture
def stores(old, holdfast):
    """The stores, each ledger converted by the one command that does it."""
    for state in CONVERTED:
        assert holdfast(*shlex.split(f"store migrate{state}")).status == 0
    return old


@pytest.mark.parametrize("state", CONVERTED)
def test_an_old_ledger_is_refused_with_the_command_that_converts_it_and_keeps_a_copy(old, holdfast, state):
    refused = holdfast(*shlex.split(f"log --runs{state}"))
    converted = holdfast(*shlex.split(f"store migrate{state} --json"))

    assert refused.status == 4
    assert "holdfast store migrate" in refused.err
    assert converted.status == 0
    assert Path(converted.json["copy"]).is_file()
    alone = state or " --store ."  # without a store all are asked, and the others are as they were
    assert holdfast(*shlex.split(f"log --runs{alone}")).status == 0


@pytest.fixture
def ask(holdfast, stores, monkeypatch):
    """Run a command in the shared root."""
    monkeypatch.chdir(stores / "world")
    return lambda words: holdfast(*shlex.split(words.replace("{site}", ORIGIN)))


@pytest.fixture
def told(stores):
    """What the old program said, as facts."""
    answers = json.loads((stores / "answers.json").read_text())
    return {words: FACTS[words](answer) for words, answer in answers.items()}


def _said(ask, words, more=""):
    return FACTS[words](ask(TODAY.get(words, words) + more).json)


def test_the_old_program_had_something_to_say(told):
    assert all(told.values())
    assert len(told["broken --json"]) >= 5
    assert len(told["history {site}/guide/2/ --json"]) >= 3
    assert told["verify docs --json"] == (True, [])


@pytest.mark.parametrize("words", FACTS)
def test_an_old_shared_root_is_answered_for_alike(ask, told, words):
    assert _said(ask, words) == told[words]


@pytest.mark.parametrize("words", BACKED_UP)
def test_an_old_backup_is_answered_for_alike(ask, told, stores, words):
    assert _said(ask, words, f" --store {stores / 'saved'}") == told[words]


@pytest.mark.parametrize("what", ["verify", "verify --store own/.holdfast"])
def test_an_old_ledger_and_an_old_archive_are_sound(ask, what):
    assert ask(what).status == 0


@pytest.mark.parametrize("folder", ["docs", "handbook", "own"])
def test_an_old_mirror_is_written_anew_to_the_byte(ask, stores, folder):
    done = ask(f"restore {folder} --output again --quiet")
    was, now = (_pages(stores / "world" / name) for name in (folder, "again"))

    assert done.status == 0, done.err
    assert now == was
    assert len(now) >= 10


def test_an_old_mirror_is_written_as_it_was_on_a_day(ask, stores):
    assert ask("restore docs --output then --at 2026-05-05 --quiet").status == 0
    page = stores / "world" / "then" / "127.0.0.1+47811" / "guide" / "2" / "index.md"

    assert "Guide number 2 tells of ballast." in page.read_text()


def test_a_ledger_is_made_anew_of_an_old_archive(ask, told, stores):
    for file in (stores / "world" / ".holdfast").glob("ledger.db*"):
        file.unlink()
    done = ask("store rebuild")

    assert done.status == 0, done.err
    for words in ("broken --json", "history {site}/guide/2/ --json", "verify docs --json"):
        assert _said(ask, words) == told[words]


@pytest.mark.parametrize("words", AT_A_SERVER)
def test_an_old_ledger_on_a_server_is_answered_for_alike(ask, told, old_server, words):
    assert _said(ask, words, f" --ledger '{old_server}'") == told[words]


@pytest.fixture(scope="module")
def old_server(postgres_server):
    """A database with the old ledger in it."""
    with tarfile.open(PACKED) as archive:
        dump = archive.extractfile("ledger.sql").read().decode()
    address = postgres_server.address.replace("/postgres?", "/old_store?")
    with psycopg.connect(postgres_server.address, autocommit=True) as server:
        server.execute("CREATE DATABASE old_store")
    with psycopg.connect(address, autocommit=True) as database:
        database.execute(dump)
    migrate_database(address, datetime(2026, 5, 20, tzinfo=UTC))
    yield address
    with psycopg.connect(postgres_server.address, autocommit=True) as server:
        server.execute("DROP DATABASE old_store WITH (FORCE)")


def _pages(folder):
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.md")}
