"""`make mutants`: does a test notice? A sample of small faults, each judged by the tests nearest to it.

    python tests/run_mutants.py [--sample N] [--seed N] [--only MODULE …] [--seconds CPU] [--share K/N]

Each mutant lives in a fork of a process that has imported what tests need, and nothing of Holdfast. Its tests
stop at the first that fails, or after so many seconds of CPU. `--share 2/3` judges the second third of a
sample: a long run in pieces. A survivor is either worth a test, or stands in
docs/internals/mutants.md with the reason why none would notice: others end this with status 1.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import os
import resource
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from random import Random

import pytest

from mutation.mutants import Mutant, mutants_of
from mutation.nearest import nearest_tests

ROOT = Path(__file__).parent.parent
sys.path[1:1] = [str(ROOT / "tests/distill"), str(ROOT / "tests/formats")]

ROOMS = ("core", "adapters/sql", "adapters/sqlite", "adapters/warc", "jobs")
KNOWN = ROOT / "docs/internals/mutants.md"
IMPORTED = (
    "aiohttp",
    "apsw",
    "fastwarc",
    "hypothesis",
    "lxml.etree",
    "selectolax.lexbor",
    "warcio",
    "_pytest.pytester",
)
PATIENCE = 240
"""Seconds by the clock after which a mutant that waits for something is stopped."""


@dataclass(frozen=True)
class Case:
    """A mutant of a module, by its number there."""

    module: str
    file: Path
    number: int
    mutant: Mutant
    name: str


class Mutated(SourceFileLoader):
    """Loads a module with a fault in it."""

    def __init__(self, case: Case) -> None:
        super().__init__(case.module, str(case.file))
        self._number = case.number

    def get_code(self, _fullname):
        tree = ast.parse(Path(self.path).read_bytes())
        mutants_of(tree)[self._number].apply()
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class Finder:
    """Finds one module mutated, and no other."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def find_spec(self, name, _path=None, _target=None):
        if name != self._case.module:
            return None
        return importlib.util.spec_from_file_location(name, self._case.file, loader=Mutated(self._case))


def all_cases(only: list[str]) -> dict[str, list[Case]]:
    """Every mutant of each room."""
    found: dict[str, list[Case]] = {}
    for room in ROOMS:
        for file in sorted((ROOT / "src/holdfast" / room).rglob("*.py")):
            parts = file.relative_to(ROOT / "src").with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if not only or any(module == name or module.startswith(f"{name}.") for name in only):
                found.setdefault(room, []).extend(_cases(module, file))
    return found


def _cases(module: str, file: Path) -> list[Case]:
    seen: Counter[str] = Counter()
    cases = []
    for number, mutant in enumerate(mutants_of(ast.parse(file.read_bytes()))):
        seen[mutant.name] += 1
        again = f" ({seen[mutant.name]})" if seen[mutant.name] > 1 else ""
        cases.append(Case(module, file, number, mutant, mutant.name + again))
    return cases


def run_tests(files: list[Path], case: Case | None, seconds: float) -> tuple[int, float]:
    """How the tests ended in a fork (0: all passed; negative: stopped by a signal), and the CPU they took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = os.fork()
    if child == 0:
        _be_mutant(files, case, seconds)
    _, status = os.waitpid(child, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), used


def _be_mutant(files: list[Path], case: Case | None, seconds: float) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    signal.alarm(PATIENCE)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if case is not None:
        sys.meta_path.insert(0, Finder(case))
    words = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", *map(str, files)]
    os._exit(int(pytest.main(words)))


class Judges:
    """The tests of each module, the nearest first, as far as they fit into the seconds that a mutant has."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._passes: dict[Path, bool] = {}

    def verdict(self, case: Case) -> str:
        """How a mutant fared."""
        left, word = self._seconds, "without a near test"
        for file in nearest_tests(case.module):
            if left <= 0:
                break
            status, used = run_tests([file], case, 3 * self._seconds)
            if status != 0 and self._passes_without(file):
                return "noticed" if status > 0 else "noticed by its endlessness"
            if status == 0:
                word, left = "survived", left - used
        return word

    def _passes_without(self, file: Path) -> bool:
        """Whether a test file passes where there is no fault, in the time it has."""
        if file not in self._passes:
            self._passes[file] = run_tests([file], None, self._seconds)[0] == 0
        return self._passes[file]


def accepted() -> set[tuple[str, str]]:
    """The survivors that have a reason: module and name."""
    rows = (line.split(" | ") for line in KNOWN.read_text().splitlines() if line.startswith("| `"))
    return {(row[0].strip("| `"), row[1].strip("`").replace("\\|", "|")) for row in rows}


def chosen(args: argparse.Namespace) -> list[Case]:
    """A sample, alike from each room; the same for the same seed."""
    rooms = all_cases(args.only)
    chance = Random(args.seed)
    share = -(-args.sample // max(len(rooms), 1))
    cases = [case for cases in rooms.values() for case in chance.sample(cases, min(share, len(cases)))]
    piece, pieces = map(int, args.share.split("/"))
    return sorted(cases, key=lambda case: case.module)[piece - 1 :: pieces]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--share", default="1/1")
    args = parser.parse_args()
    for name in IMPORTED:
        importlib.import_module(name)
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was judged by then is said
    judges, known, counts, new = Judges(args.seconds), accepted(), Counter(), []
    began = time.monotonic()
    try:
        for case in chosen(args):
            word = judges.verdict(case)
            if word == "survived" and (case.module, case.name) in known:
                word = "survived, for a reason"
            elif word == "survived":
                new.append(case)
            counts[word] += 1
            if not word.startswith("noticed"):
                print(f"{word}: {case.module}:{case.mutant.line} | {case.name}", flush=True)
    finally:
        took = f"in {time.monotonic() - began:.0f} s"
        print(f"seed {args.seed}, share {args.share}: {sum(counts.values())} mutants {took}: "
              + ", ".join(f"{count} {word}" for word, count in counts.most_common()), flush=True)  # fmt: skip
    return 1 if new else 0


if __name__ == "__main__":
    raise SystemExit(main())
