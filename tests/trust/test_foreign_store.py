"""A store that came with a folder is a stranger's word: what it remembers reaches nobody, and takes nothing
away, until the user trusts it (SEC-9).
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import holdfast as library
from helpers.sinks import WebhookSink
from helpers.sites.living import LivingSite
from helpers.trusting import trust
from holdfast import jobs
from holdfast.core.base.errors import ConsentError
from holdfast.core.settings.reach import FolderWord, Reach, Reaching
from holdfast.core.settings.resolve import resolve
from holdfast.questions.rows.resolve_target import mirrors_held
from trust.guard import Listener, files_of, guarded

pytestmark = pytest.mark.spec("SEC-9")

QUIET = ("--allow-private", "--content-rate-limit", "0", "--processes", "1")


@pytest.fixture
def site():
    with LivingSite() as site:
        site.put("/", "Home", links=["/a"])
        site.put("/a", "First words", links=["/"])
        yield site


@pytest.fixture
def stranger():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def sink():
    with WebhookSink() as sink:
        yield sink


@pytest.fixture
def at_home(tmp_path, monkeypatch):
    """Be this person on this machine: each has a record of their own."""
    monkeypatch.delenv("HOLDFAST_TRUST", raising=False)

    def be(name):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "homes" / name))

    be("me")
    return be


@pytest.fixture
def came(holdfast, at_home, site, stranger):
    """Make a mirror as a stranger, with these words more, and be the user who got it with a folder. What its
    pages show since leads to the stranger.
    """

    def make(*words):
        at_home("stranger")
        assert holdfast("mirror", f"{site.origin}/", "-o", "theirs", *QUIET, *words).status == 0
        shutil.copytree("theirs", "m")
        shutil.rmtree("theirs")
        picture = f'</main><img src="{stranger.origin}/pixel.png" width="300"><main>'
        site.put("/a", f"Second words{picture}", links=["/"])
        site.forget_requests()
        at_home("me")

    return make


def update(holdfast, site, *words):
    return holdfast("mirror", f"{site.origin}/", "-o", "m", "--update", *QUIET, *words)


@pytest.mark.parametrize("words", [("--update",), (), ("--dry-run",)], ids=" ".join)
def test_a_stranger_s_wish_for_images_asks_nobody_and_the_status_is_4(holdfast, came, site, stranger, words):
    came("--assets")
    before = files_of("m")
    ran = holdfast("mirror", f"{site.origin}/", "-o", "m", *QUIET, *words)
    assert (ran.status, stranger.came, site.asked) == (4, 0, [])
    assert "assets" in ran.err
    assert "`holdfast config trust" in ran.err
    changed = {path for path, data in files_of("m").items() if before.get(path) != data}
    assert changed <= {".holdfast/lock", ".holdfast/ledger.db-wal", ".holdfast/ledger.db-shm"}


@pytest.mark.parametrize(
    ("words", "is_asked"), [(("--assets",), True), (("--trust",), True), (("--no-assets",), False)]
)
def test_what_is_typed_is_the_user_s_own_word(holdfast, came, site, stranger, words, is_asked):
    came("--assets")
    assert update(holdfast, site, *words).status in (0, 1)
    assert (stranger.came > 0) is is_asked


def test_trust_for_one_call_is_not_kept_and_the_environment_s_holds(holdfast, came, site, monkeypatch):
    came("--assets")
    assert update(holdfast, site, "--trust").status in (0, 1)
    assert update(holdfast, site).status == 4
    monkeypatch.setenv("HOLDFAST_TRUST", "all")
    assert update(holdfast, site).status in (0, 1)


def test_what_the_user_typed_once_is_remembered_for_the_user(holdfast, came, site):
    came("--assets")
    assert update(holdfast, site, "--assets").status in (0, 1)
    assert update(holdfast, site).status in (0, 1)


def test_one_s_own_store_needs_no_trust_and_keeps_that_where_it_is_moved(
    holdfast, at_home, site, stranger, tmp_path
):
    site.put("/a", f'First words<img src="{stranger.origin}/a.png">')
    assert holdfast("mirror", f"{site.origin}/", "-o", "x", "--assets", *QUIET).status in (0, 1)
    (tmp_path / "x").rename(tmp_path / "m")
    came = stranger.came
    site.put("/a", f'Second words<img src="{stranger.origin}/b.png">')
    assert update(holdfast, site).status in (0, 1)
    assert stranger.came > came
    at_home("another user")
    assert update(holdfast, site).status == 4


def test_a_start_that_was_stopped_before_it_ended_is_one_s_own(holdfast, at_home, site, monkeypatch):
    words = (f"{site.origin}/", "-o", "m", *QUIET)
    site.sitemap_status = 500
    site.resources.clear()
    assert holdfast("mirror", *words, "--assets").status == 3
    assert holdfast("mirror", *words).status == 3


def test_config_trust_shows_what_a_store_remembers_and_trusts_it(holdfast, came, site, stranger):
    came("--assets")
    shown = holdfast("config", "trust")
    assert shown.status == 4
    assert f'source = "{site.origin}/"' in shown.out
    assert "assets = true" in shown.out
    told = holdfast("config", "trust", "--yes", "--json").json["stores"]
    assert [(store["trusted"], [mirror["mirror"] for mirror in store["mirrors"]]) for store in told] == [
        (True, ["."])
    ]
    assert told[0]["id"] in shown.out
    assert update(holdfast, site).status in (0, 1)
    assert stranger.came > 0


def test_a_store_below_a_project_is_not_trusted_together_with_it(holdfast, came, at_home, site):
    came()
    shown = holdfast("config", "trust", "--yes", "--json").json
    assert [Path(store["state"]).parent.name for store in shown["stores"]] == ["m"]
    at_home("another user")
    Path("holdfast.toml").write_text("proxy = 'http://p.example:1'\n")
    assert holdfast("config", "trust", "--yes", "--json").json["stores"] == []
    assert startable(Path("m"))[0].why_not
    assert holdfast("config", "trust", "--yes", "--store", "m").status == 0
    assert not startable(Path("m"))[0].why_not


def test_a_store_that_changes_what_it_remembers_is_not_trusted_any_more(holdfast, came, site, stranger):
    came()
    assert holdfast("config", "trust", "--yes").status == 0
    manifest = json.loads(Path("m/_manifest.json").read_text())
    manifest["options"]["assets"] = True
    Path("m/_manifest.json").write_text(json.dumps(manifest))
    assert (update(holdfast, site).status, stranger.came) == (4, 0)


def test_a_store_that_remembers_nothing_that_reaches_goes_on_and_is_one_s_own_then(holdfast, came, site):
    came()
    assert update(holdfast, site).status == 0
    served = startable(Path("m"))
    assert [run.why_not for run in served] == [""]


def test_another_source_in_a_stranger_s_mirror_takes_nothing_into_the_record(holdfast, came, site):
    came()
    ran = holdfast("mirror", f"{site.origin}/a", "-o", "m", "--update", *QUIET)
    assert ran.status in (0, 1)
    (run,) = startable(Path("m"))
    assert "you did not make this mirror" in run.why_not


def test_a_history_that_is_brought_into_one_s_root_stays_what_it_was(holdfast, at_home, site, stranger):
    site.put("/a", f'First words<img src="{stranger.origin}/a.png">')
    assert holdfast("mirror", f"{site.origin}/", "-o", "mine", "--assets", *QUIET).status in (0, 1)
    at_home("stranger")
    assert holdfast("mirror", f"{site.origin}/a", "-o", "theirs", "--assets", *QUIET).status in (0, 1)
    at_home("me")
    Path("holdfast.toml").touch()
    for folder, status in (("mine", 0), ("theirs", 4)):
        assert holdfast("store", "join", folder).status == 0
        source = json.loads(Path(folder, "_manifest.json").read_text())["crawl"]["sources"][0]
        assert holdfast("mirror", source, "-o", folder, "--update", *QUIET).status == status


def test_the_record_is_read_only_where_a_store_is_about_to_be_obeyed(holdfast, at_home, site, tmp_path):
    words = (f"{site.origin}/", "-o", "m", *QUIET)
    assert holdfast("mirror", *words, "--assets").status == 0
    for call, count in ((("log", f"{site.origin}/a"), 0), (("verify", "m"), 0), (("mirror", *words), 2)):
        with guarded([tmp_path], tmp_path / "homes") as guard:
            assert holdfast(*call).status == 0
        read = [place for event, place in guard.reached if event == "open" and "homes" in place]
        assert len(read) == count, call


def test_where_nothing_can_be_recorded_a_mirror_is_made_all_the_same(
    holdfast, at_home, site, tmp_path, monkeypatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    ran = holdfast("mirror", f"{site.origin}/", "-o", "m", *QUIET)
    assert (ran.status, ran.err.count("will have to be trusted")) == (0, 1)
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "nowhere")
    assert holdfast("mirror", f"{site.origin}/", "-o", "n", *QUIET).status == 0


def test_watch_starts_no_update_that_obeys_a_stranger(holdfast, at_home, came, site, stranger):
    Path("holdfast.toml").write_text(
        "content_rate_limit = 0\nprocesses = 1\nallow_private = true\n"
        f'[mirror.d]\nsource = "{site.origin}/"\noutput = "m"\nevery = "1h"\n'
    )
    trust(Path.cwd())
    shutil.move("holdfast.toml", "kept")
    came("--assets")
    shutil.move("kept", "holdfast.toml")
    ran = holdfast("sync", "--due")
    assert (ran.status, stranger.came) == (3, 0)
    assert "failed with status 4" in ran.err


def startable(folder):
    (served,) = jobs.served_stores.served_states([folder], os.environ)
    try:
        with served.open() as reader:
            labels = reader.ask(mirrors_held)
            return jobs.sync.acting.startable_runs(served, labels, reader.documents())
    finally:
        served.close()


def test_a_server_and_an_agent_start_no_update_of_a_stranger_s_sources(holdfast, came):
    came()
    (run,) = startable(Path("m"))
    assert "`holdfast config trust" in run.why_not
    assert holdfast("config", "trust", "--yes").status == 0
    (run,) = startable(Path("m"))
    assert run.why_not == ""


def test_documents_that_a_ledger_names_outside_its_folder_are_not_tracked(holdfast, at_home, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "private.md").write_text("[a](http://127.0.0.1:1/)")
    (tmp_path / "in" / "a.md").write_text("[a](http://127.0.0.1:1/)")
    (tmp_path / "in" / "holdfast.toml").write_text("")
    os.chdir("in")
    assert holdfast("check").status in (0, 1)
    (served,) = jobs.served_stores.served_states([Path.cwd()], os.environ)
    try:
        documents = ["a.md", "../private.md", "..", str(tmp_path), "/"]
        (run,) = jobs.sync.acting.startable_runs(served, (), documents)
    finally:
        served.close()
    assert run.words == ("check", "./a.md", "--store", str(served.state))


@pytest.fixture
def owed(holdfast, at_home, site, sink, tmp_path):
    """A folder whose settings the user trusts, and a store in it that a stranger made: it owes a target."""
    settings = (
        "content_rate_limit = 0\nallow_private = true\nprocesses = 1\n"
        f'[notify.team]\nwebhook = "{sink.url}"\n'
    )
    (tmp_path / "holdfast.toml").write_text(f"{settings}allow_private = true\n")
    trust(tmp_path)
    at_home("stranger")
    library.mirror(f"{site.origin}/", output="m", store=".holdfast", **LOUD)
    site.put("/a", "Words of a stranger's", links=["/"])
    library.mirror(f"{site.origin}/", output="m", store=".holdfast", update=True, owed_to=["team"], **LOUD)
    site.forget_requests()
    at_home("me")


LOUD = {"content_rate_limit": 0, "allow_private": True, "processes": 1}


def test_what_a_stranger_queued_is_not_sent_until_it_is_trusted(holdfast, owed, sink):
    ran = holdfast("notify", "send")
    assert (ran.status, sink.posts) == (4, [])
    assert "`holdfast config trust" in ran.err
    assert holdfast("notify", "--json").json["owed"] == {"team": 1}
    assert holdfast("config", "trust", "--yes").status == 0
    assert holdfast("notify", "send").status == 0
    assert len(sink.events) == 1


def test_a_run_of_one_s_own_does_not_send_what_a_stranger_queued(holdfast, owed, sink, site):
    ran = holdfast("mirror", f"{site.origin}/", "-o", "m", "--update")
    assert (ran.status, sink.posts) == (0, [])
    assert ran.err.count("`holdfast config trust") == 1
    assert holdfast("check", "--offline").status in (0, 1)
    assert sink.posts == []


def test_a_store_that_owes_nobody_anything_needs_no_trust(holdfast, owed, sink):
    assert holdfast("notify", "drop", "team").status == 0
    assert holdfast("notify", "send").status == 0


def edit(ledger, *statements):
    with closing(sqlite3.connect(ledger)) as db, db:
        for statement, values in statements:
            db.execute(statement, values)


def test_a_forgetting_that_a_stranger_left_half_done_is_not_gone_on_with(holdfast, came, site, tmp_path):
    came()
    note = "INSERT INTO removal SELECT label_id, 'notes.md', '' FROM label WHERE name = '.'"
    edit("m/.holdfast/ledger.db", (note, ()))
    Path("m/notes.md").write_text("mine")
    for what in ("nowhere.example", f"{site.origin}/a"):
        ran = holdfast("forget", what, "--store", "m/.holdfast")
        assert ran.status == 4, what
        assert "`holdfast config trust" in ran.err
    assert Path("m/notes.md").read_text() == "mine"
    assert holdfast("show", f"{site.origin}/a", "--store", "m/.holdfast").status == 0
    assert holdfast("forget", f"{site.origin}/a", "--store", "m/.holdfast", "--trust").status == 0
    assert not Path("m/notes.md").exists()


@pytest.mark.parametrize("place", ["absolute", "upward", "symlink"])
def test_a_mirror_that_a_ledger_names_outside_its_folder_loses_no_file(holdfast, came, site, tmp_path, place):
    came()
    beside = tmp_path / "beside"
    beside.mkdir()
    (beside / "diary.md").write_text("mine")
    label = {"absolute": str(beside), "upward": "../beside", "symlink": "link"}[place]
    if place == "symlink":
        Path("m/link").symlink_to(beside)
    edit(
        "m/.holdfast/ledger.db",
        ("UPDATE label SET name = ? WHERE name = '.'", (label,)),
        ("UPDATE page SET path = 'diary.md' WHERE path LIKE '%a/index.md'", ()),
    )
    ran = holdfast("forget", f"{site.origin}/a", "--store", "m/.holdfast")
    assert files_of(beside) == {"diary.md": b"mine"}
    assert ran.status == 4


@pytest.mark.parametrize("is_typed", [False, True])
def test_addresses_that_a_stranger_wrote_into_a_ledger_are_asked_within_the_scope_that_was_typed(
    holdfast, came, site, stranger, is_typed
):
    """A run that was cut off goes on where its ledger says; its plan is the same."""
    scope = ("--allow-host", stranger.origin.partition("//")[2]) if is_typed else ()
    came(*scope)
    edit(
        "m/.holdfast/ledger.db",
        ("UPDATE frontier SET fetch_url = ?, state = 'ready'", (f"{stranger.origin}/frontier",)),
        ("UPDATE page SET fetch_url = ?", (f"{stranger.origin}/page",)),
        ("UPDATE run_progress SET ended_at = NULL, status = 'running'", ()),
    )
    for words in ((), ("--update",), ("--update", "--max-age", "0s")):
        holdfast("mirror", f"{site.origin}/", "-o", "m", *QUIET, *scope, *words)
    assert (stranger.came > 0) is is_typed


def test_a_symlink_in_a_mirror_leads_no_file_out_of_it(holdfast, came, site, tmp_path):
    came()
    beside = tmp_path / "beside"
    beside.mkdir()
    host = next(path for path in Path("m").iterdir() if path.is_dir() and path.name[0] not in "._")
    shutil.rmtree(host)
    host.symlink_to(beside)
    for name in ("_progress.json", "_index.md"):
        Path("m", name).unlink(missing_ok=True)
        (beside / name).write_text("mine")
        Path("m", name).symlink_to(beside / name)
    before = files_of(beside)
    update(holdfast, site)
    assert files_of(beside) == before


def test_a_queue_is_that_of_a_server_which_the_user_named(at_home):
    """Its jobs, and what its mirrors remember, come from whoever may write to the server."""
    named = resolve(flags={"ledger": "postgresql:///pages"})
    assert jobs.trust.is_own(named, "any id")
    found = Reaching("", "ledger", "postgresql:///pages", Reach.SERVER)
    of_a_folder = replace(resolve(), folder=FolderWord("/clone", (found,)))
    with pytest.raises(ConsentError, match="ledger"):
        jobs.trust.is_own(of_a_folder, "any id")


def test_the_library_obeys_no_store_without_its_caller_s_word(came, site, stranger):
    came("--assets")
    loud = {"output": "m", "update": True, **LOUD}
    for call in (library.mirror, library.mirror_plan):
        with pytest.raises(ConsentError, match="assets") as raised:
            call(f"{site.origin}/", **loud)
        assert "trust=True" in raised.value.hint
    assert stranger.came == 0
    library.mirror(f"{site.origin}/", **loud, assets=False)
    assert stranger.came == 0
    library.mirror(f"{site.origin}/", **loud, assets=True)
    assert stranger.came > 0


def test_the_library_neither_reads_nor_writes_the_record(came, site, stranger, tmp_path, holdfast):
    came("--assets")
    homes = files_of(tmp_path / "homes")
    library.mirror(f"{site.origin}/", output="m", update=True, trust=True, **LOUD)
    library.mirror(f"{site.origin}/", output="new", **LOUD)
    assert files_of(tmp_path / "homes") == homes
    assert update(holdfast, site).status == 4
    assert holdfast("config", "trust", "--yes").status == 0
    with pytest.raises(ConsentError):
        library.mirror(f"{site.origin}/", output="m", update=True, **LOUD)


def test_the_library_sends_nothing_that_a_store_queued_without_its_caller_s_word(owed, sink):
    targets = {"team": {"webhook": sink.url, "allow_private": True}}
    with pytest.raises(ConsentError, match="you have not trusted"):
        library.notify(targets, store=".holdfast")
    assert sink.posts == []
    assert library.notify(targets, store=".holdfast", trust=True).attempts
    assert len(sink.events) == 1
