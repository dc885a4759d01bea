"""More workers on more mirrors, where the work is waiting: mirrors a second as a ratio to one worker.

    python bench/cluster.py [most workers, 16]

Every mirror is a site of its own on a loopback address of its own; each answer takes 200 ms. The work grows
with the workers (as many mirrors as workers), so a perfect curve is straight. All of it, PostgreSQL and S3
too, shares this machine's cores: where they are used up, the curve bends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.network import stay_here
from helpers.postgres_server import Server, binaries
from helpers.s3_server import BUCKET, S3Server, program
from helpers.sites.server import Reply, Site, page
from jobs.cluster.test_cluster import settle

HOLDFAST = (sys.executable, "-m", "holdfast")
PAGES, ANSWER = 40, 0.2


def site(number):
    pages = {f"/{n}": page(f"Page {n}", links=[f"/{n + 1}"] if n + 1 < PAGES else []) for n in range(PAGES)}
    answers = {"/": page("Home", links=["/0"]), **pages}
    slow = {path: Reply(reply.body, delay=ANSWER) for path, reply in answers.items()}
    return Site(slow, host=f"127.0.1.{number + 1}")


def measure(count, work, database, bucket):
    """Pages a second of so many workers on so many mirrors, from the first request to the last job's end."""
    folder = work / f"{count}"
    folder.mkdir()
    database.empty()
    environment = {
        **os.environ,
        **bucket.environment,
        "HOLDFAST_LEDGER": database.address,
        "HOLDFAST_ARCHIVE": f"s3://{BUCKET}/{count}",
    }
    with ExitStack() as running:
        sites = [site(number) for number in range(count)]
        origins = [running.enter_context(each.serve()) for each in sites]
        settle(folder, **{f"m{number}": f"{origin}/" for number, origin in enumerate(origins)})
        run = {"cwd": folder, "env": environment}
        subprocess.run(
            [*HOLDFAST, "cluster", "submit", "--all"], check=True, stderr=subprocess.DEVNULL, **run
        )
        command = [*HOLDFAST, "cluster", "worker", "--drain"]
        workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL, **run) for _ in range(count)]
        while not any(each.requests for each in sites):
            time.sleep(0.01)
        began = time.perf_counter()
        assert [worker.wait() for worker in workers] == [0] * count
        seconds = time.perf_counter() - began
        assert all(len(each.requests) >= PAGES for each in sites)
    return count * (PAGES + 1) / seconds


def main(most):
    if binaries() is None or program() is None:
        print("PostgreSQL or an S3 server is not here: `make postgres s3` brings them")
        return
    stay_here()
    database, bucket = Server(binaries(), connections=200), S3Server(program())
    try:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [*HOLDFAST, "cluster", "jobs"],
                check=True,
                env={**os.environ, "HOLDFAST_LEDGER": database.address},
            )
            one, count = None, 1
            while count <= most:
                rate = measure(count, Path(folder), database, bucket)
                one = one or rate
                load = os.getloadavg()[0]
                print(
                    f"{count:3} workers {rate:7.1f} pages/s  {rate / one:5.2f} x  load {load:.0f}", flush=True
                )
                count *= 2
    finally:
        bucket.close()
        database.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 16)
