"""README and first steps are sessions that work: every block, in order, in one folder, against a web on
loopback.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.blocks import blocks_of
from sessions.web import scripted_web

ROOT = Path(__file__).parents[2]
HTML = {"Content-Type": "text/html; charset=utf-8"}


class LivingDocs:
    """docs.example.com: one page changes with each run (each run asks for robots.txt once)."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, host, path):
        if path == "/robots.txt":
            self.runs += host == "docs.example.com"
            return 404, {}, b""
        if host != "docs.example.com":
            return (404, HTML, b"<p>gone") if path == "/gone" else (200, HTML, b"<title>Other</title><p>fine")
        pages = {
            "/": "<h1>Docs</h1><a href='/api/users'>Users</a>",
            "/api/users": f"<h1>Users</h1><p>Returns at most {100 * self.runs} users a page.",
        }
        if path not in pages:
            return 404, HTML, b"<p>no such page"
        title = path.strip("/") or "home"
        return 200, HTML, f"<title>{title}</title><main>{pages[path]}</main>".encode()


def environment(web, folder):
    """Only what the session needs: the program, and the web to ask."""
    tools = folder / "bin"
    tools.mkdir()
    launcher = tools / "holdfast"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m holdfast "$@"\n')
    launcher.chmod(0o755)
    return os.environ | {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOLDFAST_PROXY": web.proxy,
        "HOLDFAST_CA_FILE": str(web.ca_file),
        "HOLDFAST_CONTENT_RATE_LIMIT": "0",
        "HOLDFAST_ASK_RESERVED": "true",
    }


PAGES = ("README.md", "docs/start/first-steps.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs_as_it_is_written(page, tmp_path):
    work = tmp_path / "work"
    (work / "notes").mkdir(parents=True)
    (work / "notes" / "a.md").write_text(
        "[users](https://docs.example.com/api/users) [x](https://x.example/gone)\n"
    )
    (work / "urls.txt").write_text("https://docs.example.com/a?utm_source=x\nhttps://docs.example.com/b\n")
    with scripted_web(LivingDocs(), tmp_path) as web:
        surroundings = environment(web, tmp_path)
        for block in blocks_of(ROOT / page):
            if block.why_not:
                continue
            for command in block.script.splitlines():
                ran = subprocess.run(
                    ["bash", "-c", command],
                    cwd=work,
                    env=surroundings,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                expected = block.status if command == block.script.splitlines()[-1] else 0
                assert ran.returncode == expected, (
                    f"{page}:{block.line}: {command}\n{ran.stdout}\n{ran.stderr}"
                )
                assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("page", PAGES)
def test_a_block_that_is_not_run_says_why(page):
    for block in blocks_of(ROOT / page):
        assert block.why_not is None or len(block.why_not) > 15
