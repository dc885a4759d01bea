"""`make matrix`: the tests on every Python that Holdfast supports and this machine has.

    python tools/matrix.py             the rooms that run anywhere
    python tools/matrix.py tests/core  these tests

1. A Python is found by its name (`python3.12`) on the PATH, or among the versions that pyenv keeps.
2. Each has an environment of its own (`.venv-3.12`), made once, with the versions of constraints.txt: with
   Playwright where `make browser` brought axe-core.
3. Programs that tests start (an S3 server, from `make s3`) are found beside the Python that runs this.
4. A Python that is not here is named, and that is not a failure; a failing one is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
QUIETLY: Final = ("--quiet", "--disable-pip-version-check", "-c", "constraints.txt")
ROOMS: Final = ("tests/core", "tests/formats", "tests/properties", "tests/house", "tests/faces")


def interpreters() -> dict[str, Path]:
    """The Pythons that are here, by version."""
    found = {version: _interpreter(version) for version in VERSIONS}
    return {version: path for version, path in found.items() if path is not None}


def _interpreter(version: str) -> Path | None:
    kept = sorted(_pyenv_versions().glob(f"{version}.*/bin/python"), key=_patch)
    for path in (shutil.which(f"python{version}"), *reversed(kept)):
        if path is not None and _runs_as(Path(path), version):
            return Path(path)
    return None


def _pyenv_versions() -> Path:
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return ROOT / ".no-pyenv"
    ran = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
    return Path(ran.stdout.strip()) / "versions"


def _patch(path: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in path.parents[1].name.split(".") if part.isdigit())


def _runs_as(path: Path, version: str) -> bool:
    """Whether it starts, is that version, and can make environments; a shim may name what is not active."""
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    ran = subprocess.run([str(path), "-c", code], capture_output=True, text=True, check=False)
    return ran.returncode == 0 and ran.stdout.strip() == version


def environment(version: str, interpreter: Path) -> Path:
    """The Python of an environment that has all that the tests need."""
    folder = ROOT / f".venv-{version}"
    python, ready = folder / "bin" / "python", folder / ".ready"
    if not ready.exists() or ready.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        subprocess.run([str(interpreter), "-m", "venv", str(folder)], check=True)
        extras = ".[dev,browser]" if (ROOT / ".browser").is_dir() else ".[dev]"
        for packages in (["--upgrade", "pip"], ["-e", extras]):
            subprocess.run([str(python), "-m", "pip", "install", *QUIETLY, *packages], cwd=ROOT, check=True)
        ready.touch()
    return python


def main() -> None:
    """Run them, one Python after the other."""
    rooms, here, failed = sys.argv[1:] or list(ROOMS), interpreters(), []
    own = os.environ | {"PATH": os.pathsep.join((os.environ["PATH"], str(Path(sys.executable).parent)))}
    for version in VERSIONS:
        if version not in here:
            print(f"Python {version}: not on this machine")
            continue
        print(f"Python {version}: {', '.join(rooms)}", flush=True)
        python = environment(version, here[version])
        ran = subprocess.run([str(python), "-m", "pytest", "-n", "2", *rooms], cwd=ROOT, env=own, check=False)
        if ran.returncode:
            failed.append(version)
    if failed:
        sys.exit(f"failed on Python {', '.join(failed)}")


if __name__ == "__main__":
    main()
