"""The library is the tool's twin: same answers, same names, sync and async, typed for whoever uses it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
import holdfast.aio
from helpers.sites.living import LivingSite
from helpers.sites.server import Site, page
from holdfast.core.settings.resolve import all_settings
from holdfast.core.web.capture import Denial
from holdfast.faces.cli.parser import COMMANDS
from holdfast.faces.library.given_settings import GivenSettings
from holdfast.faces.library.json_form import SCHEMAS_OF_VALUES

ROOT = Path(__file__).parents[3]
PYRIGHT = ROOT / ".pyright" / "index.js"
SERVERS = {"serve", "lsp", "mcp", "cluster worker", "cluster run", "completion", "help"}
OTHER_NAMES = {
    "url canon": ("canon", "canonicalize", "canonicalize_all", "explain"),
    "store prune": ("gc", "remove_orphans"),
    "store import": ("import_warc",),
    "store backup": ("back_up",),
    "store copy": ("copy_ledger",),
    "store join": ("adopt",),
    "store migrate": ("migrate_ledger",),
    "store rebuild": ("rebuild_ledger",),
    "store rekey": ("rekey_ledger",),
    "store reprocess": ("reprocess",),
    "store pack": ("pack_archive",),
    "store index": ("archive_index",),
    "config import": (),
    "cluster jobs": ("list_jobs",),
    "cluster submit": ("submit",),
    "url probe": ("fetch",),
    "notify": ("notify", "notices", "drop_notices"),
    "url path": ("paths", "urls_of"),
    "check": ("check", "check_plan"),
}
"""Where a command is several functions, or its name is taken; of `import`, one is for people."""
PLAIN_ONLY = {
    "canon", "canonicalize", "canonicalize_all", "config", "content_hash", "explain", "open_reader",
    "parse_url", "paths", "policy", "to_json", "url_key",
}  # fmt: skip
"""What neither fetches nor reads a store, or is a context."""


def functions():
    return {name for name in holdfast.__all__ if inspect.isroutine(getattr(holdfast, name))}


def coroutines():
    named = {name: getattr(holdfast.aio, name) for name in dir(holdfast.aio) if not name.startswith("_")}
    return {name for name, value in named.items() if inspect.iscoroutinefunction(value)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a mirror of two runs, a checked document, and the site that serves both."""
    monkeypatch.chdir(tmp_path)
    with LivingSite() as site:
        site.put("/page", "First words")
        site.put("/other", "Other words")
        settings = {"output": "mirror", "content_rate_limit": 0, "processes": 1}
        holdfast.mirror(site.origin + "/", **settings)
        site.put("/page", "Second words")
        holdfast.mirror(site.origin + "/", update=True, **settings)
        (tmp_path / "notes.md").write_text(f"See <{site.origin}/page> and <{site.origin}/nowhere>.\n")
        holdfast.check("notes.md", fetch_urls=True, allow_private=True, content_rate_limit=0)
        yield site


def examples():
    """The code blocks of the reference, by the name they stand under."""
    page = (ROOT / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
    found = re.findall(r"^### `(\w+)`\n(.*?)(?=^##)", page, flags=re.MULTILINE | re.DOTALL)
    return {name: "".join(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)) for name, text in found}


@pytest.mark.spec("LIB-4")
def test_the_examples_of_the_reference_run(folder, capsys):
    """All in one folder, in an order in which what forgets comes last."""
    code = {name: text for name, text in examples().items() if text}
    last = ("gc", "forget", "adopt")
    for name in [*(name for name in code if name not in last), *last]:
        text = code[name].replace("https://example.com", folder.origin)
        exec(compile(text, f"the example of {name}", "exec"), {"holdfast": holdfast})
    assert "Second words" in capsys.readouterr().out


@pytest.mark.spec("LIB-4")
def test_every_function_has_an_example():
    assert functions() <= {name for name, text in examples().items() if text}


@pytest.mark.spec("LIB-1")
def test_every_command_has_its_function():
    for command in set(COMMANDS) - SERVERS:
        for name in OTHER_NAMES.get(command, (command,)):
            assert name in holdfast.__all__, command


@pytest.mark.spec("LIB-1")
def test_what_reads_or_fetches_is_there_as_a_coroutine_with_the_same_arguments():
    assert functions() - PLAIN_ONLY == coroutines()
    for name in coroutines():
        coroutine = getattr(holdfast.aio, name)
        assert inspect.iscoroutinefunction(coroutine), name
        plain = inspect.signature(getattr(holdfast, name)).parameters
        assert inspect.signature(coroutine).parameters == plain, name


@pytest.mark.spec("LIB-1")
def test_the_coroutines_answer_what_the_plain_forms_answer(folder):
    state = "mirror/.holdfast"

    async def ask():
        broken, runs, pages = await asyncio.gather(
            holdfast.aio.broken(suspect=True), holdfast.aio.runs(store=state), holdfast.aio.pages("mirror")
        )
        outcome = await holdfast.aio.fetch(folder.origin + "/page", content_rate_limit=0)
        return broken, runs, pages, outcome

    broken, runs, pages, outcome = asyncio.run(ask())
    assert broken == holdfast.broken(suspect=True)
    assert runs == holdfast.runs(store=state)
    assert pages == list(holdfast.pages("mirror"))
    assert isinstance(outcome, holdfast.Fetched)


STATE = ("--store", "mirror/.holdfast")
SAME_JSON = {
    "verify --repair": (
        ("verify", "--repair", "--yes", *STATE),
        lambda at: at.verify(repair=True, store=STATE[1]),
    ),
    "backlinks": (("backlinks", "PAGE"), lambda at: at.backlinks(at.page)),
    "broken": (("broken", "--suspect"), lambda at: at.broken(suspect=True)),
    "broken --mirror": (("broken", "--mirror", "mirror"), lambda at: at.site_broken("mirror")),
    "url canon": (("url", "canon", "PAGE", "mailto:a"), lambda at: at.canon([at.page, "mailto:a"])),
    "changed": (("changed",), lambda at: at.changed()),
    "config": (("config",), lambda at: at.config()),
    "convert": (("convert", "page.html"), lambda at: at.convert(Path("page.html"))),
    "store migrate": (("store", "migrate", *STATE), lambda at: at.migrate_ledger(store=STATE[1])),
    "diff": (("diff", "PAGE", *STATE), lambda at: at.diff(at.page, store=STATE[1])),
    "diff MIRROR": (
        ("diff", "mirror", "--since", "2026-01-01"),
        lambda at: at.diff("mirror", since="2026-01-01"),
    ),
    "diff RUN": (("diff", "RUN", *STATE), lambda at: at.diff(at.run, store=STATE[1])),
    "fix": (("fix", "notes.md"), lambda at: at.fix("notes.md")),
    "store prune": (("store", "prune", *STATE), lambda at: at.gc(store=STATE[1])),
    "store prune --orphans": (
        ("store", "prune", "--orphans", "--yes", *STATE),
        lambda at: at.remove_orphans(store=STATE[1]),
    ),
    "graph": (("graph", "--format", "json"), lambda at: at.graph()),
    "log": (("log", "PAGE", *STATE), lambda at: at.log(at.page, store=STATE[1])),
    "log --items": (("log", "--items", "PAGE", *STATE), lambda at: at.items(at.page, store=STATE[1])),
    "links": (("links", "notes.md"), lambda at: at.links("notes.md")),
    "mirror --dry-run": (
        ("mirror", "PAGE", "--dry-run", "--content-rate-limit", "0"),
        lambda at: at.mirror_plan(at.page, content_rate_limit=0),
    ),
    "notify": (("notify",), lambda at: at.notices()),
    "notify drop": (("notify", "drop", "log"), lambda at: at.drop_notices("log")),
    "url path": (("url", "path", "PAGE"), lambda at: at.paths([at.page])),
    "url path --reverse": (
        ("url", "path", "--reverse", "mirror/page.md"),
        lambda at: at.urls_of(["mirror/page.md"]),
    ),
    "log --runs": (("log", "--runs", *STATE), lambda at: at.runs(store=STATE[1])),
    "search": (("search", "words", *STATE), lambda at: at.search("words", store=STATE[1])),
    "show": (("show", "PAGE", *STATE), lambda at: at.show(at.page, store=STATE[1])),
    "check": (("check", "notes.md"), lambda at: at.check("notes.md")),
    "check --dry-run": (("check", "notes.md", "--dry-run"), lambda at: at.check_plan("notes.md")),
    "verify": (("verify", "mirror"), lambda at: at.verify("mirror")),
}
"""Commands that change nothing when they are run again, and what the library says to the same question."""
SPECIAL = {"config-trust", "error", "url-probe"}
"""What an error is in JSON, what there is to trust (the library reads no settings file), and an outcome,
which has its own test below.
"""


def as_printed(value):
    return json.loads(json.dumps(holdfast.to_json(value)))


class At:
    """The library, and what the questions are about."""

    def __init__(self, origin):
        self.page = origin + "/page"
        self.run = holdfast.runs(store=STATE[1]).parts[0].value.runs[0].run.run_id

    def __getattr__(self, name):
        return getattr(holdfast, name)


@pytest.mark.spec("LIB-1")
def test_values_have_the_json_that_their_commands_print(folder, request, tmp_path):
    (tmp_path / "page.html").write_text("<h1>Title</h1>")
    command, at = request.getfixturevalue("holdfast"), At(folder.origin)
    for name, (words, ask) in SAME_JSON.items():
        asked = [{"PAGE": at.page, "RUN": at.run}.get(word, word) for word in words]
        printed = command(*asked, *(() if name == "graph" else ("--json",)))
        found = ask(at)
        if isinstance(found, tuple | list) and not hasattr(found, "_fields"):
            assert [as_printed(each) for each in found] == printed.json_lines, name
        else:
            assert as_printed(found) == printed.json, name


@pytest.mark.spec("LIB-1", "SEC-3")
def test_the_json_of_settings_has_no_password():
    told = holdfast.to_json(holdfast.config(proxy="http://me:hush@127.0.0.1:3128"))
    assert "127.0.0.1:3128" in told["settings"]["proxy"]["value"]
    assert "hush" not in str(told)


@pytest.mark.spec("LIB-1")
def test_every_json_that_a_command_prints_is_that_of_a_library_value():
    printed = set()
    for path in (ROOT / "src" / "holdfast" / "faces" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "answer":
                printed.add(node.args[0].value)
    forms = SCHEMAS_OF_VALUES
    assert printed - SPECIAL <= set(forms.values())
    assert set(forms) <= {*holdfast.__all__, "SettingsShown"}


@pytest.mark.spec("LIB-1")
@pytest.mark.parametrize("name", ["fetch", "mirror"])
def test_where_a_loop_runs_the_plain_form_says_what_to_await(name):
    async def inside():
        getattr(holdfast, name)("x")

    with pytest.raises(holdfast.UsageError) as raised:
        asyncio.run(inside())
    assert f"await holdfast.aio.{name}(" in raised.value.hint


@pytest.mark.spec("LIB-2")
def test_a_setting_that_is_not_there_is_an_error_that_names_the_nearest():
    with pytest.raises(holdfast.UsageError) as raised:
        holdfast.broken(stor="x")
    assert raised.value.hint == "did you mean store?"


@pytest.mark.spec("LIB-2")
def test_type_checkers_know_every_setting():
    assert set(GivenSettings.__annotations__) == {setting.key for setting in all_settings().values()}


GOOD = """
import holdfast
from holdfast import Broken, HoldfastError, Observer, Outcome, Summary, TrackResult

def dead() -> list[str]:
    found: Broken = holdfast.broken(suspect=True, store="x")
    return [url.url for url in found.dead]

def told(outcome: Outcome) -> int:
    match outcome:
        case holdfast.Fetched(capture):
            return capture.status
        case _:
            return 0

class Loud:
    def notice(self, event: holdfast.Event) -> None:
        print(event)

loud: Observer = Loud()
summary: Summary = holdfast.mirror("https://example.com/", observer=loud, max_pages=3)

async def later() -> TrackResult:
    return await holdfast.aio.check("docs", fetch_urls=True)

def safe() -> None:
    try:
        holdfast.runs()
    except HoldfastError as error:
        print(error.hint)
"""
WRONG = {
    "holdfast.canonicalise('https://example.com/', holdfast.WEB)": "attr-defined",
    "from holdfast import NoSuchThing": "attr-defined",
    "holdfast.aio.brokn()": "attr-defined",
    "holdfast.mirror('x', max_page=3)": "call-arg",
    "holdfast.mirror('x', layout='forest')": "arg-type",
    "holdfast.broken().url": "attr-defined",
}


@pytest.fixture
def consumer(tmp_path):
    """A project that uses the library: one file that is right, one in which every line is wrong."""
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text("\n".join(["import holdfast", *WRONG]) + "\n")
    return tmp_path


@pytest.mark.spec("LIB-2")
def test_pyright_tells_a_consumer_what_is_not_there(consumer):
    if not PYRIGHT.is_file() or shutil.which("node") is None:
        pytest.skip("`make pyright` brings it; it needs Node.js")
    command = ["node", str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, "good.py", "wrong.py"]
    done = subprocess.run(command, cwd=consumer, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [(Path(each["file"]).name, each["range"]["start"]["line"]) for each in found]
    assert errors == [("wrong.py", number) for number in range(1, len(WRONG) + 1)], done.stdout


@pytest.mark.spec("LIB-2")
def test_a_consumer_is_told_of_names_and_settings_that_are_not_there(consumer):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "good.py", "wrong.py"]
    done = subprocess.run(command, cwd=consumer, capture_output=True, text=True, check=False)
    found = {
        (int(line.split(":")[1]), line.rpartition("[")[2].rstrip("]"))
        for line in done.stdout.splitlines()
        if ": error:" in line and line.startswith("wrong.py")
    }
    assert found == {(number, code) for number, code in enumerate(WRONG.values(), 2)}, done.stdout
    assert "good.py" not in done.stdout, done.stdout


@pytest.mark.spec("LIB-3")
def test_importing_the_library_imports_nothing_of_it():
    code = "import sys, holdfast; print(*(name for name in sys.modules if name.startswith('holdfast')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["holdfast"]


@pytest.mark.spec("LIB-3")
def test_identity_needs_the_url_parser_alone():
    code = (
        "import sys; before = set(sys.modules); import holdfast\n"
        "assert str(holdfast.canonicalize('HTTPS://example.com', holdfast.WEB)) == 'https://example.com/'\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(*new - set(sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - {"_cffi_backend", "cffi"} == {"ada_url", "holdfast"}


def test_what_mirror_and_rebuild_return_has_the_json_form_of_their_commands(tmp_path):
    with Site({"/": page("Home")}).serve() as origin:
        done = holdfast.mirror(f"{origin}/", output=tmp_path / "m", content_rate_limit=0, processes=1)
    told = holdfast.to_json(done)
    assert (told["pages"], told["output"], told["partial_discovery"]) == (1, str(tmp_path / "m"), False)

    again = holdfast.restore(tmp_path / "m", to=tmp_path / "n")
    assert holdfast.to_json(again)["folder"] == str(tmp_path / "n")


def test_an_outcome_has_the_json_form_of_fetch_and_names_what_was_asked():
    denied = holdfast.Denied(Denial.ROBOTS, "a rule")
    assert holdfast.to_json(denied, url="https://example.com/a")["url"] == "https://example.com/a"
    with pytest.raises(holdfast.UsageError, match="does not name its URL"):
        holdfast.to_json(denied)


@pytest.mark.spec("LIB-1")
def test_a_page_is_converted_from_its_bytes_its_text_or_its_file(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("<h1>Title</h1>")
    note = tmp_path / "note.md"
    note.write_text("# Title\n")

    found = [holdfast.convert(page).markdown for page in (b"<h1>Title</h1>", "<h1>Title</h1>", file)]

    assert set(found) == {"# Title\n"}
    assert holdfast.convert(note).markdown == "# Title\n"
    with pytest.raises(holdfast.UsageError, match="bytes, text or a Path, not int"):
        holdfast.convert(3)
