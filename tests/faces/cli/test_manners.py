"""How the command line behaves before and around its commands: help, wrong calls, man pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from holdfast.faces.cli.help import asked_by_extra
from holdfast.faces.cli.parser import COMMANDS, GROUPS, build_parser

ROOT = Path(__file__).parents[3]


def test_help_lists_every_command_under_a_group(holdfast):
    shown = holdfast("help", "--all").out
    assert 5 <= len(GROUPS) <= 6
    for group, commands in GROUPS.items():
        assert f"\n{group}:\n" in shown
        assert all(f"\n  {name} " in shown for name in commands)


def test_help_of_a_command_is_its_own_help(holdfast):
    assert holdfast("help", "mirror").out == holdfast("mirror", "--help").out
    assert holdfast("help").out == holdfast("--help").out


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("HF033", "HF033 refused: A rule of yours, of robots.txt or of the server forbids it."),
        ("bot-blocked", "bot_blocked: the server turns programs away; open it in a browser"),
        ("max_pages", "In the environment: HOLDFAST_MAX_PAGES. As a flag: --max-pages."),
        ("on-error", "One of skip, abort, retry."),
        ("suspect", "suspect: A link that failed and is not confirmed dead.\nThe states: not_found, "),
        ("dead", "\nat the second look: not_found, gone\nafter three looks over 48 hours: "),
        ("unknown", "unknown: A link of which nothing can be told"),
        ("not_found", "A link in this state is suspect, and dead at the second look."),
        ("ok", "A link in this state is alive."),
    ],
)
def test_help_explains_what_reports_and_settings_say(holdfast, word, says):
    assert says in holdfast("help", word).out


def test_help_of_an_unknown_word_guesses(holdfast):
    ran = holdfast("help", "max-page")
    assert (ran.status, ran.out) == (2, "")
    assert "hint: did you mean `holdfast help max_pages`?" in ran.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_usage_of_a_command_is_one_line(command):
    usage = build_parser(command).format_usage()
    assert usage.count("\n") == 1
    assert len(usage) < 100


@pytest.mark.parametrize(
    ("command", "known", "next_heading"),
    [("mirror", "--update", "what belongs"), ("check", "--dry-run", "what is read")],
)
def test_ten_common_flags_come_first(holdfast, command, known, next_heading):
    shown = holdfast(command, "--help").out
    common = shown[shown.index("common flags:") : shown.index(f"\n{next_heading}")]
    assert known in common
    assert len(re.findall(r"^  -", common, flags=re.MULTILINE)) == 10


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (("mirror", "https://e.com/", "--updat"), "there is no flag --updat", "did you mean --update?"),
        (("mirror", "x", "--maxpages=3"), "there is no flag --maxpages=3", "did you mean --max-pages?"),
        (("serve", "--colour-me"), "there is no flag --colour-me", "usage: holdfast serve"),
        (("mirror",), "SOURCE is missing", "a mirror is named by where it begins; `holdfast sync`"),
        (
            ("update",),
            "there is no command 'update'",
            "did you mean `holdfast sync`?",
        ),
        (("get",), "there is no command 'get'", "did you mean `holdfast mirror URL`?"),
        (("forgt",), "there is no command 'forgt'", "`holdfast --help` lists the commands"),
        (("brokn",), "there is no command 'brokn'", "did you mean `holdfast broken`?"),
        (("nosuch",), "there is no command 'nosuch'", "`holdfast --help` lists the commands"),
        (("--nosuch",), "there is no flag --nosuch without a command", "`holdfast --help` lists"),
        (("config", "--show"), "there is no flag --show", "usage: holdfast config"),
        (("serve", "--prot", "3"), "there is no flag --prot", "did you mean --port?"),
        (("serve", "--port"), "--port needs a value", "usage: holdfast serve"),
        (("restore", ".", "--output", ""), "-o/--output needs a value", "usage: holdfast restore"),
        (("restore", ""), "DIR is empty", "usage: holdfast restore"),
        (("check", ""), "PATH is empty", "usage: holdfast check"),
        (("forget", ""), "URL|HOST is empty", "usage: holdfast forget"),
        (("mirror", "https://e.org/", "--output="), "-o/--output needs a value", "usage: holdfast mirror"),
        (
            ("mirror", "https://e.org/", "--exclude", "a", "--exclude", ""),
            "--exclude needs a value",
            "usage: holdfast mirror",
        ),
        (("serve", "--port", "x"), "--port = 'x': expected a whole number", "usage: holdfast serve"),
        (("url", "canon", "--json=x", "u"), "--json takes no value", "usage: holdfast url canon"),
        (("log", "--feed", "rss"), "there is no flag --feed", "did you mean --format?"),
        (
            ("export", "--format", "rss"),
            "--format = 'rss': expected jsonl, parquet or sqlite",
            "usage: holdfast export",
        ),
        (("completion", "zhs"), "'zhs': expected bash, zsh or fish", "did you mean zsh?"),
        (("config", "import"), "FILE is missing", "usage: holdfast config import"),
        (("cluster",), "cluster wants a second word", "submit, worker, jobs, run; `holdfast cluster --help`"),
        (("url", "canno", "x"), "there is no command 'url canno'", "did you mean `holdfast url canon`?"),
        (("url", "x"), "there is no command 'url x'", "it has canon, path, probe"),
        (("track", "notes"), "there is no command 'track'", "did you mean `holdfast check PATH`?"),
        (("gc",), "there is no command 'gc'", "did you mean `holdfast store prune --help`?"),
        (("check", "--state", "x"), "there is no flag --state", "did you mean --store?"),
        (("check", "--online"), "there is no flag --online", "did you mean --fetch-urls?"),
        (("restore", ".", "--to", "x"), "there is no flag --to", "did you mean --output?"),
        (
            ("db", "backup", "x"),
            "there is no command 'db'",
            "did you mean `holdfast store backup DIR`?",
        ),
        (("db", "check"), "there is no command 'db'", "did you mean `holdfast verify`?"),
        (("archive", "repair"), "there is no command 'archive'", "did you mean `holdfast verify --repair`?"),
        (("history", "x"), "there is no command 'history'", "did you mean `holdfast log URL`?"),
        (("changes",), "there is no command 'changes'", "did you mean `holdfast log MIRROR`?"),
        (("mirror", "x", "--max-page", "3"), "there is no flag --max-page", "did you mean --max-pages?"),
    ],
)
def test_a_wrong_call_gets_one_line_and_a_hint(holdfast, words, error, hint):
    ran = holdfast(*words)
    assert ran.status == 2
    assert ran.err.startswith(f"error: {error}\n\nhint: {hint}")
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 3


@pytest.mark.parametrize(
    "words",
    [
        *(
            (command, "ring")
            for command in ("check", "verify", "restore", "log", "export", "serve", "convert", "fix")
        ),
        ("mirror", "http://127.0.0.1:9/", "-o", "ring"),
        ("mirror", "http://127.0.0.1:9/", "-o", "ring/below"),
        *(
            (*command.split(), "--store", "ring")
            for command in ("broken", "log", "store prune", "check", "links")
        ),
        ("verify", "--store", "ring"),
        ("restore", ".", "--output", "ring"),
        ("export", ".", "-o", "ring"),
    ],
)
def test_links_that_form_a_ring_are_refused_in_words(words, holdfast, tmp_path):
    (tmp_path / "ring").symlink_to("other")
    (tmp_path / "other").symlink_to("ring")
    ran = holdfast(*words)
    assert ran.status not in (0, 1), ran.err
    assert ran.err.startswith("error: ")
    assert {path.name for path in tmp_path.iterdir()} <= {"ring", "other"}


@pytest.mark.spec("STA-3")
def test_an_error_is_a_document_for_a_program_that_asked_for_json(holdfast):
    ran = holdfast("log", "--runs", "--json", "--store", "nowhere")
    schema = (ROOT / "docs" / "reference" / "schemas" / "error-1.json").read_text(encoding="utf-8")
    Draft202012Validator(__import__("json").loads(schema)).validate(ran.json)
    assert ran.json["exit_status"] == ran.status != 0
    assert ran.json["error"] in ran.err


def test_version_says_what_is_installed_when_asked(holdfast):
    assert holdfast("--version").lines == ["holdfast 0.1.0"]
    shown = holdfast("--version", "--verbose").out
    assert "SQLite" in shown
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    needs = {extra for extra, asked in own.items() if any(not one.startswith("holdfast[") for one in asked)}
    listed = set(re.findall(r"^\[(\S+)\] +installed$", shown, re.MULTILINE))
    assert needs - {"bench", "browser", "dev", "fuzz"} <= listed


@pytest.mark.parametrize(
    ("python", "system", "packages"),
    [
        ((3, 11), "linux", {"apsw", "backports-zstd", "uvloop"}),
        ((3, 14), "linux", {"apsw", "uvloop"}),
        ((3, 13), "win32", {"apsw", "backports-zstd"}),
        ((3, 15), "win32", {"apsw"}),
    ],
)
def test_what_is_for_another_python_or_system_is_not_missing(python, system, packages):
    lines = [
        "holdfast[check]; extra == 'mirror'",
        "apsw>=3.53.0.0; extra == 'mirror'",
        "backports-zstd>=1.0; (python_version < '3.14') and extra == 'mirror'",
        "uvloop>=0.21; (sys_platform != 'win32') and extra == 'mirror'",
        "pytest; extra == 'dev'",
    ]
    asked = asked_by_extra(lines, python, system)
    assert {extra: set(names) for extra, names in asked.items()} == {"mirror": packages}


@pytest.mark.spec("LIB-3")
@pytest.mark.parametrize(
    "words", [("url", "canon", "https://e.com/"), ("url", "path", "https://e.com/"), ("config",)]
)
def test_identity_needs_the_url_parser_alone(words):
    """Every other library is hidden: what `pip install holdfast` brings is enough."""
    hidden = "apsw aiohttp selectolax lxml yaml pyromark isal brotli uvloop protego yarl".split()
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden!r})); from holdfast.faces.cli.main import main"
    )
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(main({list(words)!r}))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_command_whose_library_is_missing_names_the_extra():
    code = "import sys; sys.modules['selectolax'] = None; from holdfast.faces.cli.main import main"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; sys.exit(main(['convert', '-']))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(
        "error: `holdfast convert` needs a library that is not installed (selectolax"
    )
    assert ran.stderr.endswith("hint: pip install 'holdfast[mirror]'\n")


@pytest.mark.skipif(
    shutil.which("groff") is None, reason="groff is not installed: man pages are not rendered"
)
def test_man_pages_are_read_without_a_warning():
    pages = sorted((ROOT / "docs" / "man").glob("*.1"))
    assert len(pages) == len(COMMANDS) + 1
    ran = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-z", "-k", *pages], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
