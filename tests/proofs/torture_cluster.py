"""`make torture`: mirrors by workers that are killed and frozen at random moments, on PostgreSQL and S3.

python tests/proofs/torture_cluster.py [--kills 200] [--freezes 50] [--dask-kills 20] [--seconds N] [--seed 1]

Two workers make two mirrors while one of them after another is killed with -9, or stands still for longer
than its lease and wakes up later. When a round is over, both folders are compared with those of undisturbed
runs in the embedded form, and the next round begins. On Dask the workers are tasks, and Dask starts lost ones
again.
It ends when all was done, or after that many seconds, and says how much it was.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from faces.cli.test_ledger_on_a_server import bytes_of
from helpers.dask_cluster import DaskCluster
from helpers.network import stay_here
from helpers.postgres_server import Server, binaries
from helpers.s3_server import BUCKET, S3Server, program
from holdfast.jobs.cluster.cluster import list_jobs
from holdfast.jobs.load_settings import load_settings
from jobs.cluster.test_cluster import settle, site_of

HOLDFAST = (sys.executable, "-m", "holdfast")
LEASE = 2.0
PAGES = 60
FAULTS_A_ROUND = 12


class Round:
    """Two mirrors, from an empty ledger to two folders."""

    def __init__(self, work, number, servers):
        self.folder = work / f"round-{number}"
        self.folder.mkdir()
        database, bucket = servers
        database.empty()
        self.environment = {
            **os.environ,
            **bucket.environment,
            "HOLDFAST_LEDGER": database.address,
            "HOLDFAST_ARCHIVE": f"s3://{BUCKET}/round-{number}",
        }

    def run(self, *words):
        done = subprocess.run(
            [*HOLDFAST, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if "Traceback" in done.stderr:
            raise RuntimeError(done.stderr)
        return done

    def start(self, *words):
        return subprocess.Popen(
            [*HOLDFAST, *words], cwd=self.folder, env=self.environment, stderr=subprocess.DEVNULL
        )

    def open_jobs(self):
        settings = load_settings(self.folder, flags={}, environment=self.environment)
        return list_jobs(settings, is_open=True).jobs

    def differs(self, calm):
        """Write both folders out, and compare; what is wrong, in words."""
        worker = self.start("cluster", "worker", "--lease", str(LEASE))
        try:
            for name, expected in calm.items():
                made = self.run("mirror", name, "--cluster", "-q")
                if made.returncode != 0:
                    return f"{name}: status {made.returncode}: {made.stderr}"
                if bytes_of(self.folder / name) != expected:
                    return f"{name}: other bytes"
        finally:
            worker.kill()
            worker.wait()
        for check in (("verify",),):
            if (told := self.run(*check)).returncode not in (0, 1 if check[0] == "archive" else 0):
                return f"{check}: {told.stdout}{told.stderr}"
        return ""


def calm_mirrors(work, sources):
    """What undisturbed runs of the embedded form make."""
    made = {}
    for name, source in sources.items():
        folder = work / "calm" / name
        flags = ("--discover", "links", "--content-rate-limit", "0", "--allow-private", "-q")
        subprocess.run([*HOLDFAST, "mirror", source, "-o", folder, *flags], check=True)
        made[name] = bytes_of(folder)
    return made


class Faults:
    """Kills and freezes that are still to be done."""

    def __init__(self, kills, freezes, seed):
        self.chance = random.Random(seed)
        self.wanted = {"kill": kills, "freeze": freezes}
        self.done = {"kill": 0, "freeze": 0}

    @property
    def left(self):
        return sum(self.wanted.values()) - sum(self.done.values())

    def strike(self, victim):
        """Do one; a frozen worker is woken when its lease has been over for a while."""
        kinds = [kind for kind in self.wanted for _ in range(self.wanted[kind] - self.done[kind])]
        kind = self.chance.choice(kinds)
        self.done[kind] += 1
        if kind == "kill":
            os.kill(victim, signal.SIGKILL)
            return
        os.kill(victim, signal.SIGSTOP)
        time.sleep(LEASE * 1.5)
        os.kill(victim, signal.SIGCONT)


def on_processes(made, site, faults, until):
    """One round: workers as processes; a killed one is followed by another."""
    workers = [made.start("cluster", "worker", "--lease", str(LEASE)) for _ in range(2)]
    struck = 0
    while made.open_jobs():
        before, patience = len(site.requests), time.monotonic() + 20
        hurry = faults.chance.randrange(20)
        while made.open_jobs() and len(site.requests) < before + hurry and time.monotonic() < patience:
            time.sleep(0.02)
        if struck < FAULTS_A_ROUND and faults.left and time.monotonic() < until and made.open_jobs():
            struck += 1
            victim = faults.chance.choice(workers)
            faults.strike(victim.pid)
        for worker in workers[:]:
            if worker.poll() is not None:
                workers.remove(worker)
                workers.append(made.start("cluster", "worker", "--lease", str(LEASE)))
    for worker in workers:
        worker.kill()
        worker.wait()


def on_dask(made, site, faults, until, work):
    """One round: workers as tasks of a cluster; those that hold a job are killed."""
    cluster = DaskCluster(work)
    words = ("cluster", "run", "--scheduler", cluster.address, "--drain", "--workers", "2")
    running = made.start(*words, "--lease", str(LEASE))
    try:
        while running.poll() is None:
            before, patience = len(site.requests), time.monotonic() + 30
            while running.poll() is None and len(site.requests) < before + 10 and time.monotonic() < patience:
                time.sleep(0.02)
            held = [job for job in made.open_jobs() if job.is_held]
            if held and faults.left and time.monotonic() < until:
                faults.strike(int(faults.chance.choice(held).owner.split("/")[1]))
        if running.returncode != 0:
            raise RuntimeError(f"the cluster ended with {running.returncode}")
    finally:
        running.kill()
        running.wait()
        cluster.close()


def torture(name, faults, servers, work, seconds):
    """Rounds until all faults were done; how many of them ended otherwise than in peace."""
    until, number, wrong = time.monotonic() + seconds, 0, 0
    with site_of(PAGES, delay=0.03).serve() as one, (other := site_of(PAGES, delay=0.03)).serve() as two:
        sources = {"one": f"{one}/", "two": f"{two}/"}
        calm = calm_mirrors(work, sources)
        while faults.left and time.monotonic() < until:
            number += 1
            made = Round(work, f"{name}-{number}", servers)
            settle(made.folder, **sources)
            made.run("cluster", "submit", "--all")
            if name == "dask":
                on_dask(made, other, faults, until, work)
            else:
                on_processes(made, other, faults, until)
            told = made.differs(calm)
            wrong += bool(told)
            done = ", ".join(
                f"{count} of {faults.wanted[kind]} {kind}s" for kind, count in faults.done.items()
            )
            print(f"{name} round {number}: {done}: {told or 'equal'}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("kills", 200), ("freezes", 50), ("dask-kills", 20), ("seconds", 1e9), ("seed", 1)):
        parser.add_argument(f"--{name}", type=type(default), default=default)
    args = parser.parse_args()
    stay_here()
    database, bucket = Server(binaries()), S3Server(program())
    work = Path(tempfile.mkdtemp(prefix="holdfast-torture-"))
    try:
        # the schema is there from the first round on
        Round(work, 0, (database, bucket)).run("cluster", "jobs")
        wrong = 0
        if args.kills or args.freezes:
            faults = Faults(args.kills, args.freezes, args.seed)
            wrong += torture("local", faults, (database, bucket), work, args.seconds)
        if args.dask_kills:
            faults = Faults(args.dask_kills, 0, args.seed)
            wrong += torture("dask", faults, (database, bucket), work, args.seconds)
    finally:
        bucket.close()
        database.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
