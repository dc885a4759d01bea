"""The table of names holds every name of the program and says what became of it; its new names fit together.

What is there today is taken from the code: the parsers, the settings, the schemas, the routes, the tools, the
public names. A row whose name waits is compared by its old name, any other by its new one.
"""

import ast
import re
import shlex
import tomllib
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from holdfast.core.names.renaming import EVERY, leading_name, read_names, read_suggestions
from holdfast.core.names.suggesting import call_hint, letters_apart
from holdfast.core.settings.origins import ORIGIN_KEYS
from holdfast.core.settings.resolve import SWITCHES, all_settings
from holdfast.core.settings.settings_file import JOB_KEYS
from holdfast.faces.cli.parser import COMMANDS, build_parser
from holdfast.questions.rows.table import all_schemas
from surface_counts import api_paths, flags, library_names, second_words, tools_of_agents

ROOT = Path(__file__).parents[2]
FILES = ROOT / "src" / "holdfast" / "core" / "names"
NAMES = read_names((FILES / "names.toml").read_text(encoding="utf-8"))
RULES = tomllib.loads((FILES / "names.toml").read_text(encoding="utf-8"))["rules"]
SUGGESTIONS = read_suggestions((FILES / "suggestions.toml").read_text(encoding="utf-8"))
GUESSES = tomllib.loads((Path(__file__).parent / "guesses.toml").read_text(encoding="utf-8"))["guesses"]

KINDS = (
    "commands flags settings environment extras tables api parameters tools arguments schemas library".split()
)
GROUPS = frozenset({"store", "url", "cluster", "notify"})
"""Commands that want a second word."""
SEEDS = (
    "--content-rate-limit --on-error --max-pages --update --fetch-urls --force-refetch".split(),
    "content_rate_limit on_error max_pages update fetch_external_urls".split(),
)


def named_variables():
    """Environment variables that the sources name, whoever reads or sets them."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    return {name for text in texts for name in re.findall(r"HOLDFAST_[A-Z_]*[A-Z]", text)}


@cache
def today():
    """Every name of the code, by kind, as pairs of its place and itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    everywhere = {
        "commands": [*COMMANDS, *second_words()],
        "settings": list(all_settings()),
        "environment": [*(setting.env for setting in all_settings().values()), *SWITCHES, *named_variables()],
        "extras": list(project["optional-dependencies"]),
        "tables": [
            *JOB_KEYS,
            *(f"{kind}.{key}" for kind, keys in JOB_KEYS.items() for key in keys),
            *("origin", *(f"origin.{key}" for key in ORIGIN_KEYS), "notify"),
        ],
        "api": [*api_paths(), "openapi.json"],
        "tools": list(tools_of_agents()),
        "schemas": [schema.name for schema in all_schemas()],
        "library": [*library_names(), "aio", "DOCS", "SITE", "WEB"],
    }
    names = {kind: {(EVERY, name) for name in listed} for kind, listed in everywhere.items()}
    names["flags"] = {(flag.command, flag.name) for flag in flags()}
    names["parameters"] = {(path, name) for path, asked in api_paths().items() for name in asked}
    names["arguments"] = {(tool, name) for tool, taken in tools_of_agents().items() for name in taken}
    return names


def rows(kind):
    return [row for row in NAMES.rows if row.kind == kind and row.old != EVERY]


def in_force(table, row):
    """The names that a row stands for today."""
    return (row.old,) if table.waits(row) else row.names


def rows_at(table, kind, place):
    """The rows of a place: of all old commands that became this one, and those of every place."""
    olds = {place, EVERY, *(table.olds_of(place) if kind == "flags" else ())}
    return [row for row in table.rows if row.kind == kind and row.place in olds and row.old != EVERY]


def unknown_names(table):
    """The names of the code that a table does not have."""
    return [
        (kind, place, name)
        for kind, names in today().items()
        for place, name in sorted(names)
        if name not in table.added.get(kind, {})
        and name not in {each for row in rows_at(table, kind, place) for each in in_force(table, row)}
    ]


def joined(table, kind):
    """The new names that several old ones share."""
    olds = defaultdict(set)
    for row in table.rows:
        if row.kind == kind and row.old != EVERY:
            for name in row.names:
                olds[name].add(row.old)
    return {name for name, from_ in olds.items() if len(from_) > 1}


def reused(kind):
    """New names that were old ones with another meaning."""
    moved = {row.old for row in rows(kind) if not row.stays}
    arrived = {name for row in rows(kind) for name in row.names if name != row.old}
    return moved & (arrived | set(NAMES.added.get(kind, {})))


def told_joins(table, kind):
    """Why names are shared; settings say it once for their variables, too."""
    if kind != "environment":
        return set(table.joins.get(kind, {}))
    return {f"HOLDFAST_{name.replace('.', '_').upper()}" for name in table.joins["settings"]}


def test_every_name_of_the_code_is_in_the_table():
    assert set(today()) == set(KINDS)
    assert all(len(names) >= 3 for names in today().values())
    assert unknown_names(NAMES) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_is_left_out_of_the_table_is_missed(kind):
    first = min(name for _, name in today()[kind] if name not in NAMES.added.get(kind, {}))
    rest = tuple(row for row in NAMES.rows if row.kind != kind or first not in in_force(NAMES, row))
    assert first in {name for missing, _, name in unknown_names(replace(NAMES, rows=rest)) if missing == kind}


@pytest.mark.parametrize("kind", KINDS)
def test_a_name_that_waits_is_in_force_and_all_else_goes_by_its_new_name(kind):
    there = {name for _, name in today()[kind]}
    if kind == "flags":
        there |= {spelling for flag in flags() for spelling in flag.spellings}
    named = [row for row in NAMES.rows if row.kind == kind and row.old not in (EVERY, *GROUPS)]

    assert [(row.place, row.old) for row in named if not set(in_force(NAMES, row)) <= there] == []
    gone = {row.old for row in named} - {name for row in named for name in in_force(NAMES, row)}
    assert gone & there == set()


def test_what_waits_is_in_the_table_and_is_called_by_what_there_is():
    for kind, waiting in NAMES.waiting.items():
        olds = {
            name for row in NAMES.rows if row.kind == kind for name in (row.old, f"{row.place} {row.old}")
        }
        assert set(waiting) <= olds | {EVERY}, kind
    for new, call in NAMES.until.items():
        assert split_call(f"holdfast {new}")[1] in {*NAMES.surface, *GROUPS}, new
        assert {call.split()[0], " ".join(call.split()[:2])} & {*COMMANDS, *GROUPS}, call


def test_every_call_that_is_suggested_can_be_made_today():
    calls = [call for each in SUGGESTIONS.commands.values() for call in each]
    calls += [call for row in rows("commands") for call in row.calls]
    today_named = {*COMMANDS, *GROUPS}
    for call in calls:
        words = NAMES.until.get(call, call).split()
        assert {words[0], " ".join(words[:2])} & today_named or words[0].startswith("-"), call


CALL = re.compile(r"(?:`|\A)holdfast ([a-z][a-z-]*)((?: [^`\n]*)?)(?:`|\Z)")
OF_THE_PAST = {"docs/internals/damage.md", "docs/internals/results.md"}


def named_calls():
    """Every call of ours between backticks, and every hint that is one: where it stands, and its words."""
    sources = [path for path in (ROOT / "src").rglob("*.py") if path.parent != FILES]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in (*sources, *pages):
        place, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if place in OF_THE_PAST or "/decisions/" in place:
            continue
        texts = [text]
        if path.suffix == ".py":
            nodes = ast.walk(ast.parse(text))
            texts = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        for match in (match for text in texts for match in CALL.finditer(text)):
            yield place, (match[1], *match[2].split())


@cache
def flags_of(command):
    """All spellings of the flags that a command takes."""
    return {word for action in build_parser(command).actions() for word in action.option_strings}


def cannot_be_made(words):
    """Whether a call names no command of today, or a flag that its command has not."""
    two = " ".join(words[:2])
    command = two if two in COMMANDS else words[0]
    if command not in COMMANDS:
        return words[0] not in GROUPS or (len(words) > 1 and words[1].isalpha())
    given = {word.strip("[],.").partition("=")[0] for word in words if word.startswith(("--", "[--"))}
    return not given - {"--"} <= flags_of(command)


OF_ROWS_TO_COME = {
    "export --at RUN", "fix --include HOST", "fix --include PATTERN", "links DOC --only changed",
    "links MIRROR --only dead", "store rekey MIRROR --policy P",
}  # fmt: skip
"""Calls of the table of commands and targets whose flag comes with the row of its command."""
A_LOCK = "job"
"""`holdfast job` is what a server calls the lock of a job."""


def test_every_call_that_a_message_or_a_page_names_can_be_made():
    found = list(named_calls())
    assert len(found) > 300
    assert {" ".join(words) for _, words in found if cannot_be_made(words)} == {*OF_ROWS_TO_COME, A_LOCK}


@pytest.mark.parametrize("kind", KINDS)
def test_old_names_share_a_new_one_only_where_the_table_says_why(kind):
    assert told_joins(NAMES, kind) == joined(NAMES, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_an_old_name_means_another_thing_only_where_the_table_says_what_becomes_of_old_calls(kind):
    assert set(NAMES.reused.get(kind, {})) == reused(kind)


def test_every_row_has_its_reason_in_a_sentence_and_every_rule_is_used():
    said = [row.why for row in NAMES.rows]
    said += [
        why
        for part in (NAMES.added, NAMES.joins, NAMES.reused, NAMES.waiting)
        for names in part.values()
        for why in names.values()
    ]
    assert [why for why in said if " " not in why or not why.endswith(".")] == []
    assert {name for name, sentence in RULES.items() if sentence not in said} == set()


@pytest.mark.parametrize("entry", ["{}", '{ stays = "A b." , gone = "A b." }', '{ why = "A b." }'])
def test_a_row_that_says_neither_or_both_is_refused(entry):
    parts = "".join(f"[{part}]\n" for part in ("rules", "new", "joins", "reused", "short", "surface"))
    with pytest.raises(ValueError, match="stays, has a new name or is gone"):
        read_names(f"{parts}[settings]\nlayout = {entry}\n")


def test_what_the_seeds_fix_stays():
    for kind, names in zip(("flags", "settings"), SEEDS, strict=True):
        for row in rows(kind):
            assert row.old not in names or row.stays, row.old
        assert set(names) <= {row.old for row in rows(kind)}


def test_a_setting_has_its_flags_name():
    unlike = {}
    for row in rows("settings"):
        flag = NAMES.row("flags", f"--{row.old.replace('_', '-')}")
        last = row.calls[0].rpartition(".")[2]
        if flag is not None and flag.calls and flag.names != (f"--{last.replace('_', '-')}",):
            unlike[last] = flag.names
    assert unlike == {"ignore": ("--no-ignore",)}


def test_every_setting_has_a_variable_and_no_two_of_other_settings_are_alike():
    assert NAMES.row("environment", "HOLDFAST_OBEY_ROBOTS").calls == ("HOLDFAST_MIRROR_ROBOTS",)
    assert NAMES.row("environment", "HOLDFAST_LAYOUT").stays
    settings = NAMES.new_names("settings")
    assert len({name.replace(".", "_") for name in settings}) == len(settings)


ASTRAY = {
    ("verify", "--processes"),
    ("store rebuild", "--processes"),
    ("store import", "--processes"),
    ("store reprocess", "--processes"),
    ("config", "--yes"),
}
"""Flags that go, or go to `config trust`, with the row of their command."""


def test_a_command_takes_its_flags_of_the_table_and_those_that_wait():
    astray = []
    for flag in flags():
        olds = rows_at(NAMES, "flags", flag.command)
        waits = {row.old for row in olds if NAMES.waits(row)} | {row.old for row in olds if row.on}
        if flag.command in NAMES.surface and flag.name not in NAMES.accepts(flag.command) | waits:
            astray.append((flag.command, flag.name))
    assert set(astray) == ASTRAY


def test_the_new_commands_take_only_flags_of_the_table_and_each_is_taken():
    listed = {flag for taken in NAMES.surface.values() for flag in taken} - {"--help"}
    assert listed == NAMES.new_names("flags")
    assert set(NAMES.surface) - {EVERY} == NAMES.new_names("commands") - GROUPS
    for command, taken in NAMES.surface.items():
        assert len(taken) == len(set(taken)), command
        assert command == EVERY or not set(taken) & set(NAMES.surface[EVERY]), command


def test_the_new_surface_is_as_small_as_it_was_meant_to_be():
    commands = {name.split()[0] for name in NAMES.new_names("commands")}
    library = NAMES.new_names("library") - {"aio", "DOCS", "SITE", "WEB"}
    assert len(commands) == 25
    assert len([name for name in library if "." not in name]) == 28
    assert len([name for name in library if "." in name]) == 22
    assert len(NAMES.new_names("api") - {"openapi.json"}) == 13
    assert len(NAMES.new_names("tools")) == 10
    assert len(NAMES.new_names("schemas")) <= 52
    assert sum(map(len, NAMES.surface.values())) <= 260


def command_in(words):
    """The command in the words of a call of 0.1.0: two words where the first wants a second."""
    two = " ".join(words[:2])
    return two if two in NAMES.surface else words[0]


def split_call(call):
    """A call's flags before the command, its command, and the flags after it."""
    words = shlex.split(call)
    assert words.pop(0) == "holdfast"
    before = []
    while words and words[0].startswith("-"):
        before.append(words.pop(0))
        if before[-1] in ("-C", "--store"):
            words.pop(0)
    if not words:
        return before, "", []
    command = command_in(words)
    return before, command, [word.partition("=")[0] for word in words if word.startswith("-") and word != "-"]


def faults_of(call):
    """What a call of 0.1.0 uses that the table does not have."""
    before, command, given = split_call(call)
    if not command:
        return set(before) - {"--version", "--help", "-V", "-h"}
    if command not in {*NAMES.surface, *GROUPS}:
        return {command}
    taken = NAMES.accepts("help" if command in GROUPS else command)
    return (set(before) - NAMES.accepts("help")) | (set(given) - taken)


def answers(word):
    """The calls that a word is answered by: by intent, else by its old name."""
    if word in SUGGESTIONS.commands:
        return SUGGESTIONS.commands[word]
    row = NAMES.row("commands", word)
    return row.calls if row else ()


def test_no_suggestion_deletes_and_all_use_names_that_there_are():
    calls = [call for each in SUGGESTIONS.commands.values() for call in each]
    for call in [*calls, *(call for row in rows("commands") for call in row.calls)]:
        assert faults_of(f"holdfast {call}") == set(), call
    for call in calls:
        assert leading_name("commands", call) not in SUGGESTIONS.deletes or "-n" in call.split(), call
    assert set(SUGGESTIONS.deletes) <= set(NAMES.surface)


def test_a_word_is_answered_in_one_place_and_no_command_is_taken_for_another():
    known = {name.split()[0] for name in NAMES.new_names("commands")}
    said = {row.old: row.calls for row in rows("commands")}
    assert not known & {*SUGGESTIONS.commands, *SUGGESTIONS.sayings}
    assert not set(SUGGESTIONS.commands) & set(SUGGESTIONS.sayings)
    assert [word for word, calls in SUGGESTIONS.commands.items() if said.get(word) == calls] == []


def test_flags_are_suggested_to_commands_that_take_them():
    for command, meant in SUGGESTIONS.flags.items():
        for flag, answer in meant.items():
            first = answer.split()[0]
            known = (
                NAMES.new_names("flags") | {"--help", "last"} if command == EVERY else NAMES.accepts(command)
            )
            assert first in known or faults_of(f"holdfast {answer}") == set(), (command, flag)
            assert command == EVERY or flag not in NAMES.accepts(command) - set(NAMES.short), (command, flag)


@pytest.mark.parametrize("old", sorted({row.old for row in NAMES.rows if row.kind == "commands"}))
def test_an_old_command_stays_or_is_answered(old):
    stays = NAMES.row("commands", old).stays
    assert stays or answers(old)
    for call in answers(old):
        assert leading_name("commands", call) not in SUGGESTIONS.deletes or "-n" in call.split() or stays


MEANT = {
    "mirror": "clone add get crawl save archive",
    "sync": "update pull",
    "sync, url probe": "fetch",
    "config import, store import": "import",
    "--version": "version",
    "status": "ls list info stats",
    "search": "grep find",
    "show": "cat open",
    "log": "versions history changes runs",
    "check": "lint track test",
    "links": "broken backlinks graph",
    "verify": "fsck doctor repair",
    "restore": "checkout rebuild",
    "store prune": "prune gc",
    "url canon": "canon id key hash",
    "store backup": "backup",
    "config": "set",
    "config trust": "trust",
}


@pytest.mark.parametrize(
    ("word", "meant"), [(word, meant.split(", ")) for meant, words in MEANT.items() for word in words.split()]
)
def test_words_of_other_tools_are_answered_by_their_meaning(word, meant):
    found = [leading_name("commands", call) or call for call in answers(word)]
    assert found[: len(meant)] == meant


@pytest.mark.parametrize("word", ["remove", "rm", "init"])
def test_what_no_call_does_is_answered_by_a_sentence(word):
    assert word not in SUGGESTIONS.commands
    assert len(SUGGESTIONS.sayings[word].split()) > 5


def test_there_is_a_right_call_for_each_of_the_169_that_were_refused():
    assert len(GUESSES) == 169
    assert len({guess["guessed"] for guess in GUESSES}) == len(GUESSES)
    assert all(guess["why"].endswith(".") for guess in GUESSES)


@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess["guessed"])
def test_a_right_call_uses_only_names_of_the_table_and_deletes_nothing(guess):
    _, command, given = split_call(guess["right"])
    assert faults_of(guess["right"]) == set()
    assert command not in SUGGESTIONS.deletes or {"-n", "--dry-run"} & set(given)


@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess["guessed"])
def test_an_unknown_command_that_was_guessed_is_answered_by_the_right_one(guess):
    words = [word for word in shlex.split(guess["guessed"])[1:] if not word.startswith(("-", "WORK"))]
    _, right, _ = split_call(guess["right"])
    word = words[0]
    if word in {name.split()[0] for name in NAMES.surface}:
        return  # known: the table of targets answers what is wrong with the call
    if word in SUGGESTIONS.sayings:
        assert SUGGESTIONS.sayings[word]
        return
    until = {call for new, call in NAMES.until.items() if split_call(f"holdfast {new}")[1] == right}
    hint = call_hint(words, tuple(COMMANDS), NAMES, SUGGESTIONS) or ""
    known = {*(call.split()[0] for call in until), right or "--version"}
    assert [call for call in known if f"`holdfast {call}" in hint], hint


@pytest.mark.parametrize("guess", GUESSES, ids=lambda guess: guess["guessed"])
def test_an_unknown_flag_that_was_guessed_is_answered_by_one_of_the_right_call(guess):
    _, right, taken = split_call(guess["right"])
    long = {NAMES.short.get(flag, flag) for flag in taken}
    _, guessed, given = split_call(guess["guessed"])
    known = {flag for command in {right, guessed} & set(NAMES.surface) for flag in NAMES.accepts(command)}
    for flag in set(given) - known:
        row = NAMES.row("flags", flag, guessed)
        if meant := SUGGESTIONS.flag(flag, right) or SUGGESTIONS.flag(flag, guessed):
            assert set(meant.split()) & {*long, *shlex.split(guess["right"])}
        elif row is not None and row.calls:
            assert set(row.names) <= long
        elif row is None:
            assert [other for other in long if letters_apart(flag, other) <= 2]
