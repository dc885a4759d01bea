"""What it costs to begin and to end: commands that have next to nothing to do, in CPU of all their processes.

    python bench/start.py [--rounds N]

A mirror of one page on loopback stands beside what it cannot do without: importing aiohttp, and one worker
that starts, converts the page and ends. All run in turn, and the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from bytecode import environment, write_bytecode  # noqa: E402 - after the path is set
from figures import Figure, keep  # noqa: E402 - as above
from helpers.sites.server import Site, page  # noqa: E402 - as above
from holdfast.adapters.workers.pool import Workers  # noqa: E402 - as above
from holdfast.core.crawl.harvester import harvest  # noqa: E402 - as above
from holdfast.core.url.url import parse_url  # noqa: E402 - as above
from holdfast.core.web.capture import Capture  # noqa: E402 - as above
from holdfast.jobs.workers import FOR_WORKERS  # noqa: E402 - as above
from mirror import rules  # noqa: E402 - as above

PAGE = page("Home", links=["/"])


def python(*words: object) -> None:
    command = [sys.executable, *map(str, words)]
    subprocess.run(command, env=environment(), capture_output=True, check=True)


def one_worker() -> None:
    """A worker that starts, converts one page and ends."""

    async def convert() -> None:
        workers = Workers(1)
        workers.start(*FOR_WORKERS)
        url = parse_url("http://127.0.0.1/")
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        capture = Capture(url, url, 200, headers, PAGE.body, datetime.now(UTC))
        await workers.run(harvest, capture, common=(rules(),))
        workers.close()

    asyncio.run(convert())


def cpu_of(work: Callable[[], None]) -> float:
    """CPU seconds of the processes that a call starts and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts(origin: str, folder: Path, number: int) -> dict[str, Callable[[], None]]:
    """What is measured in one round, in this order: what asks about a mirror has one by then."""
    output, document = folder / str(number), folder / "notes.md"
    document.write_text("See <https://example.com/>.\n")
    holdfast = partial(partial, python, "-m", "holdfast")
    one_page = (
        origin,
        "-o",
        output,
        "--discover",
        "links",
        "--processes",
        1,
        "--content-rate-limit",
        0,
        "-q",
    )
    return {
        "import aiohttp": partial(python, "-c", "import aiohttp"),
        "one worker, one page": one_worker,
        "mirror of one page": holdfast("mirror", *one_page),
        "its rebuild": holdfast(
            "restore", output, "--output", folder / f"again-{number}", "--processes", 1, "-q"
        ),
        "runs": holdfast("runs", "--store", output / ".holdfast"),
        "track of one document": holdfast("check", document, "--store", folder / f"state-{number}"),
        "canon of one URL": holdfast("url", "canon", "https://example.com/"),
        "--version": holdfast("--version"),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=10)
    args = parser.parse_args()
    write_bytecode()
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as work, Site({"/": PAGE}).serve() as origin:
        for number in range(args.rounds):
            for name, start in starts(f"{origin}/", Path(work), number).items():
                best[name] = min(cpu_of(start), best.get(name, 1e9))
    print(f"CPU of all processes, best of {args.rounds}")
    for name, seconds in best.items():
        print(f"{name:24}{seconds * 1000:6.0f} ms")
    floor = best["import aiohttp"] + best["one worker, one page"]
    ratio = best["mirror of one page"] / floor
    keep(
        "start",
        [Figure("mirror of one page, CPU", ratio, "× `import aiohttp` and one worker", most=1.5)],
        best,
    )


if __name__ == "__main__":
    main()
