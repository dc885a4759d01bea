"""`make container`: the image that the Dockerfile describes, built and used.

1. Where a Docker daemon answers, `docker build` does it, and the image is run.
2. Elsewhere its steps are taken as plain commands: what it copies is copied, what it runs is run, with a
   folder for each path of the image and a fresh virtual environment for the image's Python. What belongs to
   the system (`apt-get`, `useradd`) is left out, and said.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
SYSTEM: Final = ("apt-get", "useradd")
PAGE: Final = "<title>T</title><main><h1>Limits</h1><p>At most 100.</p></main>"


class Step(NamedTuple):
    """One line of a Dockerfile."""

    verb: str
    words: str


def steps(text: str) -> list[Step]:
    """The lines that do something, in order."""
    lines = text.replace("\\\n", " ").splitlines()
    return [Step(*line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]


def left_out(path: str, patterns: list[str]) -> bool:
    """Whether .dockerignore keeps a path out of the image."""
    return any(
        fnmatch(path, pattern) or fnmatch(path, f"{pattern}/*") or fnmatch(path, pattern.removeprefix("**/"))
        for pattern in patterns
    )


def copy_tree(into: Path) -> None:
    """What `COPY .` copies: the files that git knows, without what .dockerignore leaves out."""
    patterns = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    known = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in known.splitlines():
        if not left_out(name, patterns):
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, into / name)


def take(step: Step, folder: Path, python: Path) -> None:
    """One step, with the image's absolute paths below `folder`."""
    if step.verb == "COPY":
        *sources, target = [word for word in step.words.split() if not word.startswith("--from")]
        if sources == ["."]:
            copy_tree(folder / target.strip("/"))
        elif "--from" not in step.words:
            for source in sources:
                shutil.copy2(ROOT / source, folder / target.strip("/"))
    elif step.verb == "RUN":
        if step.words.startswith(SYSTEM):
            print(f"left out (the system's): {step.words}", flush=True)
            return
        command = step.words.replace("python3", str(python))
        for name in ("/holdfast", "/wheels"):
            command = command.replace(f" {name}", f" {folder}{name}")
        print(f"$ {command}", flush=True)
        subprocess.run(["bash", "-ec", command], cwd=folder, check=True)


def use(holdfast: list[str], folder: Path) -> None:
    """The program of the image does what it says."""
    (folder / "page.html").write_text(PAGE)
    for words, expected in (
        (["--version", "--verbose"], "holdfast 0."),
        (["url", "canon", "HTTPS://Example.com:443/a/../b"], "https://example.com/b"),
        (["convert", "page.html"], "# Limits"),
    ):
        ran = subprocess.run([*holdfast, *words], cwd=folder, capture_output=True, text=True, check=False)
        assert expected in ran.stdout, f"{words}: {ran.stdout}{ran.stderr}"
        print(f"holdfast {shlex.join(words)}: ok")


def with_docker() -> bool:
    """Whether a Docker daemon answers here."""
    return (
        bool(shutil.which("docker"))
        and not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    )


def main() -> None:
    """Build it, use it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if with_docker():
            subprocess.run(["docker", "build", "-t", "holdfast", str(ROOT)], check=True)
            folder.chmod(0o777)
            use(["docker", "run", "--rm", "--network", "none", "-v", f"{folder}:/data", "holdfast"], folder)
            return
        print("no Docker daemon answers here: the Dockerfile's steps as plain commands", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "python")], check=True)
        for step in steps((ROOT / "Dockerfile").read_text()):
            take(step, folder, folder / "python/bin/python")
        use([str(folder / "python/bin/holdfast")], folder)


if __name__ == "__main__":
    main()
