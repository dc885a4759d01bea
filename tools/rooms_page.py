"""docs/internals/rooms.md and the index of decisions, from contracts, imports and first sentences."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from reference_pages import MADE

__all__ = ["decisions_page", "rooms_page"]

_ROOT = Path(__file__).parents[1]
_SRC = _ROOT / "src" / "holdfast"


def rooms_page() -> str:
    """The rooms as layers, and which of them use which: a picture made of the code."""
    layers = [[room.strip() for room in layer.split("|")] for layer in _layers()]
    lines = [
        MADE,
        "# The rooms\n",
        "Each layer may use those below it (the contract in `pyproject.toml`); an arrow says that it does.\n",
        "```mermaid",
        "flowchart TB",
    ]
    for number, rooms in enumerate(layers):
        lines += [f"  subgraph layer{number} [ ]", *(f"    {_id(room)}[{room}]" for room in rooms), "  end"]
    lines += [f"  {_id(user)} --> {_id(used)}" for user, used in sorted(_uses())]
    lines += ["```\n", "| room | what it is |", "|---|---|"]
    lines += [f"| `{room}` | {_about(room)} |" for rooms in layers for room in rooms]
    return "\n".join(lines) + "\n"


def decisions_page() -> str:
    """The decisions, by subject: each page's title and its first sentence."""
    lines = [
        MADE,
        "# Decisions\n",
        "Why things are as they are. A page has one subject: what holds today, why, what was tried, figures.",
        "Git has what no longer holds.\n",
        "| subject | what was decided |",
        "|---|---|",
    ]
    for path in sorted((_ROOT / "docs" / "internals" / "decisions").glob("*.md")):
        if path.name != "index.md":
            title, sentence, *_ = path.read_text(encoding="utf-8").split("\n\n", 2)
            lines.append(f"| [{title.removeprefix('# ')}]({path.name}) | {' '.join(sentence.split())} |")
    return "\n".join(lines) + "\n"


def _layers() -> list[str]:
    contracts = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers: list[str] = next(one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    return layers


def _id(room: str) -> str:
    return room.strip("_")


def _uses() -> set[tuple[str, str]]:
    found = set()
    for path in _SRC.rglob("*.py"):
        own = path.relative_to(_SRC).parts[0].removesuffix(".py")
        if own != "__init__":
            found |= {(own, used) for used in _imported(path) if used != own}
    return found


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("holdfast."):
            yield node.module.split(".")[1]


def _about(room: str) -> str:
    file = _SRC / f"{room}.py" if (_SRC / f"{room}.py").is_file() else _SRC / room / "__init__.py"
    about = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return about.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")
