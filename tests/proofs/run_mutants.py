"""`make mutants`: does a test notice? A sample of small faults, each judged by the tests that run it.

python tests/proofs/run_mutants.py [--sample N] [--seed N] [--only MODULE …] [--tests PATH …] [--seconds N]

Of each room so many are drawn. A mutant's tests stop at the first that fails, and after so many seconds of
CPU. What was judged is kept in .cache/mutants: a run that is interrupted goes on there, and a mutant that was
noticed is not judged again until its module changes (`--anew` forgets all that). A survivor is either worth
a test, or stands in docs/internals/mutants.md with the reason why none would notice: others end this with
status 1.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from proofs.mutation.cases import ROOMS, ROOT, Case, all_cases, sample
from proofs.mutation.judges import ELSEWHERE, Judging, judge_unimported
from proofs.mutation.reach import Reach

KNOWN = ROOT / "docs/internals/mutants.md"
KEPT = ROOT / ".cache/mutants"
IMPORTED = (
    "aiohttp", "apsw", "fastwarc", "hypothesis", "lxml.etree", "selectolax.lexbor", "warcio",
    "_pytest.pytester",
)  # fmt: skip
TESTS = (
    "core", "adapters", "storage", "jobs", "properties", "questions", "faces/lsp", "faces/cli/test_config.py",
    "faces/cli/test_track.py", "faces/cli/test_store_commands.py", "faces/cli/test_export.py",
    "faces/cli/test_local_links.py", "faces/cli/test_search.py", "faces/cli/test_telling.py",
    "faces/cli/test_track_for_teams.py", "faces/cli/test_watch.py", "sessions/test_integrations.py",
)  # fmt: skip
TOO_FAR = (
    "cluster", "flat_memory", "growth", "hundred_hosts", "linear", "moving", "oracle", "plans", "postgres",
    "scale", "servers", "shared",
)  # fmt: skip
"""Tests that start a server, or measure and compare at length."""


class Log:
    """What became of each mutant, in a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.verdicts: dict[str, str] = {}
        self.read_again()

    def read_again(self) -> None:
        for line in self._path.read_text().splitlines() if self._path.exists() else ():
            entry = json.loads(line)
            self.verdicts[entry["key"]] = entry["verdict"]

    def tell(self, case: Case, verdict: str, test: str) -> None:
        self.verdicts[case.key] = verdict
        entry = {
            "key": case.key,
            "verdict": verdict,
            "name": case.name,
            "line": case.mutant.line,
            "test": test,
        }
        with self._path.open("a") as out:
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def is_noticed(self, case: Case) -> bool:
        return self.verdicts.get(case.key, "").startswith("noticed")


def judge(cases: list[Case], log: Log, tests: list[str], seconds: float) -> None:
    """In the warm process first; what cannot be judged there, with its module loaded anew."""
    reach = Reach(KEPT / "reach.jsonl", tests)
    words = ["-o", "addopts=", "--import-mode=importlib", "-n", "0", "-W", "ignore"]
    words += ["-p", "no:cacheprovider", "-p", "no:terminal"]
    words += ["-k", " and ".join(f"not {word}" for word in TOO_FAR)]
    warm = os.fork()
    if warm == 0:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        judging = Judging(cases, reach, seconds, log.tell)
        os._exit(int(pytest.main([*words, *tests], plugins=[judging])))
    if os.waitpid(warm, 0)[1] != 0:
        raise SystemExit("the tests that judge cannot be collected, or this was interrupted")
    reach.read_again()
    log.read_again()
    for case in cases:
        if log.verdicts.get(case.key) == ELSEWHERE:
            log.tell(case, *judge_unimported(case, reach, seconds))


def test_files(names: list[str]) -> list[str]:
    """The test files of folders, but for those that are too far from any mutant."""
    folders = [ROOT / "tests" / name for name in names]
    found = {
        file for folder in folders for file in (folder.rglob("test_*.py") if folder.is_dir() else [folder])
    }
    return sorted(
        str(file.relative_to(ROOT)) for file in found if not any(word in file.name for word in TOO_FAR)
    )


def accepted() -> set[tuple[str, str]]:
    """The survivors that have a reason: module and name."""
    rows = (line.split(" | ") for line in KNOWN.read_text().splitlines() if line.startswith("| `"))
    return {(row[0].strip("| `"), row[1].strip("`").replace("\\|", "|")) for row in rows}


def summary(cases: list[Case], log: Log) -> list[Case]:
    """Say what became of them, by room. The survivors that have no reason."""
    known, new = accepted(), []
    for room in ROOMS:
        counts: Counter[str] = Counter()
        for case in cases:
            if case.room != room:
                continue
            word = log.verdicts.get(case.key, "not judged yet")
            if (case.module, case.name) in known:
                word = "lives, for a reason"
            elif word != "not judged yet" and not word.startswith("noticed"):
                new.append(case)
            counts[word] += 1
        if counts:
            print(f"{room}: " + ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    for case in new:
        print(f"{log.verdicts[case.key]}: {case.module}:{case.mutant.line} | {case.name}")
    return new


def _stop(*_: object) -> None:
    """What was judged by then is said; `timeout` sends its signal twice."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--tests", nargs="*", default=list(TESTS))
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--anew", action="store_true")
    args = parser.parse_args()
    if args.anew:
        shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in IMPORTED:
        importlib.import_module(name)
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, _stop)
    cases, log, known = (
        sample(all_cases(args.only), args.sample, args.seed),
        Log(KEPT / "log.jsonl"),
        accepted(),
    )
    left = [case for case in cases if not log.is_noticed(case) and (case.module, case.name) not in known]
    began, new = time.monotonic(), []
    try:
        judge(left, log, test_files(args.tests), args.seconds)
    finally:
        log.read_again()
        new = summary(cases, log)
        print(f"seed {args.seed}: {len(cases)} mutants, {time.monotonic() - began:.0f} s", flush=True)
    return 1 if new else 0


if __name__ == "__main__":
    raise SystemExit(main())
