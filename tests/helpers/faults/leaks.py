"""Many requests to a quiet server; what is left of them. Run as a program for the long version."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from helpers.faults.door import ask, door, run
from helpers.faults.server import FaultServer, response
from holdfast.adapters.system import SystemClock
from holdfast.core.web.capture import Fetched

PAGE = response(b"<p>quiet</p>" * 400, "200 OK", "Content-Type: text/html")


@dataclass(frozen=True)
class Footprint:
    descriptors: int
    tasks: int
    kilobytes: int


def footprint() -> Footprint:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - the listing itself opens one, always
    return Footprint(descriptors, len(asyncio.all_tasks()), pages * os.sysconf("SC_PAGE_SIZE") // 1024)


async def soak(requests: int, hosts: int = 8) -> tuple[Footprint, Footprint, Footprint, int]:
    """Before, after a tenth, after all and closed; and how many connections it took."""
    names = [f"127.0.0.{number + 1}" for number in range(hosts)]
    async with FaultServer({"/page": (PAGE,)}, host="0.0.0.0", forgetful=True) as server:
        bases = [f"http://{name}:{server.port}" for name in names]
        before = footprint()
        async with door(*bases, clock=SystemClock(), timeout=30.0, idle_timeout=30.0, per_host=4) as fetcher:
            numbers = iter(range(requests))

            async def worker() -> None:
                for number in numbers:
                    target = f"{bases[number % hosts]}/page?{number}"
                    outcome = await fetcher.fetch(ask(target, obey_robots=True))
                    assert isinstance(outcome, Fetched), outcome
                    if number == requests // 10:
                        seen.append(footprint())

            seen: list[Footprint] = []
            await asyncio.gather(*(worker() for _ in range(32)))
        for _ in range(20):  # closed transports leave the loop one turn later, the server's another
            await asyncio.sleep(0.01)
        return before, seen[0], footprint(), server.connections


def main() -> None:
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    before, early, after, connections = run(soak(requests))
    print(f"{requests} requests over {connections} connections")
    print(f"descriptors {before.descriptors} → {after.descriptors}, tasks {before.tasks} → {after.tasks}")
    print(f"memory after a tenth {early.kilobytes:,} KiB, after all {after.kilobytes:,} KiB")
    grown = after.kilobytes - early.kilobytes
    clean = after.descriptors <= before.descriptors and after.tasks <= before.tasks and grown < 4_096
    print("nothing leaked" if clean else "LEAKED")
    sys.exit(not clean)


if __name__ == "__main__":
    main()
