"""`make torture`: a mirror of 500 pages, killed with -9 at random moments, resumed each time.

    python tests/proofs/torture_mirror.py [KILLS] [SEED]

After every few kills the mirror is finished, compared with that of an undisturbed run, and begun anew.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.sites.command import fingerprint, mirror, start_mirror
from helpers.sites.tangled import tangled_site

PAGES = 500
KILLS_A_ROUND = 10


def main(kills: int, seed: int) -> int:
    chance = random.Random(seed)
    work = Path(tempfile.mkdtemp(prefix="holdfast-torture-"))
    differences = 0
    with tangled_site(PAGES).serve() as origin:
        source = f"{origin}/1"
        began = time.monotonic()
        mirror(source, work / "calm", "--discover", "links")
        whole = time.monotonic() - began
        expected = fingerprint(work / "calm")
        print(f"undisturbed: {len(expected)} files compared, {whole:.1f} s")
        done = 0
        while done < kills:
            output = work / f"killed-{done}"
            for _ in range(min(KILLS_A_ROUND, kills - done)):
                process = start_mirror(source, output, "--discover", "links")
                time.sleep(0.3 + chance.random() * whole * 0.5)
                process.kill()
                process.communicate()
                done += 1
            mirror(source, output, "--discover", "links")
            same = fingerprint(output) == expected
            differences += not same
            print(f"{done}/{kills} kills: {'equal' if same else 'DIFFERENT'}", flush=True)
            shutil.rmtree(output)
    shutil.rmtree(work)
    return 1 if differences else 0


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    raise SystemExit(main(number, int(sys.argv[2]) if len(sys.argv) > 2 else 1))
