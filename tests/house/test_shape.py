"""The shape of the house: what no rule on single files or functions sees.

Rooms grow where nothing measures: an object cut into files by inheritance, a value that everything is thrown
into, a chain of imports that nobody can follow, decisions that move up to where the input and output are.
"""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import circles
from house.alarms import heed

SRC = Path(__file__).parents[2] / "src" / "holdfast"
OUTSIDE = {
    *(
        "aiohttp",
        "apprise",
        "apsw",
        "argparse",
        "asyncio",
        "concurrent",
        "distributed",
        "fcntl",
        "http",
        "jinja2",
    ),
    *(
        "logging",
        "lsprotocol",
        "mcp",
        "mmap",
        "multiprocessing",
        "obstore",
        "os",
        "pathlib",
        "platform",
        "psycopg",
    ),
    *(
        "pyarrow",
        "pygls",
        "queue",
        "random",
        "secrets",
        "select",
        "shutil",
        "signal",
        "smtplib",
        "socket",
        "sqlite3",
    ),
    *(
        "ssl",
        "starlette",
        "subprocess",
        "tempfile",
        "threading",
        "time",
        "uvicorn",
        "uvloop",
        "watchfiles",
        "yarl",
    ),
}
"""What only somebody who touches the outside imports."""

MOST_METHODS = 30
MOST_FIELDS = 12
LONGEST_CHAIN = 19
LEAST_PURE = 0.60
MOST_INNER_IMPORTS = 39


def module_name(path):
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees():
    """When they are wanted: whoever collects tests would read all sources, in every process."""
    return {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in SRC.rglob("*.py")}


@cache
def classes():
    found = ((module, node) for module, tree in trees().items() for node in tree.body)
    return {(module, node.name): node for module, node in found if isinstance(node, ast.ClassDef)}


def line_counts():
    return {module_name(path): path.read_text(encoding="utf-8").count("\n") for path in SRC.rglob("*.py")}


def bases_of(node):
    return [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]


def methods_of(node, seen=()):
    """A class's methods with those of its bases in the package: cutting it into files changes nothing."""
    found = {part.name for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for base in bases_of(node):
        for (_, name), other in classes().items():
            if name == base != "Protocol" and other not in seen and other is not node:
                found |= methods_of(other, (*seen, node))
    return found


def is_value(node):
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return "dataclass" in decorators or bool({"NamedTuple", "Struct"} & set(bases_of(node)))


def fields_of(node):
    return [
        part for part in node.body if isinstance(part, ast.AnnAssign) and "ClassVar" not in ast.unparse(part)
    ]


def test_no_class_has_more_methods_than_one_can_know():
    sizes = {
        name: len(methods_of(node))
        for (_, name), node in classes().items()
        if "Protocol" not in bases_of(node)
    }
    heed("methods", [name for name, size in sizes.items() if size > MOST_METHODS])


def test_a_value_has_so_few_fields_that_each_has_a_meaning():
    values = [(name, node) for (_, name), node in classes().items() if is_value(node)]
    heed("fields", [name for name, node in values if len(fields_of(node)) > MOST_FIELDS])


def imports_of(tree, *, late=True):
    """What a module imports; not what only the type checker reads, and inside functions if `late`."""
    if isinstance(tree, ast.If) and "TYPE_CHECKING" in ast.unparse(tree.test):
        parts = tree.orelse
    else:
        parts = list(ast.iter_child_nodes(tree))
    for node in parts:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif late or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from imports_of(node, late=late)


def import_graph(*, late=True):
    graph = defaultdict(set)
    for module, tree in trees().items():
        for name in imports_of(tree, late=late):
            parts = name.split(".")
            inside = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
            target = next((found for found in inside if found in trees()), None)
            if target not in (None, module) and not module.startswith(target + "."):
                graph[module].add(target)
    return graph


def test_no_chain_of_imports_is_longer_than_one_can_follow():
    graph, chains = import_graph(late=False), {}

    def chain(module):
        if module not in chains:
            chains[module] = [module, *max(map(chain, graph[module]), key=len, default=[])]
        return chains[module]

    longest = max(map(chain, trees()), key=len)
    assert len(longest) <= LONGEST_CHAIN, " → ".join(longest)


def reaching_outside():
    """Modules that import something of the outside, themselves or by what they import."""
    graph = import_graph()
    found = {
        module
        for module, tree in trees().items()
        if {name.split(".")[0] for name in imports_of(tree)} & OUTSIDE
    }
    while more := {module for module, uses in graph.items() if uses & found} - found:
        found |= more
    return found


def test_most_lines_reach_no_input_and_output():
    """Counted by what a file reaches, not by the room that it stands in."""
    sizes, outside = line_counts(), reaching_outside()
    pure = sum(lines for module, lines in sizes.items() if module not in outside)
    assert pure / sum(sizes.values()) >= LEAST_PURE


def test_imports_are_at_the_top_but_for_a_few_with_a_reason():
    """Modules that are expensive are named where they are used: `jobs.check.check`, `faces.web_server`."""
    inner = [
        line
        for path in SRC.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "PLC0415" in line
    ]
    assert len(inner) <= MOST_INNER_IMPORTS


def test_no_module_reaches_itself_and_none_reaches_up():
    """Late imports counted, and doors, and texts that name a module."""
    graph = circles.graph_of(SRC)

    assert circles.circles(graph) == []
    assert circles.folder_circles(graph) == []
    assert circles.upward(graph) == []


WAYS = {
    "at the top": "from holdfast.jobs import b",
    "in a function": "def late():\n    from holdfast.jobs.b import name",
    "by a door": "from holdfast import jobs\njobs.b.name()",
    "by a text": 'job = "jobs.b:name"',
    "by a text that is put together": 'job = f"holdfast.jobs.{name}"\nNAMES = ["b"]',
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_circle_is_seen_in_whatever_way_a_module_is_named(tmp_path, way):
    package = tmp_path / "holdfast"
    (package / "jobs").mkdir(parents=True)
    (package / "core").mkdir()
    for file, text in {"__init__": "", "jobs/__init__": "", "jobs/a": way, "core/c": way}.items():
        (package / f"{file}.py").write_text(text)
    (package / "jobs/b.py").write_text("import holdfast.jobs.a")
    graph = circles.graph_of(package)

    both = ["holdfast.jobs.a", "holdfast.jobs.b"]
    assert circles.circles(graph) == circles.folder_circles(graph) == [both]
    assert "holdfast.core.c -> holdfast.jobs.b" in circles.upward(graph)


def test_what_only_the_type_checker_reads_makes_no_circle(tmp_path):
    (tmp_path / "a.py").write_text("if TYPE_CHECKING:\n    import holdfast.b\nelse:\n    import holdfast.c")
    (tmp_path / "b.py").write_text("import holdfast.a")
    (tmp_path / "c.py").write_text("")
    package = tmp_path.rename(tmp_path.with_name("holdfast"))

    assert circles.graph_of(package) == {
        "holdfast.a": {"holdfast.c"}, "holdfast.b": {"holdfast.a"}, "holdfast.c": set(),
    }  # fmt: skip


def test_a_value_is_made_by_the_decorator_of_the_house():
    """The standard one compiles six methods for each class: a third of every command's start. Only the file
    on which all that knows a URL rests has it: every chain of imports would be longer by one.
    """
    found = {
        module
        for module, tree in trees().items()
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if any(alias.name == "dataclass" for alias in node.names)
    }
    assert found == {"holdfast.core.base.values", "holdfast.core.url.url"}
