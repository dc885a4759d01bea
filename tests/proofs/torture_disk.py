"""`make torture`: commands killed, and power cut, at their every change; then started again and compared.

    python tests/proofs/torture_disk.py [--kills N] [--cuts N] [--only NAME …] [--seed N] [--all]

Kills and cuts are spread over the scenarios of `disk.scenarios`. A cut is tried on each kind of disk that
`disk.simulated_disk` knows; `--all` tries every change on every disk.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from disk.scenarios import SCENARIOS, TinySite
from disk.simulated_disk import Disk
from disk.stage import Stage
from disk.trials import Ground, Tally, Trials, counted

DISKS = (Disk.ORDERED, Disk.LAZY, Disk.STRICT, Disk.ANY)


def spread(total: int, parts: int) -> list[int]:
    return [total // parts + (number < total % parts) for number in range(parts)]


def kill(trials: Trials, number: int, chance: Random) -> Tally:
    tally = Tally()
    while tally.kills < number:
        tally += trials.kill(chance, min(chance.randint(1, 3), number - tally.kills))
    return tally


def cut(trials: Trials, number: int, chance: Random, *, everywhere: bool) -> Tally:
    tally, last = Tally(), len(trials.changes)
    for disk, share in zip(DISKS, spread(number, len(DISKS)), strict=True):
        cuts = (
            list(range(last + 1))
            if everywhere
            else [last, *(chance.randint(0, last) for _ in range(share - 1))]
        )
        tally += trials.cut(disk, cuts, chance, twice=0.2)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--only", nargs="*", default=list(SCENARIOS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    killed, cuts, site = Tally(), Tally(), TinySite()
    began = time.monotonic()
    memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder, site.serve() as origin, Stage() as stage:
        ground = Ground(Path(folder).resolve() / "ground", site, origin, stage)
        shares = zip(spread(args.kills, len(args.only)), spread(args.cuts, len(args.only)), strict=True)
        for name, (kills, share) in zip(args.only, shares, strict=True):
            chance = Random(f"{args.seed} {name}")
            trials = Trials(ground, SCENARIOS[name])
            mine = kill(trials, kills, chance), cut(trials, share, chance, everywhere=args.all)
            print(f"{name} ({len(trials.changes)} changes): {mine[0]}; {mine[1]}", flush=True)
            for fault in counted([*mine[0].lost, *mine[0].differing, *mine[1].lost, *mine[1].differing])[:20]:
                print("   ", fault, flush=True)
            killed += mine[0]
            cuts += mine[1]
    print(f"{killed}\n{cuts}\nseed {args.seed}, {time.monotonic() - began:.0f} s")
    return 1 if [*killed.lost, *killed.differing, *cuts.lost, *cuts.differing] else 0


if __name__ == "__main__":
    raise SystemExit(main())
