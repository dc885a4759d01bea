"""The rules of the house: sizes, rooms, names, and what the pure rooms may not touch."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from holdfast.core.settings.table import all_settings
from house.alarms import heed

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "holdfast"
FILES = sorted(SRC.rglob("*.py"))
PURE = sorted(path for room in ("core", "formats", "distill") for path in (SRC / room).rglob("*.py"))
CORE = sorted((SRC / "core").rglob("*.py"))

ALLOWED_IN_CORE = {
    "__future__", "ada_url", "array", "base64", "bisect", "collections", "dataclasses", "datetime", "decimal",
    "difflib", "email", "enum", "fnmatch", "functools", "hashlib", "heapq", "holdfast", "importlib",
    "ipaddress", "itertools", "json", "math", "operator", "posixpath", "re", "reprlib", "shlex", "string",
    "tomllib", "types", "typing", "unicodedata",
    "urllib", "uuid", "zlib",
}  # fmt: skip
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
MAX_FUNCTION = 50
MAX_ARGUMENTS = 8


def name(path):
    return str(path.relative_to(SRC))


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


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


def test_the_usual_file_is_much_shorter_than_the_longest():
    lengths = sorted(len(path.read_text(encoding="utf-8").splitlines()) for path in FILES)

    assert lengths[len(lengths) // 2] <= 200
    assert lengths[len(lengths) * 9 // 10] <= 350


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_file_says_what_it_is_before_anything_else(path):
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=name)
def test_there_are_no_junk_drawers(path):
    assert not JUNK_DRAWERS & {part.removesuffix(".py") for part in path.relative_to(SRC).parts}


@pytest.mark.parametrize("path", CORE, ids=name)
def test_core_imports_only_what_is_allowed(path):
    roots = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(node.module.partition(".")[0])

    assert roots <= ALLOWED_IN_CORE


@pytest.mark.spec("PATH-10")
def test_only_the_mirror_plan_maps_urls_to_names():
    """A contract in pyproject.toml says it to import-linter, which sees more ways to import than this."""
    importing = re.compile(
        r"^ *(?:from|import) holdfast\.core(?:\.paths\b| import .*\bpaths\b)", re.MULTILINE
    )
    importers = [name(path) for path in FILES if importing.search(path.read_text(encoding="utf-8"))]
    assert importers == ["core/mirror_plan.py"]


@pytest.mark.parametrize("path", PURE, ids=name)
def test_pure_rooms_read_no_clock_no_environment_and_open_nothing(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "input", "print", "__import__"}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            # `datetime.now`, `os.environ`, `time.time`: on a module or a class, not on a value of ours
            module = node.value.id in {"datetime", "date", "os", "time", "uuid"}
            assert not (module and node.attr in UNTIMELY), f"{node.value.id}.{node.attr}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_what_a_file_offers_is_listed_and_there(path):
    """`__all__` names exist; a public class or function that is not in it is for the same room only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = set()
    offered = None
    for node in tree.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                defined.add(node.name)
            case ast.Assign(targets=targets):
                defined |= {target.id for target in targets if isinstance(target, ast.Name)}
                is_offer = any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets)
                if is_offer and isinstance(node.value, ast.List):  # that of the package is made of its list
                    offered = [element.value for element in node.value.elts]
            case ast.AnnAssign(target=ast.Name(id=target)):
                defined.add(target)
            case ast.ImportFrom() | ast.Import():
                defined |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
            case ast.If():
                defined |= {c.name for c in ast.walk(node) if isinstance(c, (ast.FunctionDef, ast.ClassDef))}
    if offered is not None:
        lazy = any(
            isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in ast.walk(tree)
        )
        assert lazy or set(offered) <= defined
        assert len(offered) == len(set(offered))


TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
STOPWATCHES = {"perf_counter", "perf_counter_ns", "process_time", "process_time_ns", "thread_time"}
CLOCKS = STOPWATCHES | {"monotonic", "time"}


def _asks(node, names):
    """Whether an expression asks the machine's clock (`time.monotonic()`, not a virtual clock's)."""
    return any(
        isinstance(part, ast.Attribute) and part.attr in names and ast.unparse(part.value) == "time"
        for part in ast.walk(node)
    )


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_no_test_asserts_a_duration(path):
    """A busy machine must not fail a test: count steps, compare growth (tests/growth.py), or use the clock
    that the test moves. That something took *at least* so long may be asserted: load cannot break it.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not (isinstance(node, ast.Attribute) and _asks(node, STOPWATCHES)), "a stopwatch"
        if isinstance(node, ast.Assert):
            upper = [c for c in ast.walk(node) if isinstance(c, ast.Compare) and _asks(c, CLOCKS)]
            assert not any(isinstance(op, (ast.Lt, ast.LtE)) for c in upper for op in c.ops), node.lineno


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_no_test_minds_a_space_in_the_name_of_its_folder(path):
    """A line for a shell names this Python by `shlex.quote(sys.executable)`."""
    assert "{sys.exec" + "utable}" not in path.read_text(encoding="utf-8")


def test_a_class_name_is_unique_in_the_package():
    homes = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
    rest = "".join(path.read_text(encoding="utf-8") for path in FILES if "settings" not in path.parts)

    assert [name for name in all_settings() if f".{name}" not in rest] == []


@pytest.mark.parametrize("path", sorted((SRC / "faces").rglob("*.py")), ids=name)
def test_no_face_reads_the_ledger(path):
    """A face shows what a question answered: it holds a `Reader`, which keeps the ledger to itself."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"ledger", "archive", "_ledger", "_archive"}, f"line {node.lineno}"


STEPS = {"jobs/mirror/opening.py"}
"""Steps of which a scribe carries out the whole: what they hold ends with them."""


@pytest.mark.parametrize("path", sorted((SRC / "jobs").rglob("*.py")), ids=name)
def test_no_job_keeps_the_ledger(path):
    """Ledger and archive have one owner, a scribe or a keeper: a job hands it questions and steps, which take
    them as arguments.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and name(path) not in STEPS:
            assert node.attr not in {"ledger", "archive", "_ledger", "_archive"}, f"line {node.lineno}"
