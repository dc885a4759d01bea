"""Who imports whom, late imports too: circles of files, circles of sibling folders, imports that go up.

    python tools/circles.py

1. Counted are imports at the top, imports inside functions, a module named through the late door of its
   package (`jobs.check.check`), and a text that names one (`"jobs.mirror.job:mirror"`). What only the type
   checker reads is not.
2. The texts of a table of names (`TABLES`) are not: it points at what it lists, so that nobody else has to.
3. Exit 1 when there is a circle, or an import that goes up.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "holdfast"
ROOMS = ("core", "adapters", "storage", "questions", "jobs", "faces")
"""From the bottom to the top."""
TABLES = {
    "holdfast": "the public names",
    "holdfast.faces.cli.parser": "the commands",
    "holdfast.questions.rows.table": "the schemas",
}
_DOTTED = re.compile(r"[a-z_]\w*(\.\w+)*(:\w+)?")

Graph = Mapping[str, set[str]]


def graph_of(package: Path) -> dict[str, set[str]]:
    """What each module names of the package, in whatever way."""
    trees = {_module(package, path): ast.parse(path.read_text("utf-8")) for path in package.rglob("*.py")}
    graph = {}
    for module, tree in trees.items():
        named = {_nearest(name, trees) for name in _imports(tree)}
        if module not in TABLES:
            named |= {name for name in _texts(tree, package.name) if name in trees}
        graph[module] = {name for name in named if name and not f"{module}.".startswith(f"{name}.")}
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """The parts of a graph of which each reaches each other (Tarjan), sorted."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_parts: list[str] = []
    found = []

    def visit(part: str) -> None:
        number[part] = low[part] = len(number)
        open_parts.append(part)
        for other in graph.get(part, ()):
            if other not in number:
                visit(other)
            if other in open_parts:
                low[part] = min(low[part], low[other])
        if low[part] == number[part]:
            at = open_parts.index(part)
            found.append(sorted(open_parts[at:]))
            del open_parts[at:]

    for part in graph:
        if part not in number:
            visit(part)
    return sorted(circle for circle in found if len(circle) > 1)


def folder_circles(graph: Graph) -> list[list[str]]:
    """Circles of what stands side by side in a folder, files and folders."""
    beside: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, named in graph.items():
        for other in named:
            here, there = module.split("."), other.split(".")
            depth = next((i for i, pair in enumerate(zip(here, there, strict=False)) if len({*pair}) > 1), 0)
            if depth:
                folder = ".".join(here[:depth])
                beside[folder][".".join(here[: depth + 1])].add(".".join(there[: depth + 1]))
    return sorted(circle for graph in beside.values() for circle in circles(graph))


def upward(graph: Graph) -> list[str]:
    """Imports of a room that stands above."""
    return sorted(
        f"{module} -> {other}"
        for module, named in graph.items()
        for other in named
        if _room(module) < _room(other)
    )


def _room(module: str) -> int:
    room = module.split(".")[1] if "." in module else ""
    return ROOMS.index(room) if room in ROOMS else len(ROOMS)


def _module(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _nearest(name: str, modules: Mapping[str, object]) -> str | None:
    """The module that a name is in."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _imports(tree: ast.Module) -> Iterator[str]:
    """What is imported, and what is named through a door that was."""
    doors: dict[str, str] = {}
    for node in _read_when_run(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module)):
                doors |= {alias.asname or alias.name: f"{module}.{alias.name}" for alias in node.names}
                yield from (f"{module}.{alias.name}" for alias in node.names)
    for node in _read_when_run(tree):
        if isinstance(node, ast.Attribute):
            name, _, rest = ast.unparse(node).partition(".")
            if name in doors:
                yield f"{doors[name]}.{rest}"


def _texts(tree: ast.Module, package: str) -> Iterator[str]:
    """What may be the name of a module: whole, after the package, or after how an f-string begins."""
    begun, texts, labels = {"", f"{package}."}, [], set()
    start = re.compile(rf"({package}\.)?(({'|'.join(ROOMS)})\.(.*\.)?)?")
    for node in _read_when_run(tree):
        match node:
            case ast.Assign(targets=[ast.Attribute(attr="__module__")], value=label):
                labels.add(label)
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if start.fullmatch(text):
                begun.add(f"{package}.{text.removeprefix(f'{package}.')}")
            case ast.Constant(value=str(text)) if node not in labels and _DOTTED.fullmatch(text):
                texts.append(text.partition(":")[0])
    for text in texts:
        yield from (start + text for start in begun if "." in text or start.count(".") > 1)


def _read_when_run(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only the type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for part in node.orelse:
                yield part
                yield from _read_when_run(part)
        else:
            yield node
            yield from _read_when_run(node)


def main() -> int:
    """Print what there is; 1 where anything is."""
    graph = graph_of(PACKAGE)
    found = {
        "circles of files": [" ".join(circle) for circle in circles(graph)],
        "circles of folders": [" ".join(circle) for circle in folder_circles(graph)],
        "imports that go up": upward(graph),
    }
    for what, rows in found.items():
        print(f"{what}: {len(rows)}", *rows, sep="\n    ")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
