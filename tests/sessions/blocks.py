"""The commands of a page: its `sh`, `console` and `python` blocks, in order.

In a `console` block a line that begins with `$ ` is a command; what follows is an example of what it prints.
`<!-- exits N -->` before a block says how its last command ends, `<!-- not run: WHY -->` why it is not
run. A comment at the end of a line is the shell's own.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(
    r"(?:<!-- (?:exits (?P<exits>\d+)|not run: (?P<why>[^>]+?)) -->\n)?"
    r"```(?P<kind>sh|console|python)\n(?P<text>.*?)```",
    re.DOTALL,
)


class Block(NamedTuple):
    """One block: the commands it is, how the last one ends, and why it is not run, where it is not."""

    line: int
    commands: list[str]
    status: int
    why_not: str | None


def blocks_of(page: Path) -> list[Block]:
    """Every block of a page that shows commands."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            text.count("\n", 0, found.start()) + 1,
            _commands(found["kind"], found["text"]),
            int(found["exits"] or 0),
            found["why"],
        )
        for found in _BLOCK.finditer(text)
    ]


def _commands(kind: str, text: str) -> list[str]:
    if kind == "python":
        return [f"{shlex.quote(sys.executable)} - <<'END'\n{text}END"]
    if kind == "sh":
        return text.splitlines()
    return [line[2:] for line in text.splitlines() if line.startswith("$ ")]
