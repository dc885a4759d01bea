"""The mutants of the judged rooms, and a sample of them: the same for the same seed."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from types import CodeType

from proofs.mutation.mutants import Mutant, mutants_of

__all__ = ["ROOMS", "ROOT", "Case", "all_cases", "mutated_code", "sample"]

ROOT = Path(__file__).parents[3]
ROOMS = {
    "core": ("core",),
    "storage/ledger": ("storage/ledger", "storage/sqlite"),
    "storage/archive": ("storage/archive",),
    "jobs": ("jobs",),
}
"""What a sample is drawn from alike; the SQL that both databases are asked is judged on SQLite."""


@dataclass(frozen=True)
class Case:
    """A mutant of a module, by its number there."""

    room: str
    module: str
    file: Path
    number: int
    mutant: Mutant
    name: str
    digest: str
    function: range
    """The lines of the function that it is in; those of the module, where it is in none."""

    @property
    def key(self) -> str:
        """The same as long as the module is."""
        return f"{self.module} {self.digest} {self.number}"


def all_cases(only: list[str]) -> dict[str, list[Case]]:
    """Every mutant of each room."""
    found: dict[str, list[Case]] = {}
    for room, folders in ROOMS.items():
        files = [file for folder in folders for file in (ROOT / "src/holdfast" / folder).rglob("*.py")]
        for file in sorted(files):
            module = _module_name(file)
            if not only or any(module == name or module.startswith(f"{name}.") for name in only):
                found.setdefault(room, []).extend(_cases(room, module, file))
    return found


def sample(cases: dict[str, list[Case]], share: int, seed: int) -> list[Case]:
    """So many of each room, those of a module together. Whether one is drawn hangs on its own name and on how
    many come before it: a change of one module leaves the sample of the others nearly as it was.
    """

    def lot(case: Case) -> bytes:
        return sha256(f"{seed} {case.module} {case.name}".encode()).digest()

    drawn = [case for all_of_it in cases.values() for case in sorted(all_of_it, key=lot)[:share]]
    return sorted(drawn, key=lambda case: (case.module, case.number))


def mutated_code(case: Case) -> CodeType:
    """The module with the fault in it."""
    tree = ast.parse(case.file.read_bytes())
    mutants_of(tree)[case.number].apply()
    return compile(ast.fix_missing_locations(tree), str(case.file), "exec")


def _module_name(file: Path) -> str:
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _cases(room: str, module: str, file: Path) -> list[Case]:
    source = file.read_bytes()
    digest = sha256(source).hexdigest()[:12]
    tree = ast.parse(source)
    functions = _functions(tree)
    seen: Counter[str] = Counter()
    cases = []
    for number, mutant in enumerate(mutants_of(tree)):
        seen[mutant.name] += 1
        again = f" ({seen[mutant.name]})" if seen[mutant.name] > 1 else ""
        around = [lines for lines in functions if mutant.line in lines] or [range(source.count(b"\n") + 1)]
        cases.append(Case(room, module, file, number, mutant, mutant.name + again, digest, around[-1]))
    return cases


def _functions(tree: ast.Module) -> list[range]:
    """The lines of each function's body, an inner one after the one around it."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sorted(
        (range(node.body[0].lineno, (node.end_lineno or 0) + 1) for node in nodes), key=len, reverse=True
    )
