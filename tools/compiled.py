"""Compile the modules that do most of the work, with mypyc; interpreted they do the same, only slower.

    python tools/compiled.py               compile beside the sources what is not up to date
    python tools/compiled.py --into DIR    compile into another folder
    python tools/compiled.py --clean       interpreted again
    python tools/compiled.py --drop-stale  interpreted again, if what is compiled is out of date

1. `[tool.holdfast] compiled` in pyproject.toml names the modules. They are plain Python: nothing in them is
   there for the compiler, and tests hold both forms together.
2. Without a C compiler or Python's headers nothing is compiled, and that is no failure. A module that does
   not compile is one.
3. A compiled module hides its source. So `make` compiles again what changed, and the tests refuse to run
   with what is out of date.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
STAMP = f".compiled{SUFFIX}.sha256"


def modules() -> list[str]:
    """The files to compile, as paths below the sources."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        folders = tomllib.load(file)["tool"]["holdfast"]["compiled"]
    files = (path for folder in folders for path in sorted((SOURCES / folder).glob("*.py")))
    return [str(path.relative_to(SOURCES)) for path in files if path.name != "__init__.py"]


def digest() -> str:
    """What the compiled form is made of."""
    whole = hashlib.sha256(SUFFIX.encode())
    for path in (Path(__file__), *(SOURCES / name for name in modules())):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def compiled_files() -> list[Path]:
    """The compiled modules beside the sources, of this Python."""
    return sorted(path for path in SOURCES.rglob(f"*{SUFFIX}"))


def is_stale() -> bool:
    """Whether compiled modules hide sources that they were not made of."""
    stamp = SOURCES / STAMP
    return bool(compiled_files()) and (not stamp.is_file() or stamp.read_text() != digest())


def clean() -> None:
    """Remove the compiled modules."""
    for path in (*compiled_files(), SOURCES / STAMP):
        path.unlink(missing_ok=True)


def missing() -> str | None:
    """What a compiler needs and this machine has not."""
    compiler = os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler.split()[0]) is None:
        return f"there is no C compiler ({compiler.split()[0]})"
    if not Path(sysconfig.get_paths()["include"], "Python.h").is_file():
        return "Python's C headers are not installed"
    return None


def compile_into(target: Path) -> None:
    """Compile everything; the work is done in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copytree(SOURCES, work / "src", ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"))
        ran = subprocess.run(
            [sys.executable, "-c", _SETUP, str(work / "built"), *modules()],
            cwd=work / "src",
            env={**os.environ, "MYPYPATH": "."},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            sys.exit(f"{ran.stdout[-4000:]}\ncompiling failed; what mypyc says is above")
        for path in (work / "built").rglob(f"*{SUFFIX}"):
            place = target / path.relative_to(work / "built")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)


_SETUP = """
import sys
from mypyc.build import mypycify
from setuptools import setup
built, *paths = sys.argv[1:]
paths = ["--ignore-missing-imports", *paths]
extensions = mypycify(paths, opt_level="3", debug_level="0", group_name="holdfast")
setup(name="holdfast", ext_modules=extensions, packages=[],
      script_args=["-q", "build_ext", "--build-lib", built, "--build-temp", built + "-work", "-j2"])
"""


def main() -> None:
    """Do what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--into", type=Path, metavar="DIR")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--drop-stale", action="store_true")
    arguments = parser.parse_args()
    if arguments.clean or arguments.drop_stale:
        if arguments.clean or is_stale():
            clean()
        return
    lacking = missing()
    if lacking is not None:
        clean()
        print(f"{lacking}: Holdfast runs interpreted, which is slower but the same", file=sys.stderr)
    elif arguments.into is not None:
        compile_into(arguments.into)
    elif is_stale() or not compiled_files():
        clean()
        print(f"compiling {len(modules())} modules, which takes a minute …", file=sys.stderr)
        compile_into(SOURCES)
        (SOURCES / STAMP).write_text(digest())


if __name__ == "__main__":
    main()
