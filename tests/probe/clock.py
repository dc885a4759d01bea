"""The program's wall clock, and what it draws: a library is put before the system's (`fixed_clock.c`).

The command has no setting for the time, by design. A launcher in Python would have to know the name of the
clock's adapter, or replace `datetime` for everybody; this stands below all names, and holds for SQLite, for
the native reader and for every process that is started. Debian's libfaketime 0.9.10 was tried first: under
its library for threads `time.sleep` fails (EINVAL).

A new ledger draws its id (SQLite's `randomblob`), and the archive's record ids follow from it. Every call
draws from bytes made of its own name: two ledgers have two ids, and the same in every recording.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

SOURCE = Path(__file__).parent / "fixed_clock.c"


class NoClockError(Exception):
    """The clock cannot be set on this machine."""


def compiler() -> str | None:
    return shutil.which("cc")


def make_clock(folder: Path) -> Path:
    """The library, made anew (a tenth of a second)."""
    found = compiler()
    if found is None:
        raise NoClockError("the probe sets the program's clock by a library in C: there is no cc here")
    made = folder / "fixed_clock.so"
    subprocess.run([found, "-O1", "-shared", "-fPIC", "-o", made, SOURCE], check=True)
    return made


def at(library: Path, moment: str, name: str) -> dict[str, str]:
    """The environment in which it is that moment, in UTC (`2026-05-04 10:00`), for the call of this name."""
    seconds = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())
    drawn = hashlib.sha256(name.encode()).digest()
    chance = library.parent / f"chance-{drawn.hex()[:16]}"
    chance.write_bytes(drawn * 32)
    return {
        "LD_PRELOAD": str(library),
        "PROBE_NOW": str(seconds),
        "PROBE_CHANCE": str(chance),
        "PYTHONHASHSEED": "0",
        "TZ": "UTC",
    }
