"""`make lowest`: the tests with the oldest version of every library that `pyproject.toml` allows.

    python tools/lowest.py                   the rooms that use libraries
    python tools/lowest.py tests/faces/web   these tests

1. The environment (`.venv-lowest`) has what `make setup` installs; then each `>=` of an extra becomes `==`.
2. Tools of the tests themselves stay as constraints.txt has them: what is promised is the product's.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / ".venv-lowest"
QUIETLY: Final = ("--quiet", "--disable-pip-version-check")
ROOMS: Final = ("tests/adapters", "tests/disk", "tests/faces", "tests/jobs", "tests/storage")
NOT_THE_PRODUCT: Final = ("dev", "browser", "fuzz", "bench")


def lowest() -> list[str]:
    """The oldest version of each library that an extra asks for."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = [line for extra, lines in extras.items() if extra not in NOT_THE_PRODUCT for line in lines]
    return sorted({re.sub(r",<[^;]*", "", line).replace(">=", "==") for line in asked if ">=" in line})


def main() -> None:
    """Install them, and run the tests."""
    python = FOLDER / "bin" / "python"
    install = (str(python), "-m", "pip", "install", *QUIETLY)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(FOLDER)], check=True)
    subprocess.run([*install, "-c", "constraints.txt", "-e", ".[dev]"], cwd=ROOT, check=True)
    subprocess.run([*install, *lowest()], cwd=ROOT, check=True)
    print("\n".join(lowest()), flush=True)
    rooms = sys.argv[1:] or list(ROOMS)
    sys.exit(
        subprocess.run([str(python), "-m", "pytest", "-n", "2", *rooms], cwd=ROOT, check=False).returncode
    )


if __name__ == "__main__":
    main()
