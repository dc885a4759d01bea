"""A whole recording: the store is made, and everything is asked, in two processes at a time."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from helpers import network
from probe import http_calls, library, stdio_calls, store
from probe.answers import normal
from probe.commands import CALLS, Call, read_calls, record
from probe.fixed_site import FixedSite
from probe.world import HERE, Contents, Program, contents, copy_world, probe_program

AT_ONCE = 2
Recorder = Callable[[Program, Contents, Path], dict[str, str]]


class Bench:
    """A program, the store it made, and a copy of that for whoever asks."""

    def __init__(self, program: Program, world: Path, pristine: Contents) -> None:
        self.program, self._world, self._pristine = program, world, pristine
        self._copies = 0

    def ask(self, recorder: Recorder) -> dict[str, str]:
        """What a recorder finds, in a copy of the world that is gone afterwards."""
        self._copies += 1
        copy = (
            HERE
            if not self.program.is_apart
            else self._world.parent / f"copy-{self._copies:04}-{id(recorder)}"
        )
        copy_world(self._world, copy)
        here = str(self.program.programs)  # the one thing that two checkouts may not have alike
        try:
            found = recorder(self.program, self._pristine, copy)
            return {name: text.replace(here, "{programs}") for name, text in found.items()}
        finally:
            shutil.rmtree(copy)


@contextmanager
def bench(
    checkout: Path, steps: Iterable[store.Step] = store.STEPS, *, tell: Callable[[str], None] = print
) -> Iterator[tuple[Bench, dict[str, str]]]:
    """A bench, and how its store was made. From here on the network is loopback alone, where that can be."""
    network.stay_here()
    if not (sys.platform == "linux" and network.is_apart()):
        tell("no network namespace of its own: the loopback of this machine is used")
    with tempfile.TemporaryDirectory(prefix="hf-probe-") as top, FixedSite() as site:
        program = probe_program(checkout, Path(top))
        if not program.is_apart:
            tell("no mounts of its own: one call at a time")
        world = Path(top) / "world"
        made = store.build(program, site, world if program.is_apart else HERE, steps)
        if not program.is_apart:
            HERE.rename(world)
        yield Bench(program, world, contents(world)), made


def whole(checkout: Path, *, tell: Callable[[str], None] = print) -> dict[str, str]:
    """Everything that is asked."""
    with (
        bench(checkout, tell=tell) as (asked, made),
        ThreadPoolExecutor(AT_ONCE if asked.program.is_apart else 1) as pool,
    ):
        recording = made | published(checkout)
        for found in pool.map(asked.ask, _recorders(asked)):
            recording.update(found)
    return recording


def _recorders(asked: Bench) -> Iterator[Recorder]:
    yield from http_calls.recorders()
    yield from stdio_calls.recorders()
    yield from library.recorders()
    for call in (*read_calls((CALLS / "cli.toml").read_text()), *_helps(asked.program)):
        yield partial(of_command, call)


def of_command(call: Call, program: Program, pristine: Contents, world: Path) -> dict[str, str]:
    """A recorder of a command."""
    return record(program, pristine, world, call)


def _helps(program: Program) -> Iterator[Call]:
    """The help of every command that the program lists."""
    listed = subprocess.run(program.holdfast("--help"), capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  ([a-z]+)  +\w", listed, re.MULTILINE):
        yield Call(f"help/{name}", (f"{name} --help",))


def published(checkout: Path) -> dict[str, str]:
    """The files that come with the program: man pages and JSON Schemas."""
    folders = (checkout / "docs" / "man", checkout / "docs" / "reference" / "schemas")
    files = (file for folder in folders for file in sorted(folder.iterdir()) if file.is_file())
    return {f"published/{file.parent.name}/{file.name}": normal(file.read_text()) for file in files}
