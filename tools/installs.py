"""What each install can do: the extras, what each brings, and which of them a name of the library needs.

Read by `make test-wheel`, which installs each, and by `tests/house/test_installs.py`, which hides what an
extra would have brought.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Final

from holdfast.faces.cli.parser import COMMANDS

__all__ = ["ROOT", "brought", "extras", "use_commands", "use_library"]

ROOT: Final = Path(__file__).parents[1]
_LISTED: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

_NEEDS: Final = {
    ("check",): "fix check check_plan",
    ("mirror", "postgres"): "list_jobs submit",
    ("mirror",): """
    adopt archive_index back_up backlinks broken changed convert copy_ledger diff drop_notices export
    fetch forget gc graph import_warc items links log migrate_ledger mirror mirror_plan notices notify
    open_reader pack_archive pages rebuild_ledger rekey_ledger remove_orphans reprocess restore runs
    search show site_broken status sync verify
    """,
}
"""Which extras the functions of the library need; all other names need none."""

_CALLS: Final = {
    "canon": "['https://example.com/a']",
    "canonicalize": "'https://example.com/a', holdfast.policy('web')",
    "canonicalize_all": "['https://example.com/a'], holdfast.policy('web')",
    "convert": "'<p>Words'",
    "explain": "'https://example.com/a', holdfast.policy('web')",
    "fetch": "'http://127.0.0.1:1/', allow_private=True, content_rate_limit=0",
    "links": "'nothing.md', store='.'",
    "mirror": "'http://127.0.0.1:1/', output='mirror', content_rate_limit=0, min_free_mb=0",
    "mirror_plan": "'http://127.0.0.1:1/', output='mirror', content_rate_limit=0",
    "notify": "{}",
    "paths": "['https://example.com/a']",
    "policy": "'web'",
    "restore": "'.', store='.'",
    "to_json": "holdfast.canon(['https://example.com/a'])[0]",
    "urls_of": "['example.com/a/index.md']",
    "verify": "'.', store='.'",
}
"""The arguments of functions that would not come to what they need for a word that means nothing to them."""

_USED: Final = """
import asyncio, contextlib, inspect, json, os, re, sys, tempfile
calls, hidden = json.loads(sys.argv[1])

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if any(name == package or name.startswith(package + ".") for package in hidden):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
import holdfast

def wanted(use):
    try:
        made = use()
        if inspect.iscoroutine(made):
            made = asyncio.run(made)
        if inspect.isgenerator(made):
            next(made, None)
        if isinstance(made, contextlib.AbstractContextManager):
            with made:
                pass
    except holdfast.HoldfastError as error:
        found = re.search(r"pip install 'holdfast\\[([a-z0-9]+)\\]'", error.hint or "")
        return found[1] if found else ""
    except OSError:
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""

def arguments(name, function):
    if name in calls:
        return calls[name]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    given = inspect.signature(function).parameters.values()
    return ", ".join("'nothing'" for each in given if each.default is each.empty and each.kind in kinds)

def use(home, name):
    function = getattr(home, name)
    if not inspect.isfunction(function):
        return None
    return eval(f"function({arguments(name, function)})", {"function": function, "holdfast": holdfast})

os.chdir(tempfile.mkdtemp())
os.mkdir(".holdfast")
open(".holdfast/ledger.db", "w").close()
said = {name: wanted(lambda: use(holdfast, name)) for name in holdfast.__all__}
said |= {f"aio.{name}": wanted(lambda: use(holdfast.aio, name)) for name in vars(holdfast.aio)
         if inspect.iscoroutinefunction(getattr(holdfast.aio, name))}
print(json.dumps(said))
"""


_WORDS: Final = {
    "config": [],
    "convert": ["page.html"],
    "diff": ["http://127.0.0.1:1/"],
    "completion": ["bash"],
    "export": ["nothing", "-o", "records"],
    "url probe": ["http://127.0.0.1:1/", "--content-rate-limit", "0"],
    "store prune": [],
    "help": ["mirror"],
    "store import": ["nothing.warc"],
    "config import": ["lychee.toml"],
    "cluster run": [],
    "cluster jobs": [],
    "links": ["nothing.md", "--store", "."],
    "mirror": ["http://127.0.0.1:1/", "-o", "mirror", "--content-rate-limit", "0", "--min-free-mb", "0"],
    "notify": ["send", "--test"],
    "url path": ["https://example.com/"],
    "verify": [".", "--store", "."],
    "check": ["a.md"],
    "fix": ["a.md"],
    "cluster worker": [],
    "lsp": [],
    "mcp": [],
}
"""The words behind a command that would not come to what it needs for a word that means nothing to it."""
_STAYS: Final = ("lsp", "mcp", "serve", "cluster worker", "cluster run")
"""Commands that go on where they have what they need: `steps` of `tools/try_wheel.py` use them."""

_COMMANDED: Final = """
import contextlib, io, json, os, re, sys, tempfile
calls, hidden = json.loads(sys.argv[1])

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if any(name == package or name.startswith(package + ".") for package in hidden):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from holdfast.faces.cli.main import main
os.chdir(tempfile.mkdtemp())
os.mkdir(".holdfast")
open(".holdfast/ledger.db", "w").close()
open("page.html", "w").write("<h1>Words")
open("a.md", "w").write("Words")

def wanted(words):
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    try:
        with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out):
            main(words)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    found = re.search(r"pip install 'holdfast\\[([a-z0-9]+)\\]'", out.buffer.getvalue().decode())
    return found[1] if found else ""

print(json.dumps({command: wanted([*command.split(), *words]) for command, words in calls.items()}))
"""


def use_commands(python: Path | str, has: Collection[str], hidden: Collection[str] = ()) -> list[str]:
    """Call every command of the program; what was otherwise than it should be, in words."""
    calls = {
        name: _WORDS.get(name, ["nothing"])
        for name, command in COMMANDS.items()
        if name not in _STAYS or command.extra not in has
    }
    said = _said(python, _COMMANDED, [calls, sorted(hidden)])
    if isinstance(said, str):
        return [said]
    faults = []
    for name, wanted in said.items():
        extra = COMMANDS[name].extra
        missed = [each for each in (extra, *_MORE.get(name, ())) if each and each not in has]
        if wanted and wanted not in missed:
            faults.append(f"holdfast {name}: {wanted!r} is wanted, {missed} are missing")
    return faults


_MORE: Final = {
    **dict.fromkeys(
        ("cluster run", "cluster jobs", "cluster submit", "cluster worker"), ("postgres", "cluster")
    ),
    "sync": ("check", "watch"),
}
"""What commands need beside the extra that they stand under."""


def _said(python: Path | str, code: str, given: object) -> dict[str, str] | str:
    """What such code says of each name that it used; its trouble, if it came to no end."""
    words = [str(python), "-c", code, json.dumps(given)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    if ran.returncode:
        return ran.stderr
    found: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return found


def use_library(python: Path | str, has: Collection[str], hidden: Collection[str] = ()) -> list[str]:
    """Use every public name of the library that a Python has; what was otherwise than it should be, in words.

    `has` are the extras that are there, `hidden` the packages that are made to look as if they were not.
    """
    said = _said(python, _USED, [_CALLS, sorted(hidden)])
    if isinstance(said, str):
        return [said]
    needs = {name: extras for extras, names in _NEEDS.items() for name in names.split()}
    faults = []
    for name, wanted in said.items():
        missed = [extra for extra in needs.get(name.removeprefix("aio."), ()) if extra not in has]
        if wanted and wanted not in missed:
            faults.append(f"{name}: {wanted!r} is wanted, {missed} are missing")
        elif missed and not wanted:
            faults.append(f"{name}: it wants nothing, and {missed} are missing")
    return faults


def _inner(extra: str) -> set[str]:
    groups = re.findall(r"holdfast\[(.*)\]", " ".join(_LISTED[extra]))
    return {one.strip() for group in groups for one in group.split(",")}


def _with_inner(extra: str) -> frozenset[str]:
    return frozenset({extra}).union(*map(_with_inner, _inner(extra)))


def extras() -> dict[str, frozenset[str]]:
    """Each extra that a user may name, with the extras that it brings; the base is the empty name."""
    ours = _with_inner("all")
    return {"": frozenset()} | {name: _with_inner(name) for name in _LISTED if name in ours}


def brought(extra: str) -> frozenset[str]:
    """The packages that an extra asks for itself, by the names that they are imported by."""
    names = [re.match(r"[A-Za-z0-9._-]+", line) for line in _LISTED[extra]]
    packages = {found[0] for found in names if found and found[0] != "holdfast"}
    return frozenset(_IMPORTED_AS.get(name, name) for name in packages)


_IMPORTED_AS: Final = {"PyYAML": "yaml", "google-re2": "re2", "markdown-it-py": "markdown_it"}
