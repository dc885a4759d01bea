"""Which lines of Holdfast each test runs: measured once, and kept until the test or what it ran changes.

A fixture that several tests share runs once; its lines are those of every test that uses it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Collection, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from proofs.mutation.cases import ROOT

__all__ = ["Reach", "Recorder", "TestRun"]

_LOOKS = 40
"""So often a function is followed line by line in one test: what it does later is seldom another line."""


@dataclass(frozen=True)
class TestRun:
    """A test that passed: how long it took, and the lines of each file that it ran; files by their paths from
    the project's root.
    """

    __test__ = False

    test: str
    seconds: float
    lines: dict[str, frozenset[int]]


class Reach:
    """What was measured, in a file of JSON lines: one a test, one a file with what that rests on.
    Only what was measured of `test_files` counts.
    """

    def __init__(self, path: Path, test_files: Collection[str]) -> None:
        self._path, self._test_files = path, frozenset(test_files)
        self.runs: dict[str, TestRun] = {}
        self._rests: dict[str, dict[str, str]] = {}
        self._digests: dict[str, str] = {}
        self.read_again()

    def lacks(self, test_file: str) -> bool:
        """Whether a test file is to be measured: never yet, or it or what it ran has changed."""
        rests = self._rests.get(test_file)
        return rests is None or any(self._digest(file) != digest for file, digest in rests.items())

    def write(self, run: TestRun) -> None:
        """Keep a test's run."""
        lines = {name: sorted(found) for name, found in run.lines.items()}
        self._append({"test": run.test, "seconds": round(run.seconds, 4), "lines": lines})

    def write_done(self, test_file: str, tests: Iterable[str]) -> None:
        """The tests of a file are measured, as far as there was time."""
        self.read_again()
        ran = {file for test in tests if test in self.runs for file in self.runs[test].lines}
        rests = {file: self._digest(file) for file in (test_file, *sorted(ran))}
        self._append({"file": test_file, "rests": rests})

    def read_again(self) -> None:
        """What was written before, and by children."""
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            self._take(json.loads(line))

    def _append(self, entry: dict) -> None:
        self._take(entry)
        with self._path.open("a") as out:
            out.write(json.dumps(entry) + "\n")

    def _take(self, entry: dict) -> None:
        if "file" in entry:
            self._rests[entry["file"]] = entry["rests"]
        elif entry["test"].partition("::")[0] in self._test_files:
            lines = {name: frozenset(found) for name, found in entry["lines"].items()}
            self.runs[entry["test"]] = TestRun(entry["test"], entry["seconds"], lines)

    def _digest(self, file: str) -> str:
        if file not in self._digests:
            path = ROOT / file
            self._digests[file] = sha256(path.read_bytes()).hexdigest()[:12] if path.exists() else ""
        return self._digests[file]


class Recorder:
    """Runs tests and notes the lines of the given files that each of them runs."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = {str(file): str(file.relative_to(ROOT)) for file in files}
        self._seen: set[tuple[str, int]] = set()
        self._looks: dict[object, int] = {}
        self._shared: dict[str, set[tuple[str, int]]] = {}
        self._outcomes: set[str] = set()

    def run(self, item: pytest.Item, nextitem: pytest.Item | None) -> TestRun | None:
        """None of a test that did not pass."""
        self._seen, self._looks, self._outcomes = set(), {}, set()
        began = time.process_time()
        with self._followed():
            item.ihook.pytest_runtest_protocol(item=item, nextitem=nextitem)
        took = time.process_time() - began
        if self._outcomes != {"passed"}:
            return None
        lines: dict[str, set[int]] = {}
        for file, line in self._seen.union(*(self._shared.get(name, ()) for name in item.fixturenames)):
            lines.setdefault(file, set()).add(line)
        return TestRun(item.nodeid, took, {file: frozenset(found) for file, found in lines.items()})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """How set-up, test and tear-down ended."""
        self._outcomes.add(report.outcome)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """What a shared fixture runs is run for all its tests."""
        if fixturedef.scope == "function":
            return (yield)
        outer, self._seen = self._seen, set()
        self._looks = {}
        try:
            return (yield)
        finally:
            self._shared.setdefault(fixturedef.argname, set()).update(self._seen)
            self._seen |= outer

    @contextmanager
    def _followed(self):
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def _enter(self, frame, _event, _arg):
        code = frame.f_code
        if code.co_filename not in self._files:
            return None
        self._seen.add((self._files[code.co_filename], code.co_firstlineno))
        looks = self._looks[code] = self._looks.get(code, 0) + 1
        return self._step if looks <= _LOOKS else None

    def _step(self, frame, _event, _arg):
        self._seen.add((self._files[frame.f_code.co_filename], frame.f_lineno))
        return self._step
