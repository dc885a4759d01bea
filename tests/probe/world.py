"""The program in a world: where a call finds the folder it works in, what it sees, what it leaves behind."""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from probe import clock
from probe.answers import IN_ARCHIVES, normal

NOW = "2026-05-20 12:00"
"""When everything is asked that names no other moment."""
PATIENCE = 120
_BESIDE = ("-wal", "-shm")
_WHOLE = 6_000


HERE = Path("/tmp/hf-probe/world")
"""Where every call finds its copy of the world: the root's path is part of a track's run id."""
_INSIDE = 'mount --bind "$0" "$1" && cd "$2" && shift 2 && exec "$@"'


@dataclass(frozen=True)
class Program:
    """The program of a checkout, as somebody starts it; `clock` is the library that holds its time."""

    programs: Path
    """Where `holdfast` and its Python are."""
    clock: Path
    home: Path
    is_apart: bool
    """Each call has mounts of its own: its world lies at `HERE`; else one world is there at a time."""

    @property
    def python(self) -> Path:
        return self.programs / "python"

    def environment(
        self, name: str, moment: str = NOW, more: Mapping[str, str] | None = None
    ) -> dict[str, str]:
        """All that the program sees of the environment."""
        fixed = {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "COLUMNS": "100",
            "TERM": "dumb",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
        }
        return fixed | clock.at(self.clock, moment, name) | dict(more or {})

    def holdfast(self, *words: str) -> list[str]:
        return [str(self.programs / "holdfast"), *words]

    def started(self, world: Path, argv: Sequence[str], **rest: Any) -> subprocess.Popen[bytes]:
        """Start it in a world, which lies at `HERE` for it."""
        folder = HERE / rest.pop("folder", ".")
        if self.is_apart:
            mounted = ["unshare", "--mount", "sh", "-c", _INSIDE, str(world), str(HERE), str(folder)]
            return subprocess.Popen([*mounted, *argv], cwd="/", **rest)
        return subprocess.Popen(argv, cwd=folder, **rest)

    def done(
        self, world: Path, argv: Sequence[str], stdin: str = "", **rest: Any
    ) -> subprocess.CompletedProcess[bytes]:
        """Start it and wait for its end."""
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with self.started(world, argv, **pipes, **rest) as process:
            try:
                output, errors = process.communicate(stdin.encode(), PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return subprocess.CompletedProcess(argv, process.returncode, output, errors)


def can_be_apart() -> bool:
    """Whether a process here may have mounts of its own."""
    HERE.mkdir(parents=True, exist_ok=True)
    tried = ["unshare", "--mount", "sh", "-c", _INSIDE, str(HERE.parent), str(HERE), str(HERE), "true"]
    try:
        return subprocess.run(tried, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def probe_program(checkout: Path, top: Path) -> Program:
    """The program of a checkout (of this one: of this Python), with a clock and a home below `top`."""
    home = top / "home"
    home.mkdir()
    is_own = checkout.resolve() == Path(__file__).resolve().parents[2]
    programs = Path(sys.executable).parent if is_own else checkout.resolve() / ".venv" / "bin"
    return Program(programs, clock.make_clock(top), home, can_be_apart())


def copy_world(world: Path, to: Path) -> None:
    subprocess.run(["cp", "-a", "--reflink=auto", str(world), str(to)], check=True)


class Kept(NamedTuple):
    """A file: when it was written, how long it is, and its content in a form that is the same twice."""

    written: int
    size: int
    content: str


Contents = Mapping[str, Kept]


def contents(folder: Path, known: Contents | None = None) -> dict[str, Kept]:
    """Every file, by its path; what was not written since is taken from what is known."""
    found = {}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_symlink() or not file.is_file() or name.startswith(".git/") or name.endswith(_BESIDE):
            continue
        now = file.stat()
        before = (known or {}).get(name)
        is_same = before is not None and (before.written, before.size) == (now.st_mtime_ns, now.st_size)
        found[name] = before if before and is_same else Kept(now.st_mtime_ns, now.st_size, _content(file))
    return found


def _content(file: Path) -> str:
    content = file.read_bytes()
    if content.startswith(b"SQLite format 3"):
        return "(a database: told by the questions that are asked of it)"
    if file.name.endswith(".gz"):
        with suppress(EOFError, OSError, zlib.error):  # one that was damaged is told as it is
            content = gzip.decompress(content)
            content = normal(content.decode("latin-1"), IN_ARCHIVES).encode("latin-1")
    try:
        text = normal(content.decode())
    except UnicodeDecodeError:
        text = "\0"
    if len(text) > _WHOLE or "\0" in text:
        content = content if "\0" in text else text.encode()
        return f"({len(content)} bytes, {hashlib.sha256(content).hexdigest()[:16]})"
    return text


def told_changes(before: Contents, after: Contents) -> str:
    """Which files came, changed and went, with their new content."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            lines.append(f"--- file gone: {name}\n")
        elif name not in before or before[name].content != after[name].content:
            kind = "changed" if name in before else "new"
            lines.append(f"--- file {kind}: {name}\n{after[name].content}\n")
    return "".join(lines)
