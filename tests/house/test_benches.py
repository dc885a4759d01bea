"""Benchmarks keep up with the code: each can be loaded, though they are run by hand (`make bench`)."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
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


def test_the_page_of_results_names_no_folder_of_the_machine(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    bench = import_module("all")
    printed = f"serving big ({tmp_path}/x/big); {bench.ROOT}/docs"
    ran = bench.Ran(bench.STEPS[0], 1.0, printed, "", (), ())

    written = bench.page([ran], 0.5)

    assert "serving big (…/x/big); …/docs" in written
    assert str(tmp_path) not in written
