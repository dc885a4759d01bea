"""`make wheel`: the sdist, and the wheel that is built of the sdist, in `dist/`.

1. The wheel is made of what the sdist unpacks to: what is missing there is missing for everybody who has no
   checkout, and shows here.
2. Where there is cargo the wheel holds the native reader; what was compiled before is used again.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"


def build(dist: Path = DIST) -> tuple[Path, Path]:
    """The sdist and the wheel; what lay there of an earlier build is removed."""
    dist.mkdir(parents=True, exist_ok=True)
    for old in (*dist.glob("holdfast-*.tar.gz"), *dist.glob("holdfast-*.whl")):
        old.unlink()
    sdist = build_sdist(dist)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (unpacked,) = Path(folder).iterdir()
        _hatchling("wheel", dist, unpacked)
    (wheel,) = dist.glob("holdfast-*.whl")
    return sdist, wheel


def build_sdist(dist: Path) -> Path:
    """The sdist alone."""
    _hatchling("sdist", dist, ROOT)
    (sdist,) = dist.glob("holdfast-*.tar.gz")
    return sdist


def _hatchling(target: str, dist: Path, folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(dist.absolute())],
        cwd=folder,
        env={"CARGO_TARGET_DIR": str(ROOT / "native" / "target"), **os.environ},
        check=True,
        stdout=subprocess.DEVNULL,
    )


if __name__ == "__main__":
    for file in build():
        print(f"{file.stat().st_size / 1e6:6.2f} MB  {file.relative_to(ROOT)}")
