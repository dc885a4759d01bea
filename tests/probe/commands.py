"""Commands as somebody types them: status, both outputs, and the files that were written."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from probe.answers import normal
from probe.fixed_site import ORIGIN
from probe.world import HERE, NOW, Contents, Program, contents, told_changes

CALLS = Path(__file__).parent / "calls"


class Call(NamedTuple):
    """A call: its name, which stays when commands are renamed; the words, of one command or of several."""

    name: str
    runs: tuple[str, ...]
    before: str = ""
    stdin: str = ""
    moment: str = NOW
    folder: str = "."
    env: dict[str, str] = {}  # noqa: RUF012 # never changed


def read_calls(text: str) -> Iterator[Call]:
    """The calls of a table in TOML: `name = "words"`, or `name = {run = …, before = "shell", stdin = …}`."""
    for group, calls in tomllib.loads(text).items():
        for name, said in calls.items():
            entry: dict[str, Any] = {"run": said} if isinstance(said, (str, list)) else dict(said)
            runs = entry.pop("run")
            yield Call(f"{group}/{name}", (runs,) if isinstance(runs, str) else tuple(runs), **entry)


def filled(text: str) -> str:
    """A text with the addresses of site and world in it."""
    return text.replace("{site}", ORIGIN).replace("{world}", str(HERE))


def shell(program: Program, world: Path, script: str, moment: str = NOW) -> None:
    """What somebody did to the files before."""
    done = program.done(world, ["sh", "-c", filled(script)], env=program.environment("shell", moment))
    if done.returncode:
        raise RuntimeError(f"{script}: {done.returncode}: {_text(done.stderr)}")


def answer_of(program: Program, world: Path, call: Call) -> str:
    """What a call says in this folder, and with which status it ends."""
    if call.before:
        shell(program, world, call.before, call.moment)
    told = [f"# before: {call.before}\n"] if call.before else []
    for words in call.runs:
        environment = program.environment(f"{call.name} {words}", call.moment, call.env)
        argv = program.holdfast(*shlex.split(filled(words)))
        done = program.done(world, argv, filled(call.stdin), env=environment, folder=call.folder)
        told.append(f"$ holdfast {words}\n= {done.returncode}\n")
        for kind, output in (("stdout", done.stdout), ("stderr", done.stderr)):
            if output:
                told.append(f"--- {kind}\n{_text(output)}")
                told.append("" if output.endswith(b"\n") else "\n(no newline)\n")
    return "".join(told)


def _text(output: bytes) -> str:
    return os.fsdecode(output)


def record(program: Program, pristine: Contents, world: Path, call: Call) -> dict[str, str]:
    """A call in a world that is its own."""
    said = answer_of(program, world, call)
    return {f"cli/{call.name}.txt": normal(said + told_changes(pristine, contents(world, pristine)))}
