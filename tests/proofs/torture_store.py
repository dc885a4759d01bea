"""Kill the writer at any moment, again and again: what it acknowledged must be there (SEC-6).

    python tests/proofs/torture_store.py [--kills N] [--seed N]      the long version, `make torture`
    python tests/proofs/torture_store.py write STATE COUNT           the writer that is killed

The writer stores COUNT pages whose bytes are a function of their number, in groups of changing size, and
prints `ack FIRST LAST` once a group is durable. Archive files are small, so that rotation is hit too.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from holdfast.core.base.hashing import content_hash, settings_digest, url_key
from holdfast.core.lineage.batch import Effect, Response
from holdfast.core.lineage.ledger_values import Closed, Draft, EntryState, Finding, FrontierEntry
from holdfast.core.lineage.lineage import Job, Run, RunTally
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place, Url, parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs.session import open_store
from holdfast.jobs.upkeep.check_store import ledger_problems, survey_archive
from holdfast.storage.scribe import commit_group

RECIPE = Recipe.parse("http_snapshot_siteurl_v1_text_v1")
START = datetime(2026, 11, 15, tzinfo=UTC)
RUN = Run("torture", Job.MIRROR, RECIPE, settings_digest({}), START, "docs")
SETTINGS = resolve(flags={"archive_file_mb": 1})


def place(number: int) -> Place:
    url = f"https://example.com/{number}"
    return Place(url, url_key(url), url_key(url))


def capture_of(number: int) -> Capture:
    url = parse_url(place(number).url)
    assert isinstance(url, Url)
    body = random.Random(number % 50).randbytes(9000)  # every fiftieth page repeats a body
    return Capture(url, url, 200, (("Content-Type", "x"),), body, START + timedelta(seconds=number))


def submission(number: int) -> Effect:
    capture = capture_of(number)
    return Effect(
        Finding(
            made=Draft(content_hash(capture.body), f"Page {number}"),
            closed=(Closed(place(number).key, EntryState.PAGE),),
        ),
        Response(capture, place(number)),
    )


def write(state: Path, count: int) -> None:
    """Store every page that is not yet stored; say so, group by group."""
    chance = random.Random()
    with open_store(state, "torture", SETTINGS) as store:
        store.ledger.runs.begin_run(RUN)
        store.ledger.frontier.reopen_entries("torture", [EntryState.TAKEN])
        entries = [FrontierEntry(place(n), place(n).url, 0, 0, n) for n in range(count)]
        store.ledger.frontier.add_entries("torture", entries)
        print("ready", flush=True)
        while taken := store.ledger.frontier.take_entries("torture", chance.randint(1, 40)):
            numbers = [entry.position for entry in taken]
            group = [submission(number) for number in numbers]
            commit_group(store.ledger, store.archive, "torture", group, START)
            print("ack", *numbers, flush=True)
        store.ledger.runs.end_run("torture", START, RunTally.of({}))


def kill_once(state: Path, count: int, chance: random.Random) -> set[int]:
    """Start a writer, kill it after a while; the pages it acknowledged."""
    command = [sys.executable, __file__, "write", str(state), str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        assert first == "ready\n", f"the writer could not start: {first!r}"
        time.sleep(chance.choice([0.0, chance.random() * 0.02, chance.random() * 0.2]))
        writer.kill()
        lines = writer.stdout.read().splitlines(keepends=True)
    whole = [line.split() for line in lines if line.endswith("\n")]
    return {int(number) for words in whole if words[0] == "ack" for number in words[1:]}


def faults(state: Path, acknowledged: set[int]) -> list[str]:
    """What is not as it must be after a kill."""
    found = [f"ledger: {problem}" for problem in ledger_problems(resolve(), state)]
    with open_store(state, "torture", SETTINGS) as store:
        # A file begun before the very first commit is left alone: the ledger might be what was lost.
        problems = [p for p in survey_archive(store).problems() if "knows nothing of this file" not in p]
        found += [f"archive: {problem}" for problem in problems]
        entries = {e.position: e for e in store.ledger.frontier.entries("torture")}
        for number in acknowledged:
            history = list(store.ledger.history.of_url(place(number).web_key))
            if len(history) != 1 or history[0].item is None or history[0].capture.ref is None:
                found.append(f"page {number} was acknowledged and is not there")
            elif store.archive.read(history[0].capture.ref) != capture_of(number):
                found.append(f"page {number} is not what was stored")
            elif number in entries and entries[number].state is not EntryState.PAGE:
                found.append(f"page {number} is stored but its entry is {entries[number].state}")
    return found


def seal_of(state: Path, count: int) -> str | None:
    """The seal after everything was stored."""
    command = [sys.executable, __file__, "write", str(state), str(count)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open_store(state, "torture", SETTINGS) as store:
        record = store.ledger.runs.run("torture")
        return record.seal if record else None


def torture(folder: Path, kills: int, seed: int) -> tuple[list[str], int]:
    """Faults found, and pages acknowledged, over that many kills; at the end the seals are compared."""
    chance, count = random.Random(seed), 60 * kills
    acknowledged: set[int] = set()
    found: list[str] = []
    for _ in range(kills):
        fresh = kill_once(folder / "disturbed", count, chance)
        if fresh & acknowledged:
            found.append(f"acknowledged twice: {sorted(fresh & acknowledged)}")
        acknowledged |= fresh
        found += faults(folder / "disturbed", fresh)
    found += faults(folder / "disturbed", acknowledged)
    if seal_of(folder / "disturbed", count) != seal_of(folder / "calm", count):
        found.append("the seals differ")
    found += faults(folder / "disturbed", set(range(count)))
    return found, len(acknowledged)


def main() -> None:
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]), int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, acknowledged = torture(Path(folder), args.kills, args.seed)
    print(f"{args.kills} kills, seed {args.seed}: {acknowledged} pages acknowledged, {len(found)} faults")
    for fault in found[:20]:
        print(" ", fault)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
