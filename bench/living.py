"""What it costs to keep a mirror: updates, reprocessing, rebuilding, history, beside what they cannot beat.

    python bench/living.py [--rounds N] [--folder FOLDER] [--only updates|conversions|history]

A real documentation site of 1,168 pages, served from memory by another process. An update with dated entries
asks for no page; one without dates asks for each, beside bare `aiohttp` asking the same questions. Rebuilding
and reprocessing stand beside converting the same pages with as many workers; CPU seconds are of the command
and its children.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import aiohttp
import uvloop

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from bytecode import environment, write_bytecode  # noqa: E402 - after the path is set
from figures import Figure, keep  # noqa: E402 - as above
from helpers.ledger_cases import RECIPE, capture, content, place, run  # noqa: E402 - as above
from helpers.sites.debian import doc_folder  # noqa: E402 - as above
from holdfast.core.lineage.ledger_values import Draft, Finding  # noqa: E402 - as above
from holdfast.core.lineage.versions import versions_of  # noqa: E402 - as above
from holdfast.storage.sqlite.sqlite_ledger import open_ledger  # noqa: E402 - as above

WIDTH = 64


@contextmanager
def served(folder: Path) -> Iterator[str]:
    command = [sys.executable, str(ROOT / "bench" / "living_server.py"), str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()


def holdfast(*words: object) -> tuple[float, str]:
    """Seconds of the whole command, and what it printed."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "holdfast", *map(str, words)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    return time.perf_counter() - began, done.stdout


def mirror(source: str, folder: Path, *flags: str) -> tuple[float, dict]:
    seconds, out = holdfast("mirror", source, "-o", folder, "--content-rate-limit", 0, "-q", "--json", *flags)
    return seconds, json.loads(out)


def asked(origin: str) -> int:
    with urlopen(f"{origin}/asked") as answer:
        return int(answer.read())


def tags_of(folder: Path) -> dict[str, str]:
    """Every page's address and ETag."""
    found = [file for file in folder.rglob("*.json") if not file.name.startswith("_")]
    facts = [json.loads(file.read_text()) for file in found if ".holdfast" not in file.parts]
    return {fact["source_url"]: fact["etag"] for fact in facts}


async def bare(tags: dict[str, str]) -> float:
    """Seconds that aiohttp takes to ask the same conditional questions."""
    waiting = iter(tags.items())
    connector = aiohttp.TCPConnector(limit=WIDTH)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask() -> None:
            for url, etag in waiting:
                async with session.get(url, headers={"If-None-Match": etag}) as answer:
                    assert answer.status == 304
                    await answer.read()

        began = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(WIDTH)))
        return time.perf_counter() - began


def updates(origin: str, work: Path, rounds: int) -> list[Figure]:
    mirror(f"{origin}/dated.xml", work / "dated")
    mirror(f"{origin}/undated.xml", work / "undated")
    quiet, loud, peer = [], [], []
    for _ in range(rounds):
        before = asked(origin)
        seconds, summary = mirror(f"{origin}/dated.xml", work / "dated", "--update")
        quiet.append((seconds, summary["seconds"]))
        assert asked(origin) == before, "a dated, unchanged page was asked for"
        seconds, summary = mirror(f"{origin}/undated.xml", work / "undated", "--update")
        pages = summary["update"]["counts"]["unchanged: 304"]
        assert asked(origin) == before + pages
        loud.append(pages / summary["seconds"])
        peer.append(pages / uvloop.run(bare(tags_of(work / "undated"))))
    command, inside = min(quiet)
    print(
        f"update of {pages} dated pages, nothing changed: {command:.2f} s ({inside:.2f} inside), no request"
    )
    print(
        f"update by conditional requests: {max(loud):,.0f} pages/s; bare aiohttp {max(peer):,.0f}/s;", end=" "
    )
    print(f"ratio {max(loud) / max(peer):.2f}")
    return [
        Figure("update of 1,168 dated pages, nothing changed", command, "s", most=1.5),
        Figure("304s a second of an update", max(loud) / max(peer), "× bare aiohttp", 0.5),
    ]


def measured(*words: object) -> tuple[float, float]:
    """Seconds and CPU seconds of a command and its children."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, *map(str, words)]
    subprocess.run(command, env=environment(), capture_output=True, check=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def conversions(origin: str, source: Path, work: Path, rounds: int) -> list[Figure]:
    # Nothing is removed between rounds: on ext4 whoever creates files passes over all that were just deleted.
    floor, rebuilt, reprocessed = [], [], []
    mirror(f"{origin}/dated.xml", work / "dated")
    state = work / "dated" / ".holdfast"
    run_id = json.loads(holdfast("runs", "--store", state, "--limit", 0, "--json")[1])["runs"][-1]["run_id"]
    for number in range(rounds):
        floor.append(measured(ROOT / "bench" / "mirror.py", "--distill", source))
        target, copy = work / f"rebuilt-{number}", work / f"copy-{number}"
        rebuilt.append(measured("-m", "holdfast", "restore", work / "dated", "--output", target, "-q"))
        shutil.copytree(state, copy)
        again = ("store", "reprocess", run_id, "--policy", "docs", "--store", copy, "-q")
        reprocessed.append(measured("-m", "holdfast", *again))
    alone, alone_cpu = map(min, zip(*floor, strict=True))
    figures = []
    for name, runs in (("rebuild", rebuilt), ("reprocess", reprocessed)):
        wall, cpu = map(min, zip(*runs, strict=True))
        print(f"{name}: {wall:.2f} s, {cpu:.2f} of CPU; converting alone {alone:.2f} s,", end=" ")
        print(f"{alone_cpu:.2f} of CPU;", end=" ")
        print(f"ratio {wall / alone:.2f}, by CPU {cpu / alone_cpu:.2f}")
        figures.append(Figure(f"`{name}`", wall / alone, "× converting alone", most=1.15))
        figures.append(Figure(f"`{name}`, CPU", cpu / alone_cpu, "× converting alone"))
    return figures


def history(work: Path) -> list[Figure]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    ledger = open_ledger(work / "history.db", start)
    ledger.runs.begin_run(run())
    where = place("a")
    for first in range(0, 1000, 100):
        findings = [
            Finding(capture=capture(where, seconds=number), made=Draft(content(f"text {number}"), "Title"))
            for number in range(first, first + 100)
        ]
        ledger.commit("run-1", findings, start + timedelta(seconds=first))
    best = 1e9
    for _ in range(20):
        began = time.perf_counter()
        found = versions_of(ledger.history.of_url(where.web_key, RECIPE), RECIPE)
        best = min(best, time.perf_counter() - began)
    ledger.close()
    assert len(found) == 1000
    return [Figure("history of a URL with 1,000 versions", best * 1000, "ms", most=20)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("updates", "conversions", "history"))
    parser.add_argument("--folder", type=Path, help="HTML to serve instead of postgresql-doc-15")
    args = parser.parse_args()
    folder = args.folder or doc_folder("postgresql-doc-15")
    if folder is None:
        print("the pages cannot be downloaded here; --folder names others")
        return
    write_bytecode()
    with served(folder) as origin, tempfile.TemporaryDirectory() as made:
        work = Path(made)
        parts = {
            "updates": lambda: updates(origin, work, args.rounds),
            "conversions": lambda: conversions(origin, folder, work, args.rounds),
            "history": lambda: history(work),
        }
        figures: list[Figure] = []
        for name in [args.only] if args.only else parts:
            figures += parts[name]()
    keep("living", figures, {})


if __name__ == "__main__":
    main()
