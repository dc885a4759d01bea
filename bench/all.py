"""Every benchmark in one run, and one page of what they found: `make bench`.

    python bench/all.py [NAME …] [--page FILE] [--patience TIMES]

Each is a process of its own and has its time; who takes longer, or fails, is said so on the page. Peers that
are not installed are named there. What others do on the machine falls on both sides of a ratio, but not
evenly: the page says how busy the machine was. Folders of this machine are not named on it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from figures import RESULTS, Figure

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "internals" / "results.md"


@dataclass(frozen=True)
class Step:
    """A benchmark: what it is about, how it is called, and how many seconds it may take."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    seconds: int = 300


STEPS = (
    Step("identity", "Canonical URLs, beside w3lib"),
    Step("distill", "Distilling, beside other converters", ("3",)),
    Step("start", "Starting, beside importing aiohttp and one worker"),
    Step("mirror", "Mirrors of two Debian manuals, beside Scrapy and wget", ("--rounds", "2"), 240),
    Step("living", "Keeping a mirror", ("--rounds", "3")),
    Step("track", "Links, beside linkinator, linkchecker and lychee", (), 180),
    Step("fetch", "Fetching, beside bare aiohttp", ("--rounds", "7")),
    Step("store", "Ledger and archive", ("--rows", "300000")),
    Step("editor", "An edit in the language server"),
    Step("serve", "The web face on 10,000 pages", ("--pages", "10000", "--each", "30")),
    Step("cluster", "One to four workers on a cluster", ("4",)),
)
OUTPUT = 6_000
"""So many characters of what a benchmark prints are on the page: the last ones."""


@dataclass(frozen=True)
class Ran:
    """How a benchmark went."""

    step: Step
    seconds: float
    printed: str
    trouble: str
    figures: tuple[Figure, ...]
    missing: tuple[str, ...]


def run(step: Step, patience: float) -> Ran:
    """One benchmark, and what it kept."""
    before = len(_lines(step.name))
    began = time.monotonic()
    command = [sys.executable, str(ROOT / "bench" / f"{step.name}.py"), *step.words]
    trouble, seconds = "", step.seconds * patience
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, start_new_session=True, **output) as process:
        try:
            printed, _ = process.communicate(timeout=seconds)
            trouble = f"It ended with status {process.returncode}." if process.returncode else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with all that it started
            printed, _ = process.communicate()
            trouble = f"It was stopped after {seconds:.0f} s."
    kept = _lines(step.name)[before:]
    figures = [Figure(**values) for line in kept for values in line.get("figures", ())]
    missing = [name for line in kept for name in line.get("missing", ())]
    text = printed.decode(errors="replace").strip()
    print(text, flush=True)
    if trouble:
        print(f"{step.name}: {trouble}", flush=True)
    return Ran(step, time.monotonic() - began, text[-OUTPUT:], trouble, tuple(figures), tuple(missing))


def _lines(name: str) -> list[dict]:
    file = RESULTS / f"{name}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def page(runs: list[Ran], load: float) -> str:
    """What all of them found."""
    missing = sorted({name for ran in runs for name in ran.missing})
    parts = [
        "# Results\n",
        f"Written by `make bench` on {datetime.now(UTC):%Y-%m-%d} at commit `{_commit()}`; do not edit.",
        f"{os.cpu_count()} cores, {platform.machine()}; load before it {load:.1f};",
        f"{sum(ran.seconds for ran in runs):.0f} s in all. Pages are read by: {_reader()}.",
        f"Python {' '.join(sys.version.split())}.",
        "Figures are ratios to peers in the same run wherever there is one; how each is measured is in its",
        "script under `bench/`, and what is behind them in [Benchmarks](benchmarks.md).",
        f"Peers that were not there: {', '.join(missing) or 'none'}.",
        "\n| what | measured | asked for | |\n|---|---:|---|---|",
        *(
            f"| {figure.what} | {figure.value:.2f} {figure.unit} | {figure.asked} | {figure.verdict} |"
            for ran in runs
            for figure in ran.figures
        ),
    ]
    for ran in runs:
        parts.append(f"\n## {ran.step.title} (`bench/{ran.step.name}.py`, {ran.seconds:.0f} s)\n")
        parts += [f"{ran.trouble}\n"] if ran.trouble else []
        parts.append(f"```text\n{without_folders(ran.printed)}\n```")
    return "\n".join(parts) + "\n"


def without_folders(text: str) -> str:
    """What was printed, without where this machine keeps the project and its temporary files."""
    return text.replace(tempfile.gettempdir(), "…").replace(str(ROOT), "…")


def _commit() -> str:
    words = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def _reader() -> str:
    words = [sys.executable, "-c", "from holdfast.wiring.about import page_reader; print(page_reader())"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; the page is not written then")
    parser.add_argument("--patience", type=float, default=1.0, help="times the seconds that each may take")
    parser.add_argument("--page", type=Path, help="where the page goes")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    runs = []
    for step in STEPS:
        if args.names and step.name not in args.names:
            continue
        if (ROOT / "bench" / f"{step.name}.py").exists():
            print(f"\n=== {step.name}: {step.title}", flush=True)
            runs.append(run(step, args.patience))
    target = args.page or (None if args.names else PAGE)
    if target is not None:
        target.write_text(page(runs, load), encoding="utf-8")
        print(f"\nwritten: {target}")
    if any(ran.trouble for ran in runs):
        sys.exit(1)


if __name__ == "__main__":
    main()
