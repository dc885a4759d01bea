"""What a run says of itself while it asks, without a terminal and with one."""

import io

import pytest

from holdfast.adapters.ports import Event
from holdfast.core.web.pace import HeldHost, Outlook
from holdfast.faces.cli import bars
from holdfast.faces.cli.bars import TrackProgress

pytestmark = pytest.mark.spec("TRK-12")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def outlook(left, seconds, *held):
    return Event("outlook", (("outlook", Outlook(left, seconds, held)),))


def answered(done, total):
    return Event("answered", (("url", "https://a/"), ("state", "ok"), ("done", done), ("total", total)))


def test_without_a_terminal_what_is_left_and_why_is_a_line(monkeypatch):
    told = io.StringIO()
    monkeypatch.setattr(bars.sys, "stderr", told)
    with TrackProgress() as progress:
        progress.notice(outlook(430, 430.0))
        progress.notice(answered(1, 430))
        progress.notice(outlook(429, 120.0, HeldHost("github.com", 400, 58.0)))
    first, second = told.getvalue().splitlines()
    assert first == "0/430 asked, about 7 min left"
    assert second.startswith(
        "1/430 asked, about 2 min left; waiting for github.com (400 left; it asked for 58 s)"
    )


def test_on_a_terminal_the_time_left_knows_the_pace(monkeypatch):
    told = Terminal()
    monkeypatch.setattr(bars.sys, "stderr", told)
    monkeypatch.setattr(bars, "_EVERY_LINKS", 0.0)
    with TrackProgress() as progress:
        progress.notice(answered(100, 530))
        progress.notice(outlook(430, 430.0))
    drawn = told.getvalue().split("\r\033[K")
    assert "100/530  about 7 min left" in drawn[2]
