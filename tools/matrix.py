"""`make matrix`: the tests on every Python that Holdfast supports and this machine has.

    python tools/matrix.py             the rooms that run anywhere
    python tools/matrix.py tests/core  these tests

1. Pythons are found by their names (`python3.12`) in every folder of the PATH, and among those that pyenv
   keeps. A system's 3.11.2 beside one's own 3.11.7 are two: `re` reads some patterns otherwise in the first.
2. Each has an environment of its own (`.venv-3.12.1`), made once, with the versions of constraints.txt: with
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
ROOMS: Final = ("tests/core", "tests/properties", "tests/house", "tests/faces")


def interpreters() -> dict[str, Path]:
    """The Pythons that are here, by their exact version, in order."""
    found: dict[str, Path] = {}
    for version in VERSIONS:
        for path in _candidates(version):
            exact = _exact_version(path)
            if exact is not None and exact.startswith(f"{version}."):
                found.setdefault(exact, path)
    return dict(sorted(found.items(), key=lambda each: _numbers(each[0])))


def _candidates(version: str) -> list[Path]:
    named = [Path(folder) / f"python{version}" for folder in os.environ["PATH"].split(os.pathsep)]
    return [path for path in (*named, *_pyenv_versions().glob(f"{version}.*/bin/python")) if path.exists()]


def _pyenv_versions() -> Path:
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return ROOT / ".no-pyenv"
    ran = subprocess.run([pyenv, "root"], capture_output=True, text=True, check=False)
    return Path(ran.stdout.strip()) / "versions"


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _exact_version(path: Path) -> str | None:
    """Its version; None where it does not start (an inactive shim) or cannot make environments."""
    code = "import sys, ensurepip, venv; print('%d.%d.%d' % sys.version_info[:3])"
    ran = subprocess.run([str(path), "-c", code], capture_output=True, text=True, check=False)
    return ran.stdout.strip() if ran.returncode == 0 else None


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
        if not any(exact.startswith(f"{version}.") for exact in here):
            print(f"Python {version}: not on this machine")
    for version, interpreter in here.items():
        print(f"Python {version}: {', '.join(rooms)}", flush=True)
        python = environment(version, interpreter)
        ran = subprocess.run([str(python), "-m", "pytest", "-n", "2", *rooms], cwd=ROOT, env=own, check=False)
        if ran.returncode:
            failed.append(version)
    if failed:
        sys.exit(f"failed on Python {', '.join(failed)}")


if __name__ == "__main__":
    main()
