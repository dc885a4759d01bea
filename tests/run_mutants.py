"""`make mutants`: does a test notice? A sample of small faults, each judged by the tests that run it.

    python tests/run_mutants.py [--sample N] [--seed N] [--only MODULE …] [--seconds CPU] [--anew]

A mutant's tests stop at the first that fails, and after so many seconds of CPU. What was judged is kept in
.cache/mutants: a run that is interrupted goes on there, and a mutant that was noticed is not judged again
until its module changes. A survivor is either worth a test, or stands in docs/internals/mutants.md with the
reason why none would notice: others end this with status 1.
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

from mutation.cases import ROOMS, ROOT, Case, all_cases, sample
from mutation.judges import LIVES, Judging, judge_unimported
from mutation.reach import Reach

KNOWN = ROOT / "docs/internals/mutants.md"
KEPT = ROOT / ".cache/mutants"
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
JUDGES = (
    "core", "formats", "adapters", "contracts", "jobs", "properties", "state", "questions", "notify", "teams",
    "watch", "editor", "faces/test_config.py", "faces/test_track.py", "faces/test_track_nodes.py",
    "faces/test_store_commands.py", "faces/test_export.py", "faces/test_local_links.py",
    "faces/test_track_join.py", "faces/test_search.py",
)  # fmt: skip
TOO_FAR = (
    "postgres",
    "s3",
    "servers",
    "oracle",
    "power_cuts",
    "simulated_disk",
    "flat_memory",
    "growth",
    "plans",
    "linear",
)
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


def judge(cases: list[Case], log: Log, seconds: float) -> None:
    """In the warm process first; what is not noticed there, with its module loaded anew."""
    reach = Reach(KEPT / "reach.jsonl")
    files = sorted(
        str(file.relative_to(ROOT))
        for name in JUDGES
        for file in (
            (ROOT / "tests" / name).glob("**/test_*.py") if "." not in name else [ROOT / "tests" / name]
        )
        if file.is_file() and not any(word in file.name for word in TOO_FAR)
    )
    words = [
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        "-k",
        " and ".join(f"not {w}" for w in TOO_FAR),
    ]
    warm = os.fork()
    if warm == 0:
        os._exit(int(pytest.main([*words, *files], plugins=[Judging(cases, reach, seconds, log.tell)])))
    os.waitpid(warm, 0)
    reach.read_again()
    log.read_again()
    for case in cases:
        if not log.is_noticed(case):
            log.tell(case, *judge_unimported(case, reach, seconds))


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
            if word == LIVES and (case.module, case.name) in known:
                word = "lives, for a reason"
            elif word != "not judged yet" and not word.startswith("noticed"):
                new.append(case)
            counts[word] += 1
        print(f"{room}: " + ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    for case in new:
        print(f"{log.verdicts[case.key]}: {case.module}:{case.mutant.line} | {case.name}")
    return new


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--anew", action="store_true")
    args = parser.parse_args()
    if args.anew:
        shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    for name in IMPORTED:
        importlib.import_module(name)
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was judged by then is said
    rooms = all_cases(args.only)
    cases, log = sample(rooms, -(-args.sample // max(len(rooms), 1)), args.seed), Log(KEPT / "log.jsonl")
    began, new = time.monotonic(), []
    try:
        judge([case for case in cases if not log.is_noticed(case)], log, args.seconds)
    finally:
        log.read_again()
        new = summary(cases, log)
        print(f"seed {args.seed}: {len(cases)} mutants, {time.monotonic() - began:.0f} s", flush=True)
    return 1 if new else 0


if __name__ == "__main__":
    raise SystemExit(main())
