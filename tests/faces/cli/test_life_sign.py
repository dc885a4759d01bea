"""Every long command gives a sign of life, also without a terminal; a short one says nothing."""

import io

import pytest

from holdfast.adapters.ports import Event
from holdfast.faces.cli.bars import watcher
from holdfast.faces.cli.console import LifeSign, end_life_sign, hide_life_sign, life_sign
from holdfast.faces.cli.parser import COMMANDS

OWN_PROGRESS = {"check", "verify", "restore", "store reprocess", "sync"}
SERVERS = {"serve", "lsp", "mcp", "cluster worker", "cluster run"}
SHORT = {
    "url canon",
    "url path",
    "config",
    "completion",
    "help",
    "url probe",
    "links",
    "backlinks",
    "runs",
    "status",
    "cluster jobs",
    "cluster submit",
}


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_every_command_is_short_or_says_what_it_is_doing():
    silent = {name for name, command in COMMANDS.items() if command.doing is None}
    assert silent <= OWN_PROGRESS | SERVERS | SHORT


def test_without_a_terminal_lines_come_after_ten_seconds_and_ever_less_often():
    said = io.StringIO()
    shown = LifeSign("reading the archive", said)
    for elapsed in range(60):
        shown.beat(elapsed)
    assert said.getvalue().splitlines() == [
        "reading the archive, 0:10",
        "reading the archive, 0:15",
        "reading the archive, 0:23",
        "reading the archive, 0:35",
        "reading the archive, 0:53",
    ]


def test_on_a_terminal_the_line_goes_when_something_else_is_said():
    screen = Screen()
    shown = LifeSign("searching", screen)
    shown.beat(1.0)
    assert not screen.getvalue()
    shown.beat(3.0)
    assert "searching, 0:03" in screen.getvalue()
    shown.hide()
    assert screen.getvalue().endswith("\x1b[K")
    shown.end()
    before = screen.getvalue()
    shown.beat(4.0)
    assert screen.getvalue() == before


@pytest.mark.parametrize("doing", [None, "searching"])
def test_short_work_shows_nothing(doing):
    screen = Screen()
    with life_sign(doing, screen):
        hide_life_sign()
        end_life_sign()
    assert not screen.getvalue()


@pytest.mark.spec("MIR-9")
def test_a_log_has_a_sign_of_life_until_the_first_page_is_asked_for(monkeypatch):
    said, made = io.StringIO(), []
    monkeypatch.setattr("holdfast.faces.cli.console._current", made)
    made.append(LifeSign("looking for pages", said))
    with watcher(quiet=False, stream=said) as watching:
        watching.notice(Event("looking", (("url", "https://docs.example/sitemap.xml"),)))
        made[0].beat(10.0)
        watching.notice(Event("processing", (("number", 1), ("total", 2), ("url", "https://docs.example/"))))
        made[0].beat(60.0)
    assert said.getvalue().splitlines() == [
        "looking for pages, 0:10",
        "[1/2] Processing: https://docs.example/",
    ]


@pytest.mark.spec("MIR-9")
@pytest.mark.parametrize(
    ("stream", "quiet"), [(Screen(), False), (io.StringIO(), True)], ids=["bar", "quiet"]
)
def test_a_bar_is_its_own_sign_of_life_and_who_wants_none_gets_none(monkeypatch, stream, quiet):
    made = [LifeSign("looking for pages", stream)]
    monkeypatch.setattr("holdfast.faces.cli.console._current", made)
    with watcher(quiet=quiet, stream=stream) as watching:
        made[0].beat(60.0)
        watching.notice(Event("looking", (("url", "https://docs.example/sitemap.xml"),)))
    assert "0:" not in stream.getvalue()
    assert ("a list of pages: https://docs.example/sitemap.xml" in stream.getvalue()) is not quiet
