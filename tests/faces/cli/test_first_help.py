"""What a person reads first: the screen, the list of all commands, the short `-h`; how long and how wide."""

from __future__ import annotations

import shlex

import pytest

from holdfast.faces.cli.first_help import EXAMPLES, NOUNS, first_screen
from holdfast.faces.cli.parser import COMMANDS, build_parser, seconds_of, split_call

DRAWN = """\
Holdfast keeps the web pages that you rely on: whole sites as Markdown,
every version of every page, and which of your documents cite a page that
changed or died.

usage: holdfast COMMAND [TARGET] [FLAGS]          holdfast COMMAND -h

keep
  mirror    Mirror a site to a folder of Markdown.
  check     Find dead and changed links in your documents; asks the web
            only with --fetch-urls.
  sync      Update the mirrors and checked documents in this folder.

look (from memory: nothing is asked)
  status    What is kept in this folder, how old it is, what to do next.
  log       What was added, changed, removed: in a mirror, on a page.
  diff      What changed in a page or a mirror between two moments.
  show      A page as it was kept, now or at a moment.
  search    Where something is said.
  links     Who cites what; which citations are dead or changed.

act
  fix       Repair links in your documents; a diff until --write.
  export    Pages as JSON lines or Parquet, for search and models.
  restore   Write a mirror again, as it is or was; or a backup.
  verify    Check that all that is kept is undamaged; --repair.
  forget    Erase a page or host from all history, for ever; asks.

more
  serve     Look at all of it in a browser.
  url       Canonical form, key and file name of URLs.
  config    Every setting and where it came from; set, trust, import.
  help      Explain a word; --all lists store (backup, prune), notify,
            convert, mcp, lsp, cluster, completion.

TARGET: a URL, a mirror's folder, a document, a host. MOMENT (--at,
--since): 2026-05-04, 7d, yesterday, last (run), v2 (of a page)."""
"""The screen of 0.1.0, but for its examples."""


def drawn_sentences():
    """The sentences of the drawing, by command."""
    found = {}
    for line in DRAWN.splitlines()[5:-2]:
        if line.startswith(" " * 12):
            found[name] += f" {line.strip()}"  # noqa: F821 - the line before has it
        elif line.startswith("  "):
            name, found[name] = line.split()[0], line[12:]
    return found


def test_the_screen_of_the_commands_of_0_1_0_is_the_drawn_one():
    assert len(drawn_sentences()) == 18
    lines = first_screen(drawn_sentences()).splitlines()
    assert "\n".join(lines[:-4]) == DRAWN
    assert [line.split()[:2] for line in lines[-3:]] == [
        ["holdfast", name] for name in ("mirror", "diff", "check")
    ]
    assert len(lines) == 40


def test_the_screen_of_today_fits_a_terminal_and_names_only_what_there_is(holdfast):
    ran = holdfast("--help")
    lines = ran.out.splitlines()
    assert ran.status == 0
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    named = {line.split()[0] for line in lines[5:-5] if line.startswith("  ") and line[2] != " "}
    assert named <= {*COMMANDS, *NOUNS}
    assert {*drawn_sentences()} & {*COMMANDS, *NOUNS} <= named
    assert holdfast("-h").out == holdfast("help").out == ran.out


def test_help_of_all_lists_every_command(holdfast):
    lines = holdfast("help", "--all").out.splitlines()
    assert {name for name in COMMANDS for line in lines if line.startswith(f"  {name} ")} == set(COMMANDS)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_short_help_is_a_call_a_sentence_the_most_used_flags_and_an_example(holdfast, command):
    ran = holdfast(*command.split(), "-h")
    lines = ran.out.splitlines()
    assert ran.status == 0
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert lines[0] == f"usage: {build_parser(command).short_usage()}"
    assert COMMANDS[command].sentence in " ".join(" ".join(lines).split())
    assert f"  holdfast {EXAMPLES[command]}" in lines
    assert lines[-1] == f"`holdfast {command} --help` has all."


@pytest.mark.parametrize("command", COMMANDS)
def test_the_example_of_a_command_is_a_call_of_it(command):
    words = shlex.split(EXAMPLES[command].partition(" >")[0])
    found, rest = split_call(words)
    assert found == command
    build_parser(command).read(rest)


@pytest.mark.parametrize("command", COMMANDS)
def test_whole_help_is_never_wider_than_100_columns_and_as_narrow_as_the_terminal(command, monkeypatch):
    for columns, most in (("200", 100), ("80", 80)):
        monkeypatch.setenv("COLUMNS", columns)
        assert max(map(len, build_parser(command).format_help().splitlines())) <= most


@pytest.mark.parametrize("noun", NOUNS)
def test_a_word_that_wants_a_second_one_says_what_it_is_about(holdfast, noun):
    lines = holdfast(noun, "-h").lines
    assert lines[2] == NOUNS[noun]
    assert all(any(line.startswith(f"  {name} ") for line in lines) for name in seconds_of(noun))
    assert noun not in COMMANDS
