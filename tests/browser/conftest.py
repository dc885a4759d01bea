"""A real Chromium, and a real server in a process of its own, both on loopback.

Where no browser is, these tests are skipped with a word; where `CI` is set they fail instead.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from faces.web.conftest import kept, sources  # noqa: F401 - the same mirror and documents
from helpers.trusting import trust

AXE = Path(__file__).parents[2] / ".browser" / "axe.min.js"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def follow(tab, selector):
    """Click on what leads elsewhere, and wait until that is there whole: a count would not."""
    with tab.expect_navigation():
        tab.click(selector)


def unavailable(why):
    if os.environ.get("CI") == "true":
        pytest.fail(f"{why}: run `make browser`")
    pytest.skip(f"{why}: `make browser` brings it")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory, server, acting):
    """Opens a browser. After the servers: while Playwright runs, this thread has an event loop."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        unavailable("there is no Chromium")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra of its own
    except ImportError:
        unavailable("Playwright is not installed")
    with sync_playwright() as playwright:
        yield lambda **options: playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"), executable_path=program, headless=True, args=FLAGS, **options
        )


@pytest.fixture(scope="module")
def server(kept):  # noqa: F811 - the fixture
    command = [sys.executable, "-m", "holdfast", "serve", "mirror", "notes", "--port", "0"]
    process = subprocess.Popen(command, cwd=kept.root, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip().rstrip("/")
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture(scope="module")
def acting(kept):  # noqa: F811 - the fixture
    """A server that may act, by the address that opens it."""
    trust(kept.root / "mirror")  # the library made it, and writes no record
    words = [sys.executable, "-m", "holdfast", "serve", "mirror", "notes", "--port", "0", "--allow-actions"]
    environment = {**os.environ, "HOLDFAST_ALLOW_PRIVATE": "true"}
    process = subprocess.Popen(words, cwd=kept.root, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.fixture(scope="module")
def axe():
    if not AXE.is_file():
        unavailable("axe-core is not here")
    return AXE.read_text(encoding="utf-8")
