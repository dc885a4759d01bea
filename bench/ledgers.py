"""The ledger on a server beside the one in a file: pages/s of one writer, in one run, as a ratio.

    python bench/ledgers.py [pages]

Pages of 30 links in batches of 256; both wait for the disk. The server is the tests' own, on a socket.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.ledger_cases import at, closed, entry, facts, link, place, run, seen
from helpers.postgres_server import Server, binaries
from holdfast.storage.postgres.postgres_ledger import open_postgres
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

BATCH, LINKS = 256, 30


def page(number):
    links = tuple(link(place(f"p{(number + step) % 5000}")) for step in range(1, LINKS + 1))
    found = seen(place(f"p{number}"), number, f"text {number}", links=links)
    ends = (closed(f"p{number}"),)
    return replace(found, page=facts(f"p{number}.md"), discovered=(entry(f"p{number + 1}"),), closed=ends)


def rate(ledger, pages):
    ledger.runs.begin_run(run())
    batches = [[page(n) for n in range(first, first + BATCH)] for first in range(0, pages, BATCH)]
    wall, cpu = time.perf_counter(), time.process_time()
    for number, batch in enumerate(batches):
        ledger.commit("run-1", batch, at(100_000 + number))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    ledger.close()
    return len(batches) * BATCH / wall, cpu / (len(batches) * BATCH) * 1e6


def main(pages):
    server = Server(binaries(), durable=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            first, cpu = rate(open_ledger(Path(folder) / "1.db", at(0)), pages)
            served, served_cpu = rate(open_postgres(server.address, at(0)), pages)
            last, _ = rate(open_ledger(Path(folder) / "2.db", at(0)), pages)
    finally:
        server.close()
    embedded = (first + last) / 2
    print(f"SQLite      {first:7.0f}, {last:.0f} pages/s   {cpu:5.0f} us of CPU a page")
    print(f"PostgreSQL  {served:7.0f} pages/s          {served_cpu:5.0f} us of CPU a page here")
    print(f"ratio       {served / embedded:7.2f}                  load {os.getloadavg()[0]:.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_048)
