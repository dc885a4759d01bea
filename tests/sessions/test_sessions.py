"""README, guides and first steps are sessions that work: every block, in order, in one folder, against a web
on loopback.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sessions.blocks import blocks_of
from sessions.stages import OWN_TEST, STAGES
from sessions.web import scripted_web

ROOT = Path(__file__).parents[2]
HTML = {"Content-Type": "text/html; charset=utf-8"}
HOSTS = ("docs.example.com", "example.com")


class LivingDocs:
    """Two sites, one page of which changes with each run (each run asks for robots.txt once)."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, host, path):
        if path == "/robots.txt":
            self.runs += host in HOSTS
            return 404, {}, b""
        if path == "/old":
            return 301, HTML | {"Location": "/spec"}, b""
        if host not in HOSTS:
            return (404, HTML, b"<p>gone") if path == "/gone" else (200, HTML, b"<title>Other</title><p>fine")
        changing = f"<p>Returns at most {100 * self.runs} users a page."
        pages = {
            "/": "<h1>Docs</h1><a href='/api/users'>Users</a> <a href='/page'>Page</a>",
            "/api/users": f"<h1>Users</h1>{changing}",
            "/page": f"<h1>Page</h1>{changing}",
            "/spec": "<h1>Spec</h1><p>What is required.",
            "/x": "<h1>X</h1><p>Cited.",
            "/start": "<h1>Start</h1><p>Here.",
        }
        if path not in pages:
            return 404, HTML, b"<p>no such page"
        title = path.strip("/") or "home"
        return 200, HTML, f"<title>{title}</title><main>{pages[path]}</main>".encode()


class Terminal:
    """One folder in which commands are typed."""

    def __init__(self, web, folder) -> None:
        self.folder = folder / "work"
        self.folder.mkdir()
        tools = folder / "bin"
        tools.mkdir()
        launcher = tools / "holdfast"
        launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m holdfast "$@"\n')
        launcher.chmod(0o755)
        self._environment = os.environ | {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOLDFAST_PROXY": web.proxy,
            "HOLDFAST_CA_FILE": str(web.ca_file),
            "HOLDFAST_CONTENT_RATE_LIMIT": "0",
            "HOLDFAST_INCLUDE_RESERVED": "true",
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{
                f"GIT_{who}_{what}": "a@example.com"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }

    def write(self, files):
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def run(self, command):
        return subprocess.run(
            ["bash", "-c", self._of_today(command)],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def _of_today(self, command):
        """RUN in a page stands for the id of the first run, its date for a day of the reader's mirror."""
        command = command.replace("2026-05-04", datetime.now(UTC).date().isoformat())
        if not re.search(r"\bRUN\b", command):
            return command
        listed = self.run("holdfast log --runs --store docs").stdout.splitlines()
        return re.sub(r"\bRUN\b", listed[-1].split()[0], command)


@pytest.mark.parametrize("page", STAGES)
def test_every_block_runs_as_it_is_written(page, tmp_path):
    stage = STAGES[page]
    with scripted_web(LivingDocs(), tmp_path) as web:
        terminal = Terminal(web, tmp_path)
        terminal.write(stage.files)
        for command in stage.before:
            ran = terminal.run(command)
            assert ran.returncode == 0, f"before {page}: {command}\n{ran.stdout}\n{ran.stderr}"
        for block in blocks_of(ROOT / page):
            if block.why_not:
                continue
            assert block.commands, f"{page}:{block.line}: a block without a command"
            for command in block.commands:
                ran = terminal.run(command)
                expected = block.status if command == block.commands[-1] else 0
                assert ran.returncode == expected, (
                    f"{page}:{block.line}: {command}\n{ran.stdout}\n{ran.stderr}"
                )
                assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("page", STAGES)
def test_a_block_that_is_not_run_says_why(page):
    for block in blocks_of(ROOT / page):
        assert block.why_not is None or len(block.why_not) > 15


def test_every_page_with_commands_is_run():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    with_commands = {
        str(page.relative_to(ROOT))
        for page in pages
        if blocks_of(page) and not page.is_relative_to(ROOT / "docs/internals")
    }
    assert with_commands == set(STAGES) | set(OWN_TEST)
