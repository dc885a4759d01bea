"""The flags of all commands: declared and listed once, read before or after a command and its second word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast.core.base.errors import UsageError
from holdfast.faces.cli.parser import COMMANDS, build_parser, common_parser, split_call
from surface_counts import flags

ROOT = Path(__file__).parents[3]
COMMON = {flag: action for action in common_parser().actions() for flag in action.option_strings}
WITHOUT_VALUE = ("--trust", "-q", "--quiet", "-v", "--verbose", "--json")


@pytest.mark.spec("CLI-4")
def test_the_flags_of_all_commands_are_these():
    assert set(COMMON) == {
        *("-C", "--store", "--trust", "-q", "--quiet", "-v", "--verbose", "--json", "--color", "-h", "--help")
    }


@pytest.mark.spec("CLI-4")
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_declares_a_flag_of_all_commands_itself_and_each_takes_it(command):
    own = {flag for action in build_parser(command, common=False).actions() for flag in action.option_strings}
    taken = {flag for action in build_parser(command).actions() for flag in action.option_strings}
    assert own & set(COMMON) == set()
    assert set(COMMON) <= taken


@pytest.mark.spec("CLI-4")
@pytest.mark.parametrize("given", [*([flag] for flag in WITHOUT_VALUE), ["-C", "x"], ["-Cx"], ["-qC", "x"]])
@pytest.mark.parametrize("command", ["config", "store index", "config trust", "config import"])
def test_a_flag_of_all_commands_stands_before_or_after_the_command_and_its_second_word(command, given):
    first, *second = command.split()
    name = command if command in COMMANDS else first
    rest = [] if name == command else second
    for words in ([*given, first, *second], [first, *given, *second], [first, *second, *given]):
        found, left = split_call(words)
        assert (found, sorted(left)) == (name, sorted([*given, *rest])), words


def test_a_value_that_is_called_like_a_second_word_is_a_value():
    assert split_call(["config", "--store", "import"]) == ("config", ["--store", "import"])
    assert split_call(["--store=store", "store", "--color", "index", "index"]) == (
        "store index",
        ["--store=store", "--color", "index"],
    )


@pytest.mark.parametrize("words", [["--json"], ["-q", "-C", "x"], []])
def test_flags_without_a_command_get_the_first_screen(holdfast, words):
    ran = holdfast(*words)
    assert (ran.status, ran.out) == (2, holdfast("--help").out)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("-C",), "-C needs a value"),
        (("--store=", "config"), "--store needs a value"),
        (("--color", "red", "config"), "--color = 'red': expected auto, always or never"),
        (("-C", "nowhere", "config"), "nowhere: No such file or directory"),
        (("-C", "file", "config"), "file: Not a directory"),
        (("-q", "store"), "store wants a second word"),
        (("store", "-q", "bakup"), "there is no command 'store bakup'"),
        (("-q", "nosuch"), "there is no command 'nosuch'"),
    ],
)
def test_a_wrong_flag_before_the_command_is_said_as_one_after_it(holdfast, tmp_path, words, error):
    (tmp_path / "file").write_text("")
    ran = holdfast(*words)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}\n")


@pytest.mark.spec("CLI-4")
def test_a_command_goes_to_a_folder_first_and_comes_back_and_several_folders_add_up(holdfast, tmp_path):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (below / "holdfast.toml").write_text("max_pages = 7\n")
    for words in (
        ["-C", "a", "-C", "b", "config"],
        ["config", "-C", "a/b"],
        ["-C", "x", "config", "-C", below],
    ):
        (tmp_path / "x").mkdir(exist_ok=True)
        ran = holdfast(*words, "--json")
        assert ran.json["settings"]["max_pages"]["value"] == 7
        assert Path.cwd() == tmp_path


@pytest.mark.spec("CLI-4")
@pytest.mark.parametrize("words", [("--json", "config"), ("config", "--json")])
def test_json_is_asked_for_before_or_after_the_command(holdfast, words):
    assert holdfast(*words).json["schema"] == "holdfast.config/1"


@pytest.mark.spec("CLI-4")
@pytest.mark.parametrize("words", [("completion", "bash"), ("help",), ("store", "index"), ("serve",)])
def test_a_command_without_json_says_so(holdfast, words):
    ran = holdfast(*words, "--json")
    assert ran.status == 2
    command = "store index" if words[0] == "store" else words[0]
    assert ran.err.startswith(f"error: `holdfast {command}` has no JSON: ")
    assert ran.json["schema"] == "holdfast.error/1"


@pytest.mark.parametrize("words", [("check", "--format", "sarif"), ("diff", "u", "--format", "html")])
def test_json_and_another_form_do_not_go_together(words):
    with pytest.raises(UsageError, match="--json and --format do not go together"):
        build_parser(words[0]).read([*words[1:], "--json"])


def test_an_unknown_form_json_is_sent_to_the_flag(holdfast):
    assert "hint: did you mean --json?" in holdfast("export", "--format", "json").err


def test_colour_is_what_the_person_said(holdfast, monkeypatch):
    assert "\033" not in holdfast("config").out
    assert "\033" in holdfast("--color", "always", "config").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" in holdfast("config", "--color=always").out
    assert "\033" not in holdfast("config", "--color", "never").out
    assert "\033" not in holdfast("config").out


def test_verbose_says_which_settings_are_not_the_defaults(holdfast, monkeypatch):
    monkeypatch.setenv("HOLDFAST_MAX_PAGES", "3")
    monkeypatch.setenv("HOLDFAST_PROXY", "http://me:secret@p.example:1/")
    said = holdfast("-v", "config", "--store", "here").err
    assert "setting: max_pages = 3 (HOLDFAST_MAX_PAGES)" in said
    assert "setting: store = here (--store)" in said
    assert "secret" not in said
    assert "setting:" not in holdfast("config").err


def test_a_folder_and_a_store_that_are_both_named_are_refused_in_words(holdfast):
    ran = holdfast("store", "prune", "here", "--store", "there")
    assert ran.err.startswith("error: here and --store there: name one of them\n")


@pytest.mark.spec("CLI-4")
def test_the_flags_of_all_commands_are_listed_once(holdfast):
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    for flag in ("-C DIR", "--trust", "--color"):
        assert len(re.findall(rf"^  {flag}", page, re.MULTILINE)) == 1, flag
    whole = holdfast("config", "--help").out
    block = whole[whole.index("flags of all commands:") :]
    assert all(flag in block for flag in COMMON)
    assert block.count("\n\n") == 0
    assert "flags of all commands:" in holdfast("help", "--all").out


@pytest.mark.spec("CLI-4")
@pytest.mark.parametrize("name", ["--dry-run", "--yes", "--output", "--json"])
def test_a_flag_that_many_commands_have_means_the_same_in_each(name):
    said = {(flag.spellings, flag.takes, flag.sentence) for flag in flags() if flag.name == name}
    assert len(said) == 1
