"""The public library, asked in a process of the checkout's own Python (`ask_library.py`)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from probe.answers import normal
from probe.commands import CALLS, filled
from probe.world import NOW, Contents, Program, contents, told_changes

ASKS = Path(__file__).parent / "ask_library.py"
Recorder = Callable[[Program, Contents, Path], dict[str, str]]


def recorders() -> Iterator[Recorder]:
    """What is to be done, each in a world of its own."""
    groups = tomllib.loads((CALLS / "library.toml").read_text())
    yield partial(_of_one_world, "library/plain", "library", groups["plain"])
    yield partial(_of_one_world, "library/reads", "library", groups["reads"])
    yield partial(_of_one_world, "aio/reads", "aio", groups["reads"])
    for name, expression in groups["writes"].items():
        yield partial(_of_one_world, "library/writes", "library", {name: expression})


def _of_one_world(
    place: str, face: str, calls: dict[str, str], program: Program, pristine: Contents, world: Path
) -> dict[str, str]:
    given = {"face": face, "calls": {name: filled(each) for name, each in calls.items()}}
    environment = program.environment(f"{place} {min(calls)}", NOW)
    done = program.done(world, [str(program.python), str(ASKS)], json.dumps(given), env=environment)
    if done.returncode:
        raise RuntimeError(f"{place}: {done.stderr.decode()[-2000:]}")
    answers = json.loads(done.stdout)
    files = told_changes(pristine, contents(world, pristine)) if len(calls) == 1 else ""
    return {
        f"{place}/{name}.txt": normal(f">>> {calls[name]}\n{answer}{files}")
        for name, answer in answers.items()
    }
