"""The rules of the house: sizes, rooms, names, and what the pure rooms may not touch."""

import ast
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from holdfast.core.settings.resolve import all_settings
from house.alarms import heed

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "holdfast"
FILES = sorted(SRC.rglob("*.py"))
CORE = sorted((SRC / "core").rglob("*.py"))
FACES = sorted((SRC / "faces").rglob("*.py"))
JOBS = sorted((SRC / "jobs").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))

ALLOWED_IN_CORE = {
    "__future__", "array", "ast", "base64", "bisect", "calendar", "codecs", "collections", "contextlib",
    "csv", "dataclasses", "datetime", "decimal", "difflib", "email", "enum", "fnmatch", "functools",
    "hashlib", "heapq", "holdfast", "html", "importlib", "io", "ipaddress", "itertools", "json", "math",
    "operator", "posixpath", "re", "reprlib", "shlex", "string", "sys", "tomllib", "types", "typing",
    "unicodedata", "urllib", "uuid", "warnings", "zlib",
}  # fmt: skip
PARSERS = {
    "ada_url": "core/url/url.py",
    "backports": "core/web/codings.py",
    "brotli": "core/web/codings.py",
    "compression": "core/web/codings.py",
    "lxml": "core/web/sitemap.py",
    "protego": "core/web/robots_rules.py",
    "pyromark": "core/documents/markdown_source.py",
    "re2": "core/settings/pattern_engine.py",
    "selectolax": "core/page/html/tokens.py",
    "yaml": "core/base/yaml_parser.py",
}
"""Each parser has one door; a contract in pyproject.toml says it to import-linter."""
UNTIMELY = {
    "now",
    "today",
    "utcnow",
    "time",
    "monotonic",
    "perf_counter",
    "getenv",
    "environ",
    "urandom",
    "uuid4",
}
JUNK_DRAWERS = {"utils", "helpers", "common", "misc", "manager", "managers", "data"}

MAX_FILE = 400
MAX_FOLDER = 25
MAX_FUNCTION = 50
MAX_ARGUMENTS = 8


def name(path):
    return str(path.relative_to(SRC))


@cache
def nodes(path):
    """All that a file is made of; each file is parsed once for all that is asked of it."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def functions(path):
    return [node for node in nodes(path) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def found_in(paths, look):
    """What is wrong, each with its file and line: `look` gives the nodes of a file that are."""
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)[:80]}"
        for path in paths
        for node in look(path)
    ]


def is_table(node):
    """A `match` over a closed union is a table: it is as long as its rows."""
    return any(
        isinstance(part, ast.Match) and "assert_never" in ast.unparse(part.cases[-1])
        for part in ast.walk(node)
    )


def test_a_file_is_short_or_says_why_not():
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    heed("file", [path for path, length in lengths.items() if length > MAX_FILE])


def test_a_function_fits_on_a_screen_or_says_why_not():
    long = [
        f"{name(path)} {node.name}"
        for path in FILES
        for node in functions(path)
        if node.end_lineno - node.lineno + 1 > MAX_FUNCTION and not is_table(node)
    ]
    heed("function", long)


def test_a_function_takes_few_arguments_or_says_why_not():
    wide = [
        f"{name(path)} {node.name}"
        for path in FILES
        for node in functions(path)
        if len(node.args.args) + len(node.args.kwonlyargs) + len(node.args.posonlyargs) > MAX_ARGUMENTS
    ]
    heed("arguments", wide)


def test_a_rule_of_the_linter_is_put_off_with_a_sentence():
    """Also those of length and branches: a table that is as long as its rows says so beside `noqa`."""
    put_off = re.compile(r"# noqa: [A-Z0-9, ]+$")
    mute = [
        f"{name(path)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if put_off.search(line)
    ]
    assert mute == []


def test_a_folder_can_be_read_at_a_glance_or_says_why_not():
    folders = {name(path.parent): len(list(path.parent.glob("*.py"))) for path in FILES}
    heed("folder", [folder for folder, size in folders.items() if size > MAX_FOLDER])


def test_a_file_name_stands_once_or_says_why_not():
    waiting = (SRC / "faces/cli", SRC / "faces/library")  # until each command is a row
    homes = Counter(path.name for path in FILES if path.name != "__init__.py" and path.parent not in waiting)
    heed("file name", [file for file, count in homes.items() if count > 1])


def test_a_private_name_stays_in_its_file():
    """What another file needs has a name for it."""

    def private(path):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast"):
                names = {alias.name for alias in node.names} - {"_native"}
                if any(re.match("_[^_]", each) for each in names):
                    yield node

    assert found_in(FILES, private) == []


def test_there_are_no_junk_drawers():
    assert [path for path in FILES if JUNK_DRAWERS & {*path.relative_to(SRC).parts[:-1], path.stem}] == []


def test_core_imports_only_what_is_allowed():
    def forbidden(path):
        allowed = ALLOWED_IN_CORE | {parser for parser, door in PARSERS.items() if door == name(path)}
        for node in nodes(path):
            if isinstance(node, ast.Import):
                roots = {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                roots = {node.module.partition(".")[0]}
            else:
                continue
            if not roots <= allowed:
                yield node

    assert found_in(CORE, forbidden) == []


@pytest.mark.spec("PATH-10")
def test_only_the_mirror_plan_maps_urls_to_names():
    """A contract in pyproject.toml says it to import-linter, which sees more ways to import than this."""
    importing = re.compile(
        r"^ *(?:from|import) holdfast\.core\.url(?:\.paths\b| import .*\bpaths\b)", re.MULTILINE
    )
    importers = [name(path) for path in FILES if importing.search(path.read_text(encoding="utf-8"))]
    assert importers == ["core/url/name_plan.py"]


def test_core_reads_no_clock_no_environment_and_opens_nothing():
    def reaching_out(path):
        for node in nodes(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in {"open", "input", "print", "__import__"}:
                    yield node
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                # `datetime.now`, `os.environ`, `time.time`: on a module or a class, not on a value of ours
                module = node.value.id in {"datetime", "date", "os", "time", "uuid"}
                if module and node.attr in UNTIMELY:
                    yield node

    assert found_in(CORE, reaching_out) == []


STOPWATCHES = {"perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "thread_time"}
CLOCKS = STOPWATCHES | {"monotonic", "time"}


def _asks(node, names):
    """Whether an expression asks the machine's clock (`time.monotonic()`, not a virtual clock's)."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in names and ast.unparse(part.value) == "time"
        for part in ast.walk(node)
    )


def test_no_test_asserts_a_duration():
    """A busy machine must not fail a test: count steps, compare growth (`helpers/growth.py`), or use the
    clock that the test moves. That something took *at least* so long may be asserted: load cannot break it.
    """

    def timed(path):
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and node.attr in STOPWATCHES and _asks(node, STOPWATCHES):
                yield node
            if isinstance(node, ast.Assert):
                compared = [part for part in ast.walk(node) if isinstance(part, ast.Compare)]
                upper = [part for part in compared if _asks(part, CLOCKS)]
                if any(isinstance(op, (ast.Lt, ast.LtE)) for part in upper for op in part.ops):
                    yield node

    assert found_in(TESTS, timed) == []


def test_no_test_minds_a_space_in_the_name_of_its_folder():
    """A line for a shell names this Python by `shlex.quote(sys.executable)`."""
    assert [path for path in TESTS if "{sys.exec" + "utable}" in path.read_text(encoding="utf-8")] == []


def test_a_class_name_is_unique_in_the_package():
    homes = {}
    for path in FILES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name(path))
    shared = {each: files for each, files in homes.items() if len(files) > 1}
    assert shared == {}


def test_the_tree_names_no_registry_and_no_machine():
    """No download addresses, no absolute paths of a machine, in any file that git tracks."""
    suspects = re.compile(r"index[-]url|python[h]osted|(?<![\w.])/(?:work|root|farm)/")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and path != Path(__file__) and path.name != "inputs.json":
            assert not suspects.search(path.read_text(encoding="utf-8", errors="replace")), name


def test_every_setting_is_read_somewhere():
    """A setting that nothing reads would be documented, accepted and without effect."""
    declared = {
        SRC / "core/settings" / file for file in ("field.py", "groups.py", "job_settings.py", "resolve.py")
    }
    rest = "".join(path.read_text(encoding="utf-8") for path in FILES if path not in declared)

    assert [name for name, row in all_settings().items() if f".{row.key}" not in rest] == []


def held_stores(path):
    """Where a ledger or an archive is taken from a value that has it."""
    owned = {"ledger", "archive", "_ledger", "_archive"}
    return [node for node in nodes(path) if isinstance(node, ast.Attribute) and node.attr in owned]


def test_no_face_reads_the_ledger():
    """A face shows what a question answered: it holds a `Reader`, which keeps the ledger to itself."""
    assert found_in(FACES, held_stores) == []


STEPS = {
    "jobs/index_holder.py", "jobs/indexing.py", "jobs/mirror/opening.py", "jobs/mirror/spec_from_settings.py",
    "jobs/read_store.py", "jobs/served_stores.py", "jobs/session.py", "jobs/sync/notify.py",
    "jobs/sync/watching.py", "jobs/upkeep/as_made.py", "jobs/upkeep/check_store.py", "jobs/upkeep/forget.py",
    "jobs/upkeep/join.py", "jobs/upkeep/moving.py", "jobs/upkeep/prune.py", "jobs/upkeep/rekey.py",
    "jobs/upkeep/repair.py", "jobs/upkeep/reprocess.py", "jobs/upkeep/restore.py", "jobs/upkeep/salvage.py",
    "jobs/upkeep/take_in.py", "jobs/upkeep/verify.py",
}  # fmt: skip
"""Who opens a store, or carries out a step as a whole: what they hold ends with them. A job of upkeep is such
a step: it writes what it reads, one thing at a time, on one thread.
"""


def kept_stores(path):
    """Where a part of a session is taken that is a store; not the setting that says where it is."""
    return [node for node in held_stores(path) if not ast.unparse(node.value).endswith("settings.store")]


def test_no_job_keeps_the_ledger():
    """Ledger and archive have one owner, a session: a job hands it questions and steps, which take them as
    arguments.
    """
    assert {name(path) for path in JOBS if kept_stores(path)} == STEPS
