"""Equal facts: what a row answers, beside what the program of commit 6eac8158 answered to the same question.

The stores are those of `tests/probe/stores_911abf59`; the old answers stand in `answers_before*.tar.xz`, a
file a row. `moved/ROW.toml` says what became of them: [calls.FACE] has the new call of each old one,
[keys.FACE] where a leaf of the old answer stands now ([keys_of.CALL] in one answer), [[differs]] each leaf
that is another or gone, [[new]] each that was not there; both with the rule that made it. [[rows]] names the
lists that have another order now. A `*` in a key stands for a place in a
list, and is the same on both sides.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from mcp import Client
from starlette.testclient import TestClient

from helpers.trusting import trust
from holdfast.faces.cli.main import main
from holdfast.faces.mcp.tools import make_server
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access
from holdfast.jobs.served_stores import served_states

HERE = Path(__file__).parent
STORES = HERE.parent / "probe" / "stores_911abf59" / "stores.tar.xz"
ORIGIN = "http://127.0.0.1:47811"

Leaf = tuple[str, Any]


def unpack_world(folder: Path) -> Path:
    """The stores as they were left, converted and trusted; the folder is the shared root."""
    with tarfile.open(STORES) as archive:
        archive.extractall(folder, filter="data")
    world = folder / "world"
    for settings in world.rglob("holdfast.toml"):
        with redirect_stdout(StringIO()) as said:
            assert main(["config", "import", str(settings)]) == 0
        settings.write_text(said.getvalue())
    for store in (world, world / "own"):
        assert main(["store", "migrate", "--store", str(store / ".holdfast")]) == 0
    trust(world)
    return world


def answers_before(row: str) -> list[dict[str, Any]]:
    """What the old program answered: face, call, status, and what it said; nothing of what only did."""
    for file in sorted(HERE.glob("answers_before*.tar.xz")):
        with tarfile.open(file) as archive:
            if f"{row}.json" in archive.getnames():
                return json.load(archive.extractfile(f"{row}.json"))
    return []


def moved(row: str) -> dict[str, Any]:
    """What became of the old answers."""
    if not answers_before(row):
        return {"calls": {}, "keys": {}}
    return tomllib.loads((HERE / "moved" / f"{row}.toml").read_text(encoding="utf-8"))


def leaves(value: Any, place: str = "") -> Iterator[Leaf]:
    """Every leaf of an answer with its place: `parts.0.page.url`. What is empty is a leaf."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not value or not isinstance(value, dict | list):
        yield place, value
    for key, each in inner:
        yield from leaves(each, f"{place}.{key}" if place else str(key))


def new_place(place: str, keys: dict[str, str]) -> str:
    """Where a leaf stands now: by the longest key that it begins with."""
    for old, new in sorted(keys.items(), key=lambda pair: -len(pair[0])):
        found = re.match(re.escape(old).replace(r"\*", r"(\d+)") + r"(?:\.|\Z)", place) if old else True
        if found:
            begin, rest = new, place
            if found is not True:
                rest = place[found.end() :]
                for number in found.groups():
                    begin = begin.replace("*", number, 1)
            return ".".join(filter(None, (begin, rest)))
    return place


def fits(pattern: str, place: str) -> bool:
    """Whether a pattern of a list of differences means a place; `**` at its end is all below."""
    text = re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", r"\d+")
    return re.fullmatch(text, place) is not None


def in_old_order(before: Any, said: Any, rows: list[dict[str, Any]], face: str) -> Any:
    """An answer whose lists have the rows of the old answer first, in their order. `[[rows]]` names a list
    and the keys by which a row is the same.
    """
    for told in (each for each in rows if face in each["faces"]):
        name, by = told["list"], told["by"]
        if not isinstance(said, dict) or name not in before or name not in said:
            continue
        wanted = [tuple(row[key] for key in by) for row in before[name]]
        order = {row: number for number, row in enumerate(wanted)}
        rank = [order.get(tuple(row[key] for key in by), len(wanted)) for row in said[name]]
        said = {**said, name: [said[name][n] for n in sorted(range(len(rank)), key=rank.__getitem__)]}
    return said


def differences(
    before: dict[str, Any], status: Any, said: Any, keys: dict[str, str]
) -> Iterator[tuple[str, str, str]]:
    """What is not as it was: `differs` or `new`, the place, and what stood there and stands now."""
    if status != before["status"]:
        yield "differs", "status", f"{before['status']} → {status}"
    now = dict(leaves(said))
    seen = set()
    for place, value in leaves(before["said"]):
        new = new_place(place, keys)
        seen.add(new)
        if new not in now or now[new] != value:
            yield "differs", place, f"{value!r:.200} → {now.get(new, 'gone')!r:.200}"
    for place in sorted(set(now) - seen):
        yield "new", place, repr(now[place])[:200]


class Faces:
    """The faces over one world."""

    def __init__(self, world: Path, run: Any) -> None:
        self._run = run
        self._sources = served_states([world], {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]})
        self._client = TestClient(make_app(self._sources, Access()), base_url="http://127.0.0.1:8470")

    def ask(self, face: str, call: Any) -> tuple[Any, Any]:
        """Ask by a face: the status, and what was said, as JSON or as words."""
        if face == "cli":
            done = self._run(*shlex.split(call.replace("{o}", ORIGIN)), "--json")
            return done.status, json.loads(done.out) if done.out.strip() else done.err
        if face == "api":
            got = self._client.get(f"/api/v1/{call.replace('{o}', ORIGIN)}")
            return got.status_code, got.json()
        return asyncio.run(self._tool(*call))

    async def _tool(self, name: str, given: dict[str, Any]) -> tuple[str, Any]:
        filled = {
            key: each.replace("{o}", ORIGIN) if isinstance(each, str) else each for key, each in given.items()
        }
        async with Client(make_server(self._sources)) as client:
            found = await client.call_tool(name, filled)
            return ("error", found.content[0].text) if found.is_error else ("ok", found.structured_content)
