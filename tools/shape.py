"""The shape of the house in figures, which are reported and asked of nobody.

    python tools/shape.py [SOURCES …]     a column for each folder of sources; without one, for ours

Lines of code are those without docstrings, blanks, comments, imports and lists of names (`__all__`). Two
values are alike that share four fields or more, and three in five of the smaller one's. A package is not
counted among the modules with one importer.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

OURS: Final = Path(__file__).parents[1] / "src" / "holdfast"


@dataclass(frozen=True)
class Source:
    """A file of the package."""

    path: Path
    text: str
    tree: ast.Module


def house(root: Path) -> dict[str, str]:
    """Each figure by its name."""
    files = {_module(path, root): _source(path) for path in sorted(root.rglob("*.py"))}
    names = Counter(file.path.name for file in files.values() if file.path.name != "__init__.py")
    twice = [count for count in names.values() if count > 1]
    importers = Counter(target for module in files for target in _imported(module, files))
    single = [m for m, file in files.items() if importers[m] == 1 and file.path.name != "__init__.py"]
    folders = Counter(file.path.parent.relative_to(root).as_posix() for file in files.values())
    values = dict(value for file in files.values() for value in _values(file.tree))
    pairs = combinations(values.values(), 2)
    figures = {
        "files": len(files),
        "all lines": sum(file.text.count("\n") for file in files.values()),
        "lines of code": sum(map(_lines_of_code, files.values())),
        "modules with one importer": len(single),
        "file names that stand twice": len(twice),
        "files of such a name": sum(twice),
        "values": len(values),
        "pairs of values that are alike": sum(_are_alike(*pair) for pair in pairs),
    }
    largest = ", ".join(f"{folder} {count}" for folder, count in folders.most_common(3))
    return {name: f"{figure:,}" for name, figure in figures.items()} | {"largest folders": largest}


def _source(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(path, text, ast.parse(text))


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _lines_of_code(file: Source) -> int:
    lines = enumerate(file.text.splitlines(), 1)
    kept = {number for number, line in lines if line.strip() and not line.lstrip().startswith("#")}
    for node in ast.walk(file.tree):
        if isinstance(node, ast.stmt) and not _is_code(node):
            kept -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(kept)


def _is_code(node: ast.stmt) -> bool:
    """Whether a statement is more than an import, a docstring, or a list of the module's names."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Expr(ast.Constant(str())):
            return False
        case ast.Assign([ast.Name("__all__")]):
            return False
        case _:
            return True


def _imported(module: str, files: dict[str, Source]) -> set[str]:
    """The modules of the package that one imports, late or for the type checker too."""
    found = set()
    for name in _names(files[module].tree):
        parts = name.split(".")
        tries = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
        target = next((each for each in tries if each in files), module)
        if target != module:
            found.add(target)
    return found


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _values(tree: ast.Module) -> Iterator[tuple[str, frozenset[str]]]:
    """The classes that hold values, with the names of their fields."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            made = " ".join(map(ast.unparse, (*node.decorator_list, *node.bases)))
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            if any(word in made for word in ("dataclass", "NamedTuple", "Struct")):
                own = [field.target for field in fields if "ClassVar" not in ast.unparse(field)]
                yield node.name, frozenset(map(ast.unparse, own))


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    return shared >= 4 and shared >= 0.6 * min(len(one), len(other))


def main() -> None:
    """Print a table, a column for each folder."""
    roots = [Path(word) for word in sys.argv[1:]] or [OURS]
    columns = [house(root.resolve()) for root in roots]
    print("| what |" + "".join(f" {root} |" for root in roots))
    print("|---|" + "---:|" * len(roots))
    for name in columns[0]:
        print(f"| {name} |" + "".join(f" {column[name]} |" for column in columns))


if __name__ == "__main__":
    main()
