"""What a command imports is what it costs: a library that it does not use is not there when it ends."""

import subprocess
import sys

import pytest

from helpers.sites.server import Site, page
from holdfast.jobs.workers import FOR_WORKERS

NETWORK = {"aiohttp", "asyncio", "email", "http.client", "socket", "ssl"}
PARSERS = {"lxml", "protego", "pyromark", "selectolax", "yaml"}
STORE = {"apsw", "backports.zstd", "brotli", "isal"}

IMPORTED = """
print("imported", *sys.modules)
"""
COMMAND = """
import sys
from holdfast.faces.cli.main import main
main()
"""
EVERY_HELP = """
import sys
from holdfast.faces.cli.parser import COMMANDS
from holdfast.faces.cli.parser import build_parser
for command in COMMANDS:
    build_parser(command).format_help()
"""
A_PAGE = """
import sys
from holdfast.adapters.workers import worker
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
before = set(sys.modules)

from datetime import UTC, datetime
from holdfast.core.web.capture import Capture
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.url.policy import SITE, WEB
from holdfast.core.url.policy import Recipe
from holdfast.core.url.scope import Root, Scope
from holdfast.core.url.url import parse_url
from holdfast.core.crawl.harvest import HarvestRules
from holdfast.core.crawl.harvester import harvest
from holdfast.core.crawl.mirror_spec import Standard

url = parse_url("https://example.com/")
standard = Standard(Recipe.parse("http_snapshot_url_v1_text_v1"), SITE, WEB, "")
rules = HarvestRules(standard, Scope((Root.of(url, whole_host=True),)), True, True, True, DistillOptions())
body = "<!doctype html><title>Café</title><main><h1>Café</h1><p>Words, <a href='/a'>and a link</a>".encode()
capture = Capture(url, url, 200, (("content-type", "text/html"),), body, datetime.now(UTC))
assert harvest(capture, rules).steps
late = [name for name in sys.modules if name.startswith("holdfast.") and name not in before]
assert not late, late
"""


STORE_MADE = """
import sys
from pathlib import Path
from holdfast.core.settings.resolve import resolve
from holdfast.jobs.session import open_store
with open_store(Path(sys.argv[1]), "test", resolve()):
    pass
"""
WORKERS_FIRST = """
import sys
from contextlib import contextmanager
from pathlib import Path
from holdfast.core.settings.resolve import resolve
from holdfast.jobs import workers
from holdfast.jobs.session import open_store, read_store

@contextmanager
def converters(settings):
    assert not {"apsw", "isal", "holdfast.storage.ledger.ledger"} & set(sys.modules)
    yield None

workers.converters, state = converters, Path(sys.argv[1])
with OPENED(workers=True) as session:
    assert session.refine is None
"""


def imported(code, *words, cwd=None):
    """The modules that are there when a process of its own has run the code."""
    command = [sys.executable, "-c", code + IMPORTED, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("word", ["--version", "--help"])
def test_version_and_help_import_no_room_below_the_face(word):
    modules = imported(COMMAND, word)
    ours = {name for name in modules if name.startswith("holdfast.") and "faces" not in name}
    names = ("", ".base", ".base.errors", ".base.figures", ".base.late_modules", ".base.shown_text")
    below = {f"holdfast.core{name}" for name in names}
    assert ours == {*below, "holdfast.jobs"}, "of the jobs their list of modules, and none of them"
    assert not {"dataclasses", "difflib"} & modules


def test_the_help_of_a_command_imports_no_library():
    modules = imported(EVERY_HELP)
    assert "holdfast.faces.cli.mirror" in modules
    assert not ({"aiohttp", "asyncio"} | PARSERS | STORE) & modules


def test_canon_imports_neither_network_nor_parsers_nor_store():
    modules = imported(COMMAND, "url", "canon", "https://example.com/")
    assert "ada_url" in modules
    assert not (NETWORK | PARSERS | STORE) & modules


def test_convert_imports_neither_network_nor_store(tmp_path):
    (tmp_path / "page.html").write_text("<h1>Title</h1><p>Words")
    modules = imported(COMMAND, "convert", tmp_path / "page.html")
    assert "selectolax" in modules
    assert not (NETWORK | STORE) & modules


@pytest.mark.spec("TRK-1")
def test_track_without_consent_imports_nothing_that_could_open_a_socket(tmp_path):
    (tmp_path / "a.md").write_text("See <https://example.com/>.\n")
    modules = imported(COMMAND, "check", tmp_path)
    assert {"apsw", "pyromark"} <= modules
    assert not NETWORK & modules
    assert not {"lxml", "selectolax", "yaml", "holdfast.core.documents.rst"} & modules


def test_a_question_is_asked_without_the_modules_of_the_others(tmp_path):
    (tmp_path / "a.md").write_text("See <https://example.com/>.\n")
    imported(COMMAND, "check", tmp_path)
    modules = imported(COMMAND, "log", "--runs", cwd=tmp_path)
    asked = {name for name in modules if name.startswith("holdfast.questions.")}
    assert "holdfast.questions.log.run_list" in asked
    others = (
        "search",
        "log.mirror_log",
        "log.log_forms",
        "log.compare",
        "log.kept_page",
        "log.items",
        "browse",
        "links",
    )
    assert not {f"holdfast.questions.{name}" for name in others} & asked
    assert not {"isal", "holdfast.storage.archive.archive"} & modules, "nobody asked for a page"


@pytest.mark.parametrize("way", ["open_store(state, 'test', resolve(), ", "read_store(resolve(), state, "])
def test_workers_start_before_what_a_store_needs_is_imported(tmp_path, way):
    imported(STORE_MADE, tmp_path)
    before = imported(WORKERS_FIRST.replace("OPENED(", way), tmp_path)
    assert "apsw" in before


def test_the_process_that_mirrors_leaves_the_parser_to_its_workers(tmp_path):
    with Site({"/": page("Home")}).serve() as origin:
        words = ("mirror", f"{origin}/", "-o", "out", "--processes", "1", "--content-rate-limit", "0", "-q")
        modules = imported(COMMAND, *words, cwd=tmp_path)
    assert "Home" in "".join(path.read_text() for path in (tmp_path / "out").glob("**/*.md"))
    assert "aiohttp" in modules
    assert not {"selectolax", "holdfast.core.page.markdown.writer", "holdfast.jobs.upkeep.restore"} & modules
    assert "holdfast.adapters.fake_folder" not in modules, "that is for plans"


def test_workers_of_a_mirror_import_all_that_a_page_needs_and_no_more():
    modules = imported(A_PAGE, *FOR_WORKERS)
    assert not (NETWORK | STORE | PARSERS - {"selectolax"}) & modules
    assert (
        not {"holdfast.core.lineage.ledger_values", "holdfast.core.settings", "holdfast.core.web.sitemap"}
        & modules
    )


def test_workers_of_track_import_neither_pool_nor_ledger():
    modules = imported(
        "import sys\nimport holdfast.adapters.workers.worker, holdfast.adapters.workers.cited\n"
    )
    assert not (NETWORK | STORE | PARSERS - {"selectolax"}) & modules
    assert (
        not {
            "holdfast.core.lineage.ledger_values",
            "holdfast.core.settings",
            "holdfast.adapters.workers.pool",
        }
        & modules
    )
