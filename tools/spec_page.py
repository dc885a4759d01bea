"""Which tests prove which requirement: read off the `spec` marks, without running anything."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

MADE = '<!-- Made by `make docs`. Do not edit: mark tests with `@pytest.mark.spec("ID-1")`. -->\n'

FAMILIES = {
    "ID": ("URL identity", 14),
    "PATH": ("names on disk", 11),
    "VER": ("normalization versions", 5),
    "LIN": ("items and edges", 10),
    "TXT": ("content", 7),
    "MIR": ("the mirror", 16),
    "TRK": ("documents and the URLs they cite", 19),
    "STA": ("state, exits, formats", 11),
    "SEC": ("what no input may do", 11),
    "LIB": ("the library", 5),
    "SCT": ("sections", 3),
    "EXP": ("export", 2),
    "SRC": ("search", 1),
    "CLU": ("more than one machine", 5),
    "WEB": ("looking at it", 2),
    "CLI": ("the command line", 6),
}


def spec_page(tests: Path) -> str:
    """Every id with the tests that carry it, or as open."""
    proofs: dict[str, list[str]] = defaultdict(list)
    for path in sorted(tests.rglob("test_*.py")):
        for spec, test in _marks(path):
            proofs[spec].append(f"`{path.relative_to(tests)}::{test}`")
    known = [
        f"{family}-{number}" for family, (_, count) in FAMILIES.items() for number in range(1, count + 1)
    ]
    unknown = sorted(set(proofs) - set(known))
    if unknown:
        raise SystemExit(f"tests carry ids that the contract does not have: {', '.join(unknown)}")
    lines = [MADE, "# Requirements and the tests that prove them\n"]
    proven = sum(spec in proofs for spec in known)
    some = f"{proven} of {len(known)} have tests; the others are open."
    lines.append((some if proven < len(known) else f"All {proven} have tests.") + "\n")
    for family, (title, count) in FAMILIES.items():
        lines.append(f"## {family}: {title}\n")
        for number in range(1, count + 1):
            spec = f"{family}-{number}"
            lines.append(f"- **{spec}** " + ("" if spec in proofs else "open"))
            lines += [f"  - {test}" for test in sorted(set(proofs[spec]))] if spec in proofs else []
        lines.append("")
    return "\n".join(lines)


def _marks(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    whole = [spec for node in tree.body if isinstance(node, ast.Assign) for spec in _specs_in(node.value)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_"):
            own = [spec for decorator in node.decorator_list for spec in _specs_in(decorator)]
            for spec in [*whole, *own]:
                yield spec, node.name


def _specs_in(expression: ast.expr) -> Iterator[str]:
    for node in ast.walk(expression):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "spec":
            yield from (str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))
