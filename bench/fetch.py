"""Fetching against bare aiohttp, in one run: the same pages, 32 at a time, limit off, on uvloop.

The fetcher does its whole work: scope, robots, address guard, turns, ceilings, captures and trails. The
peer reads the bodies and throws them away. Rounds alternate, and a ratio is the median of the rounds' own:
what else the machine does falls on both. Target: 0.5.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import uvloop

from figures import Figure, keep
from holdfast.adapters.http.fetcher import HttpFetcher
from holdfast.adapters.ports import FetchRequest
from holdfast.adapters.system import SystemClock
from holdfast.core.settings.groups import FetchPace, FetchSettings
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Fetched

HERE = Path(__file__).parent
AT_ONCE = 32


async def in_tasks(count, ask):
    numbers = iter(range(count))

    async def worker():
        for number in numbers:
            await ask(number)

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    return count / (time.perf_counter() - wall), count / (time.process_time() - cpu)


async def bare(base, count):
    async with aiohttp.ClientSession() as session:

        async def ask(number):
            async with session.get(f"{base}/page/{number}") as response:
                await response.read()

        await in_tasks(AT_ONCE, ask)
        return await in_tasks(count, ask)


async def ours(base, count, per_host):
    settings = FetchSettings(pace=FetchPace(content_rate_limit=0, per_host=per_host))
    fetcher = HttpFetcher(settings, SystemClock(), user_agent="holdfast/bench", named=[base])
    urls = [parse_url(f"{base}/page/{number}") for number in range(count)]

    async def ask(number):
        outcome = await fetcher.fetch(FetchRequest(urls[number], admit=lambda _url: None))
        assert isinstance(outcome, Fetched), outcome

    try:
        await in_tasks(AT_ONCE, ask)
        return await in_tasks(count, ask)
    finally:
        await fetcher.close()


def measure(base, rounds, count):
    runs = {
        "aiohttp": lambda: bare(base, count),
        "holdfast": lambda: ours(base, count, AT_ONCE),
        "holdfast, 8 to a host": lambda: ours(base, count, 8),
    }
    figures = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            figures[name].append(uvloop.run(run()))
    return figures


def summary(rows, peers):
    """Requests a second, the ratio to the peer; the same by processor time."""
    wall, cpu = (statistics.median(column) for column in zip(*rows, strict=True))
    pairs = list(zip(rows, peers, strict=True))
    wall_ratio, cpu_ratio = (statistics.median(own[k] / peer[k] for own, peer in pairs) for k in (0, 1))
    return wall, wall_ratio, cpu, cpu_ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--count", type=int, default=1000)
    args = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, str(HERE / "static_server.py")], stdout=subprocess.PIPE, text=True
    )
    try:
        base = f"http://127.0.0.1:{int(server.stdout.readline())}"
        figures = measure(base, args.rounds, args.count)
    finally:
        server.terminate()
        server.wait()
    print(f"{'':24}{'requests/s':>12}{'ratio':>8}{'per CPU s':>12}{'ratio':>8}")
    rows = {name: summary(rows, figures["aiohttp"]) for name, rows in figures.items()}
    for name, (wall, wall_ratio, cpu, cpu_ratio) in rows.items():
        print(f"{name:24}{wall:12,.0f}{wall_ratio:8.2f}{cpu:12,.0f}{cpu_ratio:8.2f}")
    _, ratio, _, cpu_ratio = rows["holdfast"]
    figures = [
        Figure("requests a second", ratio, "× bare aiohttp", 0.5),
        Figure("requests a second of CPU", cpu_ratio, "× bare aiohttp"),
    ]
    keep("fetch", figures, {"rows": rows})


if __name__ == "__main__":
    main()
