"""`make new-user`: what a new user does, on a machine that has only what the README asks for.

1. A fresh clone of what is committed, a fresh home, no virtual environment, no compiler on the PATH.
2. README top to bottom: its first command (`make demo`), then, with the tests' tools, every block of README
   as it is written, in order, in one folder, against a site on loopback (the test of the sessions, run in
   that clone).
3. What each step took is printed. The other path of a new user, `pip install` of the built wheel with each
   extra, is `make test-wheel`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from try_wheel import ROOT, without_compilers

KEPT: Final = ("LANG", "PATH", "SSL_CERT_FILE")
README: Final = ("-q", "-n", "0", "-p", "no:cacheprovider", "tests/sessions/test_sessions.py", "-k", "README")


def surroundings(folder: Path) -> dict[str, str]:
    """What a fresh login has: a home, a PATH, and how this machine's pip reaches its packages."""
    here = without_compilers(folder / "programs")
    (folder / "home").mkdir()
    kept = {name: text for name, text in here.items() if name in KEPT or name.startswith("PIP_")}
    return kept | {"HOME": str(folder / "home")}


def take(words: list[str], folder: Path, own: dict[str, str]) -> None:
    """Run a command as the new user, show what it says, and how long it took."""
    print(f"\n$ {' '.join(words)}", flush=True)
    begun = time.monotonic()
    ran = subprocess.run(words, cwd=folder, env=own, check=False)
    print(f"({time.monotonic() - begun:.0f} s)", flush=True)
    if ran.returncode:
        sys.exit(f"{' '.join(words)}: status {ran.returncode}")


def main() -> None:
    """Walk the README's way."""
    python = Path(sys.base_prefix) / "bin" / "python3"
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        own = surroundings(folder)
        take(["git", "clone", "--quiet", "--no-local", str(ROOT), "holdfast"], folder, own)
        clone = folder / "holdfast"
        take(["make", "demo", f"PYTHON={python}"], clone, own)
        take([".venv/bin/holdfast", "--version", "--verbose"], clone, own)
        take(["make", "setup", f"PYTHON={python}"], clone, own)
        take([".venv/bin/python", "-m", "pytest", *README], clone, own)
    print("\nREADME works from top to bottom")


if __name__ == "__main__":
    main()
