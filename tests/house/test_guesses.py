"""The 169 calls that were guessed and refused, made by the program of today: each is read, or its hint names
the right call. A call that is read is not carried out.
"""

from __future__ import annotations

import shlex
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from holdfast.core.base.errors import ExitStatus
from holdfast.core.names.renaming import leading_name, read_names, read_suggestions
from holdfast.faces.cli import main as program
from holdfast.faces.cli.parser import build_parser, split_call

FILES = Path(program.__file__).parents[2] / "core" / "names"
NAMES = read_names((FILES / "names.toml").read_text(encoding="utf-8"))
SUGGESTIONS = read_suggestions((FILES / "suggestions.toml").read_text(encoding="utf-8"))
GUESSES = tomllib.loads((Path(__file__).parent / "guesses.toml").read_text(encoding="utf-8"))["guesses"]

ROWS_TO_COME = {
    **dict.fromkeys(
        (f"holdfast {call}" for call in ("verify", "links", "db check output", "archive check output")),
        "Its row takes that target.",
    ),
    "holdfast db check": "`db check` does it until `verify` has its row.",
    "holdfast archive check": "`archive check` does it until `verify` has its row.",
    "holdfast archive SITE/faq.html": "`archive` is a command until then; its intent answers later.",
    "holdfast export output --json": "It comes with the row of `export`.",
    "holdfast export output --at 2026-11-19": "It comes with the row of `export`.",
    "holdfast export output --since yesterday": "It comes with the row of `export`.",
    "holdfast forget SITE/faq.html --dry-run --state docs": "It comes with the row of `forget`.",
}
"""Calls that are refused until then; their hint is the usage of the command."""

OTHERWISE = {
    "holdfast mirror output --update": "A word that is no source is refused when it is read.",
    "holdfast mirror list": "A word that is no source is refused when it is read.",
    "holdfast mirror widgets": "A [mirror.NAME] is made, as `sync` will.",
    "holdfast check output": "What is a mirror is found out when the folder is read.",
    "holdfast restore SITE/guide/install.html": "A target of another kind is refused by `restore`.",
    "holdfast convert SITE/faq.html": "A file that is not there is refused by `convert`.",
    "holdfast show output": "The table of targets answers.",
    "holdfast show HEAD": "The table of targets answers.",
    "holdfast show docs/_index.md": "The table of targets answers.",
    "holdfast search x": "That nothing is kept is said when the stores are looked for.",
}
"""Calls that are read as they were guessed: the words are right, and what is there decides."""


@pytest.fixture
def tried(holdfast, monkeypatch, tmp_path):
    """Make a call as far as it is read: its command, or None with what was said."""
    (tmp_path / "w" / "output").mkdir(parents=True)
    taken = []

    def only_read(command):
        parser = build_parser(command)
        parser.set_defaults(run=lambda _: taken.append(command) or ExitStatus.SUCCESS)
        return parser

    monkeypatch.setattr(program, "build_parser", only_read)

    def run(call):
        taken.clear()
        ran = holdfast(*words_of(call))
        assert bool(taken) is (ran.status == 0)
        return (taken[0] if taken else None), ran.err

    return run


def words_of(call):
    return [word.replace("WORK/", "") for word in shlex.split(call)[1:]]


def names_for(command):
    """What a command is called today: itself, and the call that does its work until its row comes."""
    calls = [call for new, call in NAMES.until.items() if leading_name("commands", new) == command]
    return {command, *(leading_name("commands", call) for call in calls)}


def kind_of(guess, command, said):
    """How a guess was answered: works, by its older name, hinted, or not at all."""
    right, given = split_call(words_of(guess["right"]))
    if command is not None:
        return "works" if command == right else "older" if command in names_for(right) else "other"
    hint = said.partition("\nhint: ")[2]
    flags = {word.partition("=")[0] for word in given if word.startswith("-")} | {
        "--output",
        "last",
        "--help",
    }
    named = any(f"`holdfast {name}" in hint for name in names_for(right))
    usage = hint.startswith("usage: ") and any(f"holdfast {name} " in hint for name in names_for(right))
    flag = hint.startswith("did you mean ") and set(hint.removesuffix("?\n").split()[3:]) & flags
    saying = hint.strip() in SUGGESTIONS.sayings.values()
    second = hint.startswith(("it has ", "submit, ")) and right.split()[-1] in hint
    return "hinted" if named or flag or saying or second else "usage" if usage else "not"


@pytest.mark.spec("CLI-1")
@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess["guessed"])
def test_a_guess_is_read_or_its_hint_names_the_right_call(tried, guess):
    command, said = tried(guess["guessed"])
    kind = kind_of(guess, command, said)
    if guess["guessed"] in OTHERWISE:
        assert kind in ("other", "older", "works", "hinted")
    elif guess["guessed"] not in ROWS_TO_COME:
        assert kind in ("works", "older", "hinted", "usage"), said


@pytest.mark.spec("CLI-1")
@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess["guessed"])
def test_no_guess_is_answered_by_a_call_that_deletes(tried, guess):
    command, said = tried(guess["guessed"])
    _, _, hint = said.partition("\nhint: ")
    if guess["guessed"].split()[1] != "forget":
        assert command not in SUGGESTIONS.deletes
        for name in SUGGESTIONS.deletes:
            rest = hint.partition(f"`holdfast {name}")[2]
            assert not rest or rest.startswith((" -n", " --help")), hint


def test_most_guesses_work_or_are_answered_by_the_call_that_does_it(tried):
    kinds = Counter(kind_of(guess, *tried(guess["guessed"])) for guess in GUESSES)
    assert kinds.total() == 169
    assert kinds["works"] + kinds["older"] + kinds["hinted"] >= 120, kinds
    assert kinds["not"] <= len(ROWS_TO_COME), kinds
