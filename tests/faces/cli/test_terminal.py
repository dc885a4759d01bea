"""No control character of the outside reaches a terminal, a report or an index file raw (SEC-7)."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite
from holdfast.core.base.shown_text import harmless, harmless_json, harmless_lines
from holdfast.faces.cli.console import for_terminal, own

pytestmark = pytest.mark.spec("SEC-7")

HOSTILE = "\x1b]0;PWN\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\r"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN = re.compile(r"\r\x1b\[K(?:[a-z ]+, \d+:\d\d)?")
"""The line that says what a command is doing, which a slow machine has time to show, and its removal."""


def test_what_a_text_says_is_shown_and_not_obeyed():
    assert harmless("a\x1b[2Jb\u202ec") == r"a\x1b[2Jb\u202ec"
    assert harmless_lines("a\nb\x9b") == "a\nb\\x9b"
    assert json.loads(harmless_json(json.dumps(HOSTILE, ensure_ascii=False))) == HOSTILE


def test_our_own_sequences_cannot_be_forged():
    assert for_terminal(own("\x1b[1m") + "bold\x1b[2J") == "\x1b[1mbold\\x1b[2J"
    assert "\x1b" not in for_terminal("\0" + "0" * 16 + "\x1b[2J\0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "mirror"
    with LivingSite() as site:
        page = f"<title>{HOSTILE}</title><main><p>{HOSTILE} words</p><a href='/b'>{HOSTILE}</a></main>"
        site.put("/a", body=page.encode(), type="text/html; charset=utf-8")
        site.put("/b", "Other")
        assert mirror(site.origin + "/", folder, "--llms-txt").status == 0
    return folder, site.origin + "/a"


def on_a_terminal(*words):
    """What a command writes to a terminal, both streams."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "holdfast", *map(str, words)]
    env = os.environ | {"NO_COLOR": "1"}
    running = subprocess.Popen(command, stdout=terminal, stderr=terminal, stdin=subprocess.DEVNULL, env=env)
    os.close(terminal)
    data = b""
    while True:
        try:
            piece = os.read(controller, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    os.close(controller)
    running.wait()
    return OWN.sub("", data.decode().replace("\r\n", "\n"))


@pytest.mark.parametrize(
    "words", [("log", "URL"), ("lineage", "URL"), ("show", "URL"), ("show", "URL", "--format", "raw")]
)
def test_a_hostile_page_on_a_terminal(folder, words):
    words = [folder[1] if word == "URL" else word for word in words]
    shown = on_a_terminal(*words, "--store", folder[0])
    assert shown
    assert not RAW.search(shown), repr(shown)


def test_json_has_no_raw_mark_that_a_terminal_obeys(folder):
    done = holdfast("show", folder[1], "--json", "--store", folder[0])
    assert done.status == 0
    assert not RAW.search(done.out)


@pytest.mark.parametrize("name", ["_index.md", "llms.txt"])
def test_lists_of_pages_have_no_raw_mark(folder, name):
    assert not RAW.search((folder[0] / name).read_text())
