"""Bytecode for everybody's Python, as installed programs have it: without it, a start is measured that reads
its sources.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "holdfast"


def environment() -> dict[str, str]:
    """This one, but for what keeps Python from using its bytecode."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    return {key: value for key, value in os.environ.items() if key not in unwanted}


def write_bytecode() -> None:
    """The package's, whether or not somebody has run it since it was changed."""
    subprocess.run([sys.executable, "-m", "compileall", "-q", PACKAGE], env=environment(), check=True)
