"""`holdfast config trust`: what it shows, when it asks, where it records (SEC-9)."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from holdfast.faces.cli.parser import COMMANDS, build_parser

pytestmark = pytest.mark.spec("SEC-9")

HOSTILE = (
    'proxy = "http://ann:hush@p.example/\\u001b[2J\\u202e"\nbaseline = "../known"\n'
    '[notify."\\u001b]0;x"]\ncommand = "sh -c \'true\'"\n'
)


@pytest.fixture
def record(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(home))
    return home / "holdfast" / "trust"


@pytest.fixture
def folder(tmp_path, record):
    (tmp_path / "holdfast.toml").write_text(HOSTILE)
    return tmp_path


def test_it_shows_all_in_full_and_nothing_that_a_terminal_obeys(holdfast, folder):
    ran = holdfast("config", "trust")
    assert ran.status == 4
    assert "http://ann:hush@p.example/" in ran.out
    assert f"leads to {folder.parent / 'known'}" in ran.out
    assert "sh -c 'true'" in ran.out
    assert not any(bad in ran.out + ran.err for bad in ("\x1b", "\u202e"))


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_without_a_terminal_nothing_is_trusted_and_the_status_is_4(words, holdfast, folder, record):
    ran = holdfast("config", "trust", *words)
    assert (ran.status, "--yes" in ran.err, record.exists()) == (4, True, False)


def test_what_was_trusted_is_recorded_for_the_user_alone_and_not_in_the_folder(holdfast, folder, record):
    before = sorted(folder.rglob("*"))
    assert holdfast("config", "trust", "--yes").status == 0
    (file,) = record.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.stat().st_mode) == 0o700
    assert sorted(folder.rglob("*")) == before
    assert "trusted already" in holdfast("config", "trust").err
    assert "not obeyed" not in holdfast("config").err


def test_a_program_gets_what_there_is_to_trust_as_a_document(holdfast, folder):
    ran = holdfast("config", "trust", "--json", "--yes")
    told = ran.json
    assert (told["schema"], told["trusted"], ran.status) == ("holdfast.config-trust/1", True, 0)
    assert [(each["place"], each["reach"]) for each in told["settings"]] == [
        ("proxy", "network"), ("baseline", "path"), ("[notify.\\x1b]0;x] command", "program"),
    ]  # fmt: skip


@pytest.mark.parametrize(("said", "status"), [("yes\n", 0), ("no\n", 4), ("\n", 4)])
def test_a_person_is_asked(said, status, holdfast, folder, record, monkeypatch):
    monkeypatch.setattr("sys.stdin", _Terminal(said))
    assert holdfast("config", "trust").status == status
    assert record.exists() == (status == 0)


class _Terminal:
    """Somebody who types a line."""

    def __init__(self, line):
        self.line = line

    def isatty(self):
        return True

    def readline(self, _most=-1):
        return self.line


def test_where_nothing_reaches_out_there_is_nothing_to_trust(holdfast, folder, record):
    (folder / "holdfast.toml").write_text('layout = "hash"\nbaseline = "known"\n')
    ran = holdfast("config", "trust")
    assert (ran.status, "nothing to trust" in ran.out, record.exists()) == (0, True, False)


def test_without_a_settings_file_it_says_so(holdfast, tmp_path):
    ran = holdfast("config", "trust")
    assert (ran.status, "no holdfast.toml" in ran.err) == (2, True)


def test_a_record_that_is_damaged_or_another_file_s_counts_for_nothing(holdfast, folder, record):
    assert holdfast("config", "trust", "--yes").status == 0
    (file,) = record.iterdir()
    whole = file.read_bytes()
    for damage in (b"", whole[:-1], whole.replace(bytes(folder), b"/elsewhere"), b"\xff" * 99):
        file.write_bytes(damage)
        assert "not obeyed" in holdfast("config").err


@pytest.mark.parametrize("place", ["relative/state", ""])
def test_a_home_that_is_no_full_path_records_nothing(place, holdfast, folder, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", place)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.delenv(name, raising=False)
    ran = holdfast("config", "trust", "--yes")
    assert (ran.status, "XDG_STATE_HOME" in ran.err) == (3, True)
    assert "not obeyed" in holdfast("config").err


def test_the_record_lies_in_the_home_folder_where_nothing_else_is_said(holdfast, folder, monkeypatch, record):
    home = record.parent / "home"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(home))
    assert holdfast("config", "trust", "--yes").status == 0
    assert len(list((home / ".local" / "state" / "holdfast" / "trust").iterdir())) == 1


def test_the_variable_knows_one_word(holdfast, folder, monkeypatch):
    monkeypatch.setenv("HOLDFAST_TRUST", "yes")
    ran = holdfast("config")
    assert (ran.status, "HOLDFAST_TRUST = 'yes': expected all" in ran.err) == (2, True)
    monkeypatch.setenv("HOLDFAST_TRUST", "")
    assert "not obeyed" in holdfast("config").err
    monkeypatch.setenv("HOLDFAST_TRUST", "all")
    assert "not obeyed" not in holdfast("config").err


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("help", "completion")])
def test_every_command_that_reads_settings_can_be_told_to_trust_them_once(command):
    parser = build_parser(command)
    assert "--trust" in {flag for action in parser.actions() for flag in action.option_strings}


def test_a_settings_file_cannot_trust_itself(holdfast, folder):
    for text in ("trust = true\n", 'trust = "all"\n'):
        (folder / "holdfast.toml").write_text(text + HOSTILE)
        ran = holdfast("config")
        assert (ran.status, "there is no setting 'trust'" in ran.err) == (2, True)


def test_tests_never_trust_every_folder():
    """A test that trusted all would prove nothing about trust."""
    own = Path(__file__).parent
    others = [path for path in own.parent.rglob("*.py") if path.parent != own]
    assert [path for path in others if "HOLDFAST_TRUST" in path.read_text(encoding="utf-8")] == []
    assert "HOLDFAST_TRUST" not in os.environ
