"""A folder that was cloned reaches nobody: no server, no program, no file outside it, whatever its settings
say, in any command, until the user trusts exactly those settings (SEC-9).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

import holdfast as package
from helpers.sites.living import LivingSite
from helpers.trusting import trust
from holdfast import jobs
from holdfast.core.base.errors import HoldfastError
from holdfast.faces.cli.parser import COMMANDS
from holdfast.questions.log.run_list import runs as run_list
from trust.guard import Listener, files_of, guarded

pytestmark = pytest.mark.spec("SEC-9")

STORE = ("ledger", "archive", "store")
HOSTILE = {
    "ledger": 'ledger = "postgresql://u@127.0.0.1:{port}/db?connect_timeout=2"',
    "archive": 'archive = "s3://bucket/prefix"',
    "store": 'store = "../beside/state"',
    "consent": "fetch_external_urls = true",
    "proxy": 'proxy = "{stranger}/"',
    "allow_private": "allow_private = true",
    "ca_file": 'ca_file = "../beside/ca.pem"',
    "overrides": 'overrides = "../beside/overrides.json"',
    "root_dir": 'root_dir = "../beside"',
    "baseline": 'baseline = "../beside/bashrc"',
    "remap": 'remap = [".* {stranger}/taken"]',
    "header": 'header = ["X-Stranger: yes"]',
    "ask_urls": 'ask_urls = ["."]',
    "include_reserved": "include_reserved = true",
    "base_url": 'base_url = "{stranger}/"',
    "public_archive": 'public_archive = "{stranger}/{{date}}/{{url}}"',
    "allow_host": 'allow_host = ["127.0.0.1:{port}"]',
    "assets": "assets = true",
    "scheduler": 'scheduler = "tcp://127.0.0.1:{port}"',
    "origin": '[origin."{site}"]\nproxy = "{stranger}/"\nheaders_env = {{ "X-Secret" = "A_SECRET" }}',
    "command": '[notify.x]\ncommand = "touch ../beside/ran"',
    "webhook": '[notify.y]\nwebhook = "{stranger}/hook"\nallow_private = true',
    "mail": '[notify.z]\nmail = "a@b.example"\nsmtp = "smtp://127.0.0.1:{port}"\nfrom = "a@b.example"',
    "source": '[mirror.d]\nsource = "{stranger}/"\noutput = "../beside/taken"\nevery = "1h"',
    "paths": '[check.d]\npaths = ["../beside"]\nevery = "1h"',
}
"""One setting of each kind that reaches out, as a stranger would write it. Tables come last."""

WORDS = {
    "mirror": [("{site}/", "-o", "m", "--max-pages", "1"), ("{site}/", "--dry-run"), ("d",)],
    "log": [(), ("{site}/a",), ("--runs",), ("{site}/a", "--items")],
    "export": [()], "restore": [("m",)],
    "check": [
        (), ("--offline",), ("--dry-run",), ("--job", "d"), ("--update-baseline", "--baseline", "known.txt"),
        ("--no-fetch-urls",), ("a.md", "--force-refetch"),
    ],
    "broken": [()], "changed": [()], "links": [("a.md",)], "backlinks": [("{site}/a",)], "graph": [()],
    "fix": [(), ("--only", "dead")], "sync": [("--due",), (), ("-n",)],
    "notify": [(), ("send",), ("send", "--test", "x")],
    "config import": [("lychee.toml",)],
    "search": [("words",)], "show": [("{site}/a",)], "diff": [("{site}/a",)], "status": [()],
    "url canon": [("{site}/a",)], "url path": [("{site}/a",)], "convert": [("page.html",)],
    "url probe": [("{site}/a", "--content-rate-limit", "0")],
    "cluster submit": [("--all",), ("d",)], "cluster worker": [("--drain",)], "cluster jobs": [()],
    "cluster run": [("--drain",)],
    "store reprocess": [("--compare", "body", "{run}")], "forget": [("{site}/nothing",)],
    "store prune": [("--orphans",)],
    "verify": [("m",), (), ("--dry-run",), ("--repair", "--yes"), ("--repair", "--dry-run")],
    "store index": [()], "store migrate": [()], "store pack": [()],
    "store backup": [("copied",)], "store copy": [(".", "copied")], "store join": [("m",)],
    "store rebuild": [()],
    "store rekey": [()], "store import": [("page.html",)],
    "config": [(), ("trust",)], "help": [("check",)], "completion": [("bash",)],
}  # fmt: skip
APART = {"serve", "mcp", "lsp"}
"""Those that would serve for good have tests of their own."""
WORKING = {"config", "help", "url canon", "convert", "completion"}
"""Those that open no history, and so answer whatever the settings say of one."""


@pytest.fixture(scope="module")
def site():
    with LivingSite() as site:
        site.put("/", "Home", links=["/a"])
        site.put("/a", "What A says", links=["/"])
        yield site


@pytest.fixture
def stranger():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def clone(tmp_path, monkeypatch, holdfast, site, stranger):
    """A folder that was cloned, with a history in it; beside it lies what is the user's own."""
    clone, beside = tmp_path / "clone", tmp_path / "beside"
    clone.mkdir()
    beside.mkdir()
    (beside / "bashrc").write_text("alias ls=ls\n")
    (beside / "ca.pem").write_text("no certificate\n")
    (beside / "overrides.json").write_text('{"overrides": []}')
    (beside / "private.md").write_text(f"[a]({site.origin}/private)\n")
    (clone / "a.md").write_text(f"[a]({site.origin}/a) [gone]({stranger.origin}/cited) [b](/below)\n")
    (clone / "lychee.toml").write_text('exclude = ["x"]\n')
    (clone / "page.html").write_text("<h1>Words</h1>")
    monkeypatch.chdir(clone)
    for name in ("HOLDFAST_TRUST", "http_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("A_SECRET", "hush")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", stranger.origin)
    monkeypatch.setenv("AWS_ENDPOINT_URL", stranger.origin)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "key")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    (clone / "holdfast.toml").write_text("content_rate_limit = 0\nprocesses = 1\n")
    assert holdfast("mirror", f"{site.origin}/", "-o", "m").status == 0
    (tmp_path / "run").write_text(holdfast("log", "--runs", "--json").json["parts"][0]["runs"][0]["run_id"])
    assert holdfast("check").status in (0, 1)
    return clone


@pytest.fixture
def settle(clone, site, stranger):
    """Write what a stranger wrote: the settings of these names."""

    def write(*names):
        told = [
            HOSTILE[name].format(port=stranger.port, stranger=stranger.origin, site=site.origin)
            for name in names
        ]
        tables = [text for text in told if text.startswith("[")]
        plain = [text for text in told if not text.startswith("[")]
        text = "\n".join(["content_rate_limit = 0", "processes = 1", "per_host = 4", *plain, *tables])
        (clone / "holdfast.toml").write_text(text + "\n")

    return write


@pytest.fixture
def run(holdfast, clone, site, stranger):
    """Run a command; what it reached, with what it left."""

    def run(*words):
        run_id = (clone.parent / "run").read_text()
        given = [str(word).format(site=site.origin, run=run_id) for word in words]
        beside, came = files_of(clone.parent / "beside"), stranger.came
        ports = {int(site.origin.rpartition(":")[2])}
        own = [clone, os.environ["TMPDIR"], os.environ["XDG_STATE_HOME"]]
        with guarded(own, clone.parent / "beside", ports) as guard:
            ran = holdfast(*given)
        ran.reached = [*guard.reached]
        if stranger.came > came:
            ran.reached.append(("stranger", stranger.came - came))
        if files_of(clone.parent / "beside") != beside:
            ran.reached.append(("beside", "changed"))
        return ran

    return run


@pytest.fixture(autouse=True)
def _temporary(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))
    monkeypatch.setattr("tempfile.tempdir", None)


def test_every_command_is_tried():
    assert set(WORDS) | APART == set(COMMANDS)


CALLS = [(*command.split(), *words) for command, many in WORDS.items() for words in many]
REST = tuple(name for name in HOSTILE if name not in STORE)


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_no_command_reaches_out(call, run, settle):
    for names in (REST, *((name,) for name in STORE)):
        settle(*names)
        ran = run(*call)
        assert ran.reached == [], names
        assert ran.err.count("not obeyed") <= 1


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_what_would_open_another_history_ends_4_and_all_else_works(call, run, settle):
    settle("ledger")
    ran = run(*call)
    if {call[0], " ".join(call[:2])} & WORKING:
        assert ran.status == (4 if "trust" in call else 0)
    elif " ".join(call[:2]) in ("config import", "url path", "url probe", "store copy"):
        assert ran.status in (0, 1)
    elif call[0] == "sync" or "submit" in call or call[-1] in ("d", "x"):
        assert ran.status in (2, 4)  # no such job or target stands there
    else:
        assert (ran.status, "`holdfast config trust`" in ran.err) == (4, True), ran.err


TRUSTED = {
    "ledger": ("broken",),
    "store": ("check",),
    "consent": ("check", "--allow-private"),
    "proxy": ("url", "probe", "{site}/a"),
    "allow_private": ("check", "--fetch-urls"),
    "overrides": ("url", "canon", "{site}/a"),
    "baseline": ("check", "--update-baseline"),
    "remap": ("check", "--fetch-urls", "--allow-private"),
    "base_url": ("check", "--fetch-urls", "--allow-private"),
    "origin": ("url", "probe", "{site}/a"),
    "command": ("notify", "send", "--test", "x"),
    "webhook": ("notify", "send", "--test", "y"),
    "mail": ("notify", "send", "--test", "z"),
    "source": ("mirror", "d"),
}


@pytest.mark.parametrize("name", TRUSTED)
def test_it_reaches_out_once_it_is_trusted_and_not_before(name, run, settle, clone):
    """What shows that the guard would have seen it."""
    settle(name)
    before = run(*TRUSTED[name])
    strangers_own = [row for row in before.reached if row[0] != "stranger"]
    if name not in ("allow_private", "consent", "remap", "base_url"):
        assert before.reached == strangers_own == []
    trust(clone)
    assert run(*TRUSTED[name]).reached


def test_certificates_are_those_of_the_system_until_others_are_trusted(run, settle, clone):
    """They are opened below Python, where no guard hears it."""
    settle("ca_file")
    call = ("url", "probe", "https://127.0.0.1:1/", "--json")
    assert "ca_file" not in run(*call).err.split("not obeyed", 1)[1].split("\n", 1)[1]
    trust(clone)
    assert "ca_file" in run(*call).err


@pytest.mark.parametrize("name", ["ledger", "proxy", "command"])
def test_trust_for_one_call_and_by_the_environment(name, run, settle, monkeypatch):
    settle(name)
    assert run(*TRUSTED[name], "--trust").reached
    assert run(*TRUSTED[name]).reached == []
    monkeypatch.setenv("HOLDFAST_TRUST", "all")
    assert run(*TRUSTED[name]).reached


def test_what_changed_is_not_trusted_any_more(run, settle, clone):
    settle("command")
    trust(clone)
    settle("command", "proxy")
    ran = run("notify", "send", "--test", "x")
    assert (ran.reached, "not obeyed" in ran.err) == ([], True)


def test_what_reaches_nothing_may_change(run, settle, clone):
    settle("command")
    trust(clone)
    file = clone / "holdfast.toml"
    file.write_text(file.read_text().replace("per_host = 4", "per_host = 5"))
    assert run("notify", "send", "--test", "x").reached


def test_another_folder_with_the_same_settings_is_not_trusted(run, settle, clone, tmp_path):
    settle("command")
    trust(clone)
    clone.rename(tmp_path / "moved")
    clone.mkdir()
    (clone / "holdfast.toml").write_bytes((tmp_path / "moved" / "holdfast.toml").read_bytes())
    os.chdir(tmp_path / "moved")
    found = jobs.config_trust.folder_trust(tmp_path / "moved", os.environ)
    assert not found.is_trusted


def test_a_symlink_that_leads_out_is_judged_by_where_it_leads(run, clone, holdfast):
    (clone / "link").symlink_to(clone.parent / "beside")
    (clone / "holdfast.toml").write_text('baseline = "link/bashrc"\n')
    ran = run("check", "--update-baseline")
    assert (ran.reached, ran.status) == ([], 2)
    assert "leads to" in holdfast("config", "trust").out


def test_a_path_of_the_file_means_the_file_s_folder_wherever_one_stands(run, clone, monkeypatch):
    """What is judged is what is opened."""
    (clone / "deep").mkdir()
    (clone / "deep" / "here").symlink_to(clone.parent / "beside")
    (clone / "holdfast.toml").write_text('store = "here"\n[check.d]\npaths = ["here"]\n')
    (clone / "here").mkdir()
    monkeypatch.chdir(clone / "deep")
    assert run("check", "--job", "d").reached == []
    assert (clone / "here" / "ledger.db").exists()


def test_a_path_of_another_folder_s_file_means_that_folder(run, clone):
    (clone / "deep").mkdir()
    (clone / "deep" / "holdfast.toml").write_text('baseline = "known.txt"\n')
    (clone / "deep" / "b.md").write_text("[a](nowhere.md)\n")
    assert run("check", "deep", "--update-baseline").status == 0
    assert (clone / "deep" / "known.txt").exists()
    assert not (clone / "known.txt").exists()


def test_consent_that_is_not_trusted_ends_4_after_the_local_answer(run, settle, clone):
    settle("consent")
    (clone / "a.md").write_text("[a](nowhere.md)\n")
    for words in ((), ("--format", "jsonl"), ("--fail-on", "none"), ("--job", "x")):
        if "x" in words:
            (clone / "holdfast.toml").write_text("[check.x]\nfetch_external_urls = true\n")
        ran = run("check", *words)
        assert (ran.status, ran.reached) == (4, [])
        assert "nowhere.md" in ran.out
        assert "config trust" in ran.err


@pytest.mark.parametrize(
    ("words", "status"),
    [(("--offline",), 1), (("--no-fetch-urls",), 1), (("--dry-run",), 0), (("--fail-on", "none"), 4)],
)
def test_who_says_that_nothing_is_asked_needs_no_trust(words, status, run, settle, clone):
    settle("consent")
    (clone / "a.md").write_text("[a](nowhere.md)\n")
    assert run("check", *words).status == status


def test_repairs_are_shown_and_then_the_status_says_that_consent_is_not_trusted(run, settle, clone):
    settle("consent")
    (clone / "guide.md").write_text("# Guide\n")
    (clone / "a.md").write_text("[a](GUIDE.md)\n")
    ran = run("fix")
    assert (ran.status, "+[a](guide.md)" in ran.out) == (4, True)
    assert run("fix", "--no-fetch-urls").status == 1


def test_a_flag_and_a_variable_are_the_user_s_own_word(run, settle, site, monkeypatch):
    settle("proxy", "baseline")
    site.asked.clear()
    ran = run("check", "a.md", "--baseline", "mine.txt", "--update-baseline")
    assert "baseline" not in ran.err.split("not obeyed", 1)[1].split("\n")[0]
    monkeypatch.setenv("HOLDFAST_PROXY", site.origin)
    assert "not obeyed" in run("log", "--runs").err
    settle("proxy")
    assert "not obeyed" not in run("log", "--runs").err


def test_what_is_not_obeyed_is_said_once_and_an_own_folder_says_nothing(run, settle):
    settle("proxy", "command")
    for words in (
        (
            "log",
            "--runs",
        ),
        ("check",),
        ("mirror", "http://127.0.0.1:1/", "-o", "n"),
    ):
        err = run(*words).err
        assert err.count("not obeyed") == 1
        assert "proxy, [notify.x] command" in err
    settle()
    assert "not obeyed" not in run("log", "--runs").err


def test_a_named_mirror_whose_source_is_not_trusted_ends_4(run, settle):
    settle("source")
    for words in (("mirror", "d"), ("mirror", "d", "--dry-run"), ("cluster", "submit", "d")):
        ran = run(*words)
        assert (ran.status, ran.reached) == (4, [])
        assert "source" in ran.err


def test_a_schedule_runs_nothing_that_is_not_trusted(run, settle):
    settle("source", "paths")
    ran = run("sync", "--due")
    assert (ran.status, ran.reached) == (3, [])
    assert "failed with status 4" in ran.err


QUESTIONS = [
    ("log",), ("log", "--runs"), ("log", "{folder}/m"), ("log", "{site}/a"), ("diff", "{site}/a"),
    ("show", "{site}/a"), ("status",), ("verify",), ("verify", "{folder}/m"),
    ("verify", "{folder}/m", "--repair", "--yes"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["ledger", "archive"])
@pytest.mark.parametrize("call", QUESTIONS, ids=" ".join)
def test_a_question_asked_above_or_beside_obeys_what_the_store_s_own_folder_is_trusted_with(
    name, call, run, settle, clone, monkeypatch
):
    """A question reads the stores below, and those of its target: each by the settings of its folder."""
    settle(name)
    (clone.parent / "aside").mkdir()
    before = files_of(clone)
    for place, folder in ((clone.parent, "clone"), (clone.parent / "aside", "../clone")):
        if folder == "../clone" and not any("{folder}" in word for word in call):
            continue
        monkeypatch.chdir(place)
        ran = run(*(word.replace("{folder}", folder) for word in call))
        assert (ran.status, ran.reached) == (4, []), ran.err
        assert "not obeyed" in ran.err
        told = [line for line in ran.out.splitlines() if "this store cannot be read" not in line]
        assert told == []
    assert files_of(clone) == before


@pytest.mark.parametrize("words", [("log",), ("status",), ("verify",)], ids=" ".join)
def test_a_question_asked_above_opens_what_is_trusted_below(words, run, settle, clone, monkeypatch):
    settle("ledger")
    trust(clone)
    monkeypatch.chdir(clone.parent)
    assert run(*words).reached


def test_a_server_and_an_agent_get_nothing_of_an_untrusted_history(settle, clone, stranger):
    for name in ("ledger", "archive"):
        settle(name)
        with pytest.raises(HoldfastError, match="not trusted"):
            jobs.served_stores.served_states([clone], os.environ)
    settle(*REST)
    with guarded([clone, os.environ["TMPDIR"]], clone.parent / "beside") as guard:
        (served,) = jobs.served_stores.served_states([clone], os.environ)
        with served.open() as reader:
            assert reader.ask(run_list, limit=5).runs
        runs = jobs.sync.acting.startable_runs(served, (), ())
        served.close()
    assert (guard.reached, stranger.came, served.settings.notify) == ([], 0, ())
    assert all("../beside" not in word for run in runs for word in run.words)


@contextmanager
def _entered(made):
    yield made


DOORS = {
    "to write": lambda settings, state: jobs.session.open_store(state, "test", settings),
    "to read": jobs.session.read_store,
    "the archive": lambda settings, state: _entered(jobs.session.shelf_of(settings, state)),
    "the question whose it is": lambda settings, _: _entered(jobs.session.is_shared(settings)),
}


@pytest.mark.parametrize("name", ["ledger", "archive"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_of_a_history_asks_for_trust_itself(door, name, settle, clone):
    state = clone / ".holdfast"
    own = jobs.load_settings.load_settings(clone, flags={}, environment=os.environ)
    assert jobs.session.knows_mirror(own, state, "m")
    settle(name)
    settings = jobs.load_settings.load_settings(clone, flags={}, environment=os.environ)
    (state / "lock").unlink()
    with pytest.raises(HoldfastError, match="not trusted"), DOORS[door](settings, state):
        pass
    assert not (state / "lock").exists()
    assert not jobs.session.knows_mirror(settings, state, "m")


def _follow(node):
    """What is named after this Python in a list of words."""
    names = [getattr(word, "attr", getattr(word, "value", None)) for word in node]
    return [names[at + 1 : at + 2] for at, name in enumerate(names) if name == "executable"]


def test_every_python_that_is_started_imports_nothing_of_the_folder_it_is_started_in():
    sources = [ast.parse(path.read_text()) for path in Path(package.__file__).parent.rglob("*.py")]
    lists = [
        getattr(node, "elts", getattr(node, "args", ()))
        for source in sources
        for node in ast.walk(source)
        if isinstance(node, ast.List | ast.Tuple | ast.Call)
    ]
    started = [words for node in lists for words in _follow(node)]
    assert len(started) == 6
    assert all(words == ["-P"] for words in started)


MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}},
    {"jsonrpc": "2.0", "method": "initialized", "params": {}},
)


@pytest.mark.parametrize("name", [*STORE, "proxy"])
def test_an_editor_that_opens_a_document_reaches_nobody_and_is_told_once(name, settle, clone, stranger):
    settle(name)
    (clone / "b.md").write_text("[a](nowhere.md)\n")
    opened = [
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didOpen",
            "params": {
                "textDocument": {
                    "uri": (clone / file).as_uri(),
                    "languageId": "markdown",
                    "version": 1,
                    "text": (clone / file).read_text(),
                }
            },
        }
        for file in ("a.md", "b.md")
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", "lsp"],
        cwd=clone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        patience = threading.Timer(60, server.kill)
        patience.start()
        for message in (*MESSAGES, *opened):
            text = json.dumps(message).encode()
            server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        server.stdin.flush()
        said = []
        while len([each for each in said if each.get("method", "").endswith("Diagnostics")]) < 2:
            if (message := _message(server.stdout)) is None:
                break
            said.append(message)
        patience.cancel()
        server.terminate()
    told = [each["params"]["message"] for each in said if each.get("method") == "window/showMessage"]
    assert (len(told), stranger.came) == (1, 0)
    assert "config trust" in told[0]
    assert not (clone.parent / "beside" / "state").exists()
    assert any("nowhere.md" in json.dumps(each) for each in said)


def _message(stream):
    length = 0
    while line := stream.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return json.loads(stream.read(length)) if length else None


PLANTED = "import pathlib\npathlib.Path('{marker}').write_text('ran')\n"


@pytest.mark.parametrize("start", ["watch", "run", "index", "unit"])
def test_a_module_that_lies_in_the_folder_is_not_imported(start, clone, run, settle, site):
    """Processes that are started in a folder import Holdfast, not what the folder calls so."""
    marker = clone.parent / "marker"
    for place in (clone / "holdfast.py", clone / ".holdfast" / "holdfast.py"):
        place.write_text(PLANTED.format(marker=marker))
    (clone / "holdfast.toml").write_text('[check.d]\nevery = "1h"\n')
    if start == "watch":
        assert run("sync", "--due").status == 0
    elif start == "unit":
        unit = run("sync", "--print-unit").out
        (line,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
        assert " -P -m holdfast " in line
        return
    else:
        (served,) = jobs.served_stores.served_states([clone], os.environ)
        try:
            if start == "index":
                served.builder.start()
                while served.builder.status is None:
                    time.sleep(0.01)
                assert served.builder.status == 0
            else:
                _run_to_its_end(served)
        finally:
            served.close()
    assert not marker.exists()


def _run_to_its_end(served):
    runs = jobs.sync.acting.RunStarter(os.environ)
    (track,) = [run for run in jobs.sync.acting.startable_runs(served, (), ("a.md",)) if run.name == "track"]
    number = runs.start(served, track, consent=False)
    while runs.run(served, number).status is None:
        time.sleep(0.01)
    assert runs.run(served, number).status in (0, 1)
    runs.close()


@pytest.mark.parametrize(
    "call",
    [
        ("check",),
        ("mirror", "{site}/", "-o", "m"),
        ("fix",),
        ("sync", "--watch"),
        ("sync",),
        ("store", "rebuild"),
        ("serve",),
        ("mcp",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", STORE)
def test_where_another_history_is_named_none_is_begun(name, call, run, settle, clone):
    """An ignored ledger would begin a second history."""
    for folder in (".holdfast", "m"):
        shutil.rmtree(clone / folder)
    settle(name)
    before = files_of(clone)
    ran = run(*call)
    if call[0] in ("serve", "mcp"):
        assert ran.status in (2, 4)
    else:
        assert ran.status == 4
    assert {path for path in files_of(clone) if "ledger" in path or "archive" in path} == set()
    assert set(files_of(clone)) - set(before) <= {".holdfast/watch/lock"}
