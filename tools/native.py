"""Build the native reader (`native/`) where there is cargo; without it Python reads the same, only slower.

    python tools/native.py              build beside the sources
    python tools/native.py --into DIR   build into another folder
    python tools/native.py --clean      remove what was built beside the sources

1. Without cargo nothing is built, and that is no failure. A reader that does not compile is one.
2. One file serves every Python from 3.11 on (abi3).
3. Cargo goes by the times of files, and those of an unpacked sdist are years old: what differs from the last
   build in the same target folder is touched, or a wheel would hold the reader of then.
4. `digest` says what it is made of, and stands beside it: tests refuse to run with one that is out of date.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CRATE = ROOT / "native"
PLACE = Path("holdfast", "core", "page")
SUFFIX = ".pyd" if sys.platform == "win32" else ".abi3.so"
BUILT = {"win32": "_native.dll", "darwin": "lib_native.dylib"}.get(sys.platform, "lib_native.so")


def library(sources: Path = ROOT / "src") -> Path:
    """Where the reader is below a folder of sources."""
    return sources / PLACE / f"_native{SUFFIX}"


def digest() -> str:
    """What the reader is made of."""
    whole = hashlib.sha256()
    for path in (CRATE / "Cargo.toml", *sorted((CRATE / "src").rglob("*.rs"))):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def is_stale() -> bool:
    """Whether there is a reader that was made of something else."""
    stamp = _stamp(library())
    return library().exists() and (not stamp.exists() or stamp.read_text() != digest())


def build(into: Path) -> Path | None:
    """Build it below a folder of sources; None where there is no cargo."""
    if shutil.which("cargo") is None:
        return None
    place = library(into)
    if into == ROOT / "src" and place.exists() and not is_stale():
        return place
    made = digest()
    target = Path(os.environ.get("CARGO_TARGET_DIR") or CRATE / "target")
    last = target / "holdfast.sha256"
    if not last.exists() or last.read_text() != made:
        (CRATE / "src" / "lib.rs").touch()
    subprocess.run(
        ["cargo", "build", "--release", "--manifest-path", str(CRATE / "Cargo.toml")],
        env={**os.environ, "PYO3_PYTHON": sys.executable, "CARGO_TARGET_DIR": str(target)},
        check=True,
    )
    last.write_text(made)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_suffix(".draft")  # a process may have the old one open
    shutil.copy(target / "release" / BUILT, draft)
    draft.replace(place)
    _stamp(place).write_text(made)
    return place


def _stamp(place: Path) -> Path:
    return place.with_suffix(".sha256")


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--into", type=Path, metavar="DIR", default=ROOT / "src")
    parser.add_argument("--clean", action="store_true")
    arguments = parser.parse_args()
    if arguments.clean:
        for path in (library(), _stamp(library())):
            path.unlink(missing_ok=True)
        return
    try:
        built = build(arguments.into)
    except subprocess.CalledProcessError:
        sys.exit("the native reader does not compile; what cargo says is above")
    words = "the native reader is built" if built else "there is no cargo: Python reads, only slower"
    print(words, file=sys.stderr)


if __name__ == "__main__":
    main()
