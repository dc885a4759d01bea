"""Who judges a mutant: the tests that run its line, near ones first, the quick before the slow.

1. In the warm process all tests are collected and all of Holdfast is imported. A mutant is a fork of it in
   which the functions with the fault have their new code (`Judging`).
2. A fault outside of functions (a constant, a default) needs a process that has not imported its module yet
   (`judge_unimported`); so does one in a function that is called while modules are imported: what it said
   then, it said without the fault.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import pytest

from proofs.mutation.cases import ROOT, Case, mutated_code
from proofs.mutation.forks import in_child
from proofs.mutation.reach import Reach, Recorder, TestRun

__all__ = ["ELSEWHERE", "Judging", "judge_unimported", "judges_of"]

NOTICED, ENDLESS, LIVES, NO_TEST = "noticed", "noticed by its endlessness", "lives", "no test runs it"
ELSEWHERE = "not in a function"
TESTS = ROOT / "tests"


def judges_of(case: Case, reach: Reach, seconds: float) -> list[str]:
    """Tests by their ids: as many as a mutant has seconds for, and one at least, if there is any."""
    source, near = str(case.file.relative_to(ROOT)), _importing(case.module)
    touching = [(run, lines) for run in reach.runs.values() if (lines := run.lines.get(source))]
    runs = [run for run, lines in touching if case.mutant.line in lines]
    if not runs:
        around = {run.test for run, lines in touching if not lines.isdisjoint(case.function)}
        runs = [run for run in reach.runs.values() if run.test in around or _file(run) in near]
    quickest: dict[str, float] = {}
    for run in runs:
        quickest[_file(run)] = min(run.seconds, quickest.get(_file(run), run.seconds))
    runs.sort(key=lambda run: (_file(run) not in near, quickest[_file(run)], _file(run), run.seconds))
    chosen, left = [], seconds
    for run in runs:
        if run.seconds <= left or not chosen:
            chosen.append(run.test)
            left -= run.seconds
    return chosen


class Judging:
    """A pytest plugin that judges mutants in place of running the tests."""

    def __init__(self, cases: list[Case], reach: Reach, seconds: float, tell: Callable[..., None]) -> None:
        self._cases, self._reach, self._seconds, self._tell = cases, reach, seconds, tell
        self._called = called_by_imports({case.module for case in cases})
        self._sound: dict[str, bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Measure what is not measured, then judge."""
        self._measure(session)
        items = {item.nodeid: item for item in session.items}
        functions = _functions()
        gc.collect()
        gc.freeze()  # a child that collects would copy all that the warm process holds
        for case in self._cases:
            judges = [items[test] for test in judges_of(case, self._reach, self._seconds) if test in items]
            self._tell(case, *self._verdict(case, judges, functions))
        return True

    def _measure(self, session: pytest.Session) -> None:
        by_file: dict[Path, list[pytest.Item]] = {}
        for item in session.items:
            by_file.setdefault(item.path, []).append(item)
        for path, items in by_file.items():
            file = str(path.relative_to(ROOT))
            if self._reach.lacks(file):
                in_child(lambda items=items: self._record(items), 4 * self._seconds)
                self._reach.write_done(file, [item.nodeid for item in items])

    def _record(self, items: list[pytest.Item]) -> str:
        recorder = Recorder((ROOT / "src/holdfast").rglob("*.py"))
        items[0].config.pluginmanager.register(recorder)
        for item, following in zip(items, [*items[1:], None], strict=True):
            run = recorder.run(item, following)
            if run is not None:
                self._reach.write(run)
        return ""

    def _verdict(
        self, case: Case, judges: list[pytest.Item], functions: list[FunctionType]
    ) -> tuple[str, str]:
        """How a mutant fared, and the test that noticed it."""
        while judges:
            said = in_child(lambda judges=judges: _be_mutant(case, judges, functions), 3 * self._seconds)
            if said is None and in_child(lambda judges=judges: _run(judges), 3 * self._seconds) == "":
                return ENDLESS, ""
            if said == "":
                return ELSEWHERE if self._is_called_by_imports(case) else LIVES, ""
            if said == ELSEWHERE:
                return ELSEWHERE, ""
            if said is not None and self._is_sound(said, judges):
                return NOTICED, said
            judges = [item for item in judges if said is not None and item.nodeid != said]
        return NO_TEST, ""

    def _is_called_by_imports(self, case: Case) -> bool:
        return any(file == str(case.file) and line in case.function for file, line in self._called)

    def _is_sound(self, test: str, judges: list[pytest.Item]) -> bool:
        """Whether a test passes where there is no fault, alone."""
        if test not in self._sound:
            alone = [item for item in judges if item.nodeid == test]
            self._sound[test] = in_child(lambda: _run(alone), 3 * self._seconds) == ""
        return self._sound[test]


def _be_mutant(case: Case, judges: list[pytest.Item], functions: list[FunctionType]) -> str:
    try:
        changed = _put_fault(case, functions)
    except ValueError:  # the new code needs other names of the functions around it
        changed = False
    return _run(judges) if changed else ELSEWHERE


def _run(items: list[pytest.Item]) -> str:
    """The first test that fails, or nothing."""
    for item, following in zip(items, [*items[1:], None], strict=True):
        failed = item.session.testsfailed
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed > failed:
            return item.nodeid
    return ""


def _put_fault(case: Case, functions: list[FunctionType]) -> bool:
    """Give the functions of a module the code that they have with the fault. Whether any has another now."""
    new = {(code.co_qualname, code.co_firstlineno): code for code in _codes(mutated_code(case))}
    changed = False
    for function in functions:
        old = function.__code__
        code = new.get((old.co_qualname, old.co_firstlineno))
        if old.co_filename == str(case.file) and code is not None and code != old:
            function.__code__ = code
            changed = True
    return changed


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _functions() -> list[FunctionType]:
    """All that Holdfast's modules have made."""
    source = str(ROOT / "src/holdfast")
    made = (found for found in gc.get_objects() if isinstance(found, FunctionType))
    return [function for function in made if function.__code__.co_filename.startswith(source)]


def called_by_imports(modules: Iterable[str]) -> frozenset[tuple[str, int]]:
    """Import modules: a line of each function that is called meanwhile."""
    called: set[tuple[str, int]] = set()

    def enter(frame: FrameType, _event: str, _arg: object) -> None:
        if frame.f_code.co_name != "<module>":
            called.update((frame.f_code.co_filename, line) for *_, line in frame.f_code.co_lines() if line)

    sys.settrace(enter)
    try:
        for module in sorted(modules):
            importlib.import_module(module)
    finally:
        sys.settrace(None)
    return frozenset(called)


def judge_unimported(case: Case, reach: Reach, seconds: float) -> tuple[str, str]:
    """As above, where nothing of Holdfast is imported yet: its module is loaded with the fault."""
    judges = judges_of(case, reach, seconds)
    if not judges:
        return NO_TEST, ""
    said = in_child(lambda: _load_and_run(case, judges), 3 * seconds)
    if said == "0":
        return LIVES, ""
    sound = in_child(lambda: _load_and_run(None, judges), 3 * seconds) == "0"
    if not sound:
        return NO_TEST, "its tests fail without the fault"
    return (ENDLESS if said is None else NOTICED), "loaded anew"


def _load_and_run(case: Case | None, judges: list[str]) -> str:
    if case is not None:
        sys.meta_path.insert(0, _Finder(case))
    words = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore", *judges]
    return str(int(pytest.main(words)))


class _Mutated(SourceFileLoader):
    """Loads a module with a fault in it."""

    def __init__(self, case: Case) -> None:
        super().__init__(case.module, str(case.file))
        self._case = case

    def get_code(self, _fullname: str) -> CodeType:
        return mutated_code(self._case)


class _Finder:
    """Finds one module mutated, and no other."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def find_spec(self, name, _path=None, _target=None):
        if name != self._case.module:
            return None
        return importlib.util.spec_from_file_location(name, self._case.file, loader=_Mutated(self._case))


def _file(run: TestRun) -> str:
    return run.test.partition("::")[0]


_texts: dict[str, str] = {}


def _importing(module: str) -> frozenset[str]:
    """The test files that name a module."""
    if not _texts:
        _texts.update((str(file.relative_to(ROOT)), file.read_text()) for file in TESTS.rglob("test_*.py"))
    room, _, name = module.rpartition(".")
    named = re.compile(
        rf"^(from|import) {re.escape(module)}\b|^from {re.escape(room)} import .*\b{name}\b", re.MULTILINE
    )
    return frozenset(file for file, text in _texts.items() if named.search(text))
