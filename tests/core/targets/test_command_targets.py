"""What each command takes: the cells of `tests/vectors/surface/command_targets.json`, and what is said where
it takes none of that kind. The statuses in that file are not read here: they come with the commands' rows.
"""

import json
import re
from pathlib import Path

import pytest

from helpers.target_worlds import World
from holdfast.core.names.renaming import read_names
from holdfast.core.targets.command_table import COMMAND_TABLE, DELETES, KINDS
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.targets.taken_target import taken_target
from holdfast.core.targets.target import read_target
from holdfast.core.targets.target_refusals import TargetFault, TargetRefusal

pytestmark = pytest.mark.spec("CLI-2")

ROOT = Path(__file__).parents[3]
VECTORS = json.loads(
    (ROOT / "tests" / "vectors" / "surface" / "command_targets.json").read_text(encoding="utf-8")
)
COMMANDS = VECTORS["commands"]
CELLS = [(command, kind) for command in COMMANDS for kind in VECTORS["kinds"]]

TOWN = World(
    {
        "paths": {
            "docs": {"mirror": "docs"},
            "notes": "folder",
            "notes/a b.md": "document",
            "urls.csv": "file",
            "saved": "backup",
            "text": "folder",
        },
        "names": {"mirrors": {"docs": "docs"}, "checks": {"prose": ["notes", "text"]}},
        "hosts": ["d.example"],
        "urls": ["https://d.example/a"],
        "runs": ["deadbeef00aa11bb"],
        "items": ["feedbeef5566ff77"],
    }
)
TYPED = {
    "page": "https://d.example/a",
    "section": "https://d.example/a#top",
    "pattern": "https://d.example/*",
    "host": "d.example",
    "mirror": "docs",
    "document": "notes/a b.md",
    "folder": "notes",
    "check": "prose",
    "glob": "notes/*.md",
    "stdin": "-",
    "run": "deadbeef",
    "item": "feedbeef",
    "none": None,
}
FILLED = {
    "page": {"URL": "https://d.example/a"},
    "section": {"URL": "https://d.example/a"},
    "pattern": {"PATTERN": "'https://d.example/*'"},
    "host": {"HOST": "d.example"},
    "mirror": {"MIRROR": "docs", "FOLDER": "docs"},
    "document": {"DOC": "'notes/a b.md'", "FOLDER": "notes"},
    "folder": {"DOC": "notes", "FOLDER": "notes"},
    "check": {"DOC": "prose", "CHECK": "prose"},
    "glob": {"DOC": "'notes/*.md'"},
    "run": {"RUN": "deadbeef"},
    "item": {"ITEM": "feedbeef"},
}


def taken(command, text, world=TOWN):
    return taken_target(command, text, read_target(text, world.look(text)), world.mirrors)


def filled(call, kind):
    words = FILLED.get(kind, {})
    return re.sub(r"\b[A-Z]{3,}\b", lambda found: words.get(found[0], found[0]), call)


def test_the_table_has_every_command_and_every_kind():
    assert list(COMMAND_TABLE) == list(COMMANDS)
    assert list(KINDS) == VECTORS["kinds"]
    assert all(set(row) == set(KINDS) for row in COMMAND_TABLE.values())


@pytest.mark.parametrize(("command", "kind"), CELLS)
def test_a_command_takes_a_kind_or_names_the_right_calls(command, kind):
    cell, expect = COMMAND_TABLE[command][kind], COMMANDS[command]["targets"][kind]
    found = taken(command, TYPED[kind])

    if "does" in expect:
        assert isinstance(cell, str)
        assert isinstance(found, CommandTarget)
        return
    assert list(cell[1:]) == expect["instead"]
    assert isinstance(found, TargetRefusal)
    assert found.fault is TargetFault.NOT_TAKEN
    for call in expect["instead"]:
        assert filled(call, kind) in found.hint
    if kind != "none":
        assert TYPED[kind] in found.message


def test_a_right_call_is_a_call_of_a_command_that_takes_it():
    """What a refusal sends somebody to must not refuse in its turn."""
    names = read_names((ROOT / "src/holdfast/core/names/names.toml").read_text(encoding="utf-8"))
    known = {name.split()[0] for name in names.new_names("commands")}
    kinds = {"DOC": "document", "URL": "page", "HOST": "host", "PATTERN": "pattern", "MIRROR": "mirror"}
    kinds |= {"FOLDER": "folder", "CHECK": "check", "RUN": "run", "ITEM": "item"}
    refused = []
    for row in COMMAND_TABLE.values():
        for cell in row.values():
            for call in cell[1:] if isinstance(cell, tuple) else ():
                words = call.removeprefix("holdfast ").split()
                if not call.startswith("holdfast "):
                    continue
                while words[0] in ("-C", "--store"):
                    words = words[2:]
                assert words[0] in known, call
                asked = kinds.get(words[1] if len(words) > 1 else "")
                if asked and not isinstance(COMMAND_TABLE[words[0]][asked], str):
                    refused.append(call)
    assert refused == []


TWO = World(
    {
        "paths": {
            "docs": "folder",
            "site": {"mirror": "docs"},
            "example.com": "folder",
            "feed.example": "file",
        },
        "names": {"mirrors": {"docs": "site"}},
        "hosts": ["example.com", "feed.example"],
        "runs": ["deadbeef00aa11bb"],
        "items": ["deadbeef5566ff77"],
    }
)


def test_readings_that_a_command_does_not_take_are_dropped_first():
    assert taken("restore", "docs", TWO) == CommandTarget(TargetKind.MIRROR, "docs")
    assert taken("check", "example.com", TWO).value == "example.com"
    assert taken("diff", "deadbeef", TWO) == CommandTarget(TargetKind.RUN, "deadbeef00aa11bb")
    assert taken("log", "feed.example", TWO) == CommandTarget(TargetKind.HOST, "feed.example")


def test_several_readings_that_a_command_takes_are_each_spelt():
    found = taken("log", "docs", TWO)
    assert found.fault is TargetFault.TWO_READINGS
    assert found.readings == ("./docs", "mirror:docs")
    found = taken("show", "deadbeef", TWO)
    assert found.fault is TargetFault.SEVERAL_IDS
    assert found.readings == ("run:deadbeef00aa11bb", "item:deadbeef5566ff77")


def test_what_deletes_chooses_no_reading():
    assert frozenset({"forget"}) == DELETES
    assert taken("forget", "example.com", TWO).fault is TargetFault.TWO_READINGS
    assert taken("forget", "host:example.com", TWO) == CommandTarget(TargetKind.HOST, "example.com")


def test_a_text_of_which_no_reading_is_taken_names_the_calls_for_each():
    found = taken("fix", "deadbeef", TWO)
    assert found.fault is TargetFault.NOT_TAKEN
    assert found.hint == "holdfast log run:deadbeef00aa11bb or holdfast show item:deadbeef5566ff77"


def test_a_backup_and_a_file_of_urls_are_taken_by_one_command_each():
    assert taken("restore", "saved").kind is TargetKind.BACKUP
    assert taken("verify", "saved").fault is TargetFault.STORE
    assert taken("mirror", "urls.csv").kind is TargetKind.FILE
    assert taken("check", "urls.csv").fault is TargetFault.NOT_A_DOCUMENT


def test_last_alone_is_the_last_run_in_diff_only():
    assert taken("diff", "last") == CommandTarget(TargetKind.RUN, "last")
    assert taken("log", "last").fault is TargetFault.MISSING_NAME
    called_last = World({"names": {"mirrors": {"last": "site"}}})
    assert taken("diff", "last", called_last) == CommandTarget(TargetKind.MIRROR, "last")


def test_a_refusal_shows_no_credentials():
    for command in ("export", "status", "mcp"):
        found = taken(command, "https://user:secret@d.example/a")
        assert "secret" not in found.message + found.hint
