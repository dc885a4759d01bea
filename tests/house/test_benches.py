"""Benchmarks keep up with the code: each can be loaded, though they are run by hand (`make bench`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[2] / "bench"
LOAD = """
import pathlib, runpy, sys
bench = pathlib.Path(sys.argv[1])
for file in sorted(bench.glob("*.py")):
    sys.path.insert(0, str(bench))
    try:
        runpy.run_path(str(file), run_name="loaded")
    except ModuleNotFoundError as error:
        if error.name.startswith("holdfast") or (bench / f"{error.name}.py").exists():
            raise
"""


def test_every_benchmark_can_be_loaded_where_its_peers_are():
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(BENCH)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
