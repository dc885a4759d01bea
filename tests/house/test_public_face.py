"""The public names, the documentation, and the two commands of the README."""

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.core.settings.resolve import all_settings
from holdfast.faces.cli.parser import COMMANDS, build_parser

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_public_names_are_sorted_there_and_documented():
    reference = (DOCS / "reference" / "library.md").read_text(encoding="utf-8")

    assert len(holdfast._HOME) == sum(
        len(names.split()) for each in (holdfast._NAMES, holdfast._ROW_NAMES) for names in each.values()
    )
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None
        assert f"`{name}" in reference, name


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_every_flag_is_documented(command):
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    assert f"## holdfast {command}" in page
    for action in build_parser(command)._actions:
        for flag in action.option_strings:
            assert flag in page


def test_every_setting_is_documented():
    page = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    for name in all_settings():
        assert f"`{name}`" in page


def test_every_command_module_is_in_the_table():
    folder = ROOT / "src" / "holdfast" / "faces" / "cli"
    for path in folder.glob("*.py"):
        module = importlib.import_module(f"holdfast.faces.cli.{path.stem}")
        if hasattr(module, "add_arguments"):
            assert path.stem in {command.module or name for name, command in COMMANDS.items()}


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["config"]])
def test_help_version_and_config_import_little(words):
    """Start-up is imports: few, and none of a library for fetching, reading or storing."""
    code = f"import sys; from holdfast.faces.cli.main import main; main({words!r}); print(len(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=DOCS, text=True)
    bare = subprocess.run(
        [sys.executable, "-c", "import sys, argparse, json, dataclasses; print(len(sys.modules))"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert int(ran.stdout.split()[-1]) - int(bare.stdout) < 120


def test_ci_runs_what_the_readme_tells_a_person_to_run():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert "make demo" in readme
    assert "make check test" in readme
    assert "make check test" in ci


INNER = {
    "Channel", "Digest", "EventFilter", "FolderWord", "Gist", "HostOverride", "Landing", "LocalReading",
    "OriginRule", "Resolved", "Rule", "Step", "TouchedLines", "Bid", "Headers", "SettingsDigest",
    "FrontierEntry",
    "DistillSettings", "FetchSettings", "IdentitySettings", "MirrorSettings", "StoreSettings",
    "CheckSettings", "CrawlMarks", "Shown", "UrlPattern", "Ignore", "PartReader", "Counter",
}  # fmt: skip
"""What values are made of inside: groups of settings, steps of a policy, filters of notices, texts."""


def held_by(value):
    """The names in the annotations of a value's attributes."""
    annotations = inspect.get_annotations(value)
    fields = getattr(value, "__dataclass_fields__", None) or getattr(value, "_fields", ())
    texts = [str(annotations.get(name, "")) for name in fields if not name.startswith("_")]
    properties = [member for member in vars(value).values() if isinstance(member, property)]
    texts += [str(inspect.get_annotations(member.fget).get("return", "")) for member in properties]
    return {word for text in texts for word in re.findall(r"\b[A-Z][a-z]\w+", text)}


@pytest.mark.spec("LIB-2")
def test_what_public_values_hold_is_public():
    defined = {
        node.name
        for path in (ROOT / "src" / "holdfast").rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    values = [getattr(holdfast, name) for name in holdfast.__all__]
    held = set().union(*(held_by(value) for value in values if isinstance(value, type)))
    assert held & defined - set(holdfast.__all__) - INNER == set()
