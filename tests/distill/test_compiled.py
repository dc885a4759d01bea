"""The modules that are compiled do what their sources do."""

import json
import random
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "compiled.py"))
TAGS = "div p b a em code table tr td th ul ol li dl dt dd pre h2 span section blockquote sup details".split()
PIECES = [
    *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<a href='/x y?q#f'>",
    "<img src=i.png alt='a*b'>",
    "<td colspan=3>", '<div class="note admonition">', '<span class="math">\\(x<y\\)</span>', "<!-- c -->",
    "<br>",
    "words *and* _marks_ ", "`tick` ", "1. ", "# ", "\\ | ~~ ", "é ≠ 漢 ", "&lt;b&gt; ",
    "\n", "<nav>", "</nav>", "<main>",
]  # fmt: skip
READ = """
import json, sys
from datetime import UTC, datetime
from holdfast.core.capture import Capture
from holdfast.core.recipe import Recipe
from holdfast.core.url import parse_url
from holdfast.distill import distill
from holdfast.formats.html import tree
url, recipe = parse_url("https://example.com/a/b"), Recipe.parse("http_snapshot_url_v1_text_v1")
def read(page):
    capture = Capture(url, url, 200, (("content-type", "text/html"),), page.encode(), datetime.now(UTC))
    page = distill(capture, recipe)
    return page.markdown, page.text, page.title, str(page.links), str(page.headings)
print(json.dumps([tree.__file__, list(map(read, json.load(sys.stdin)))]))
"""


def pages():
    numbers = random.Random(7)
    return ["".join(numbers.choices(PIECES, k=numbers.randrange(1, 300))) for _ in range(150)]


def read(sources):
    ran = subprocess.run(
        [sys.executable, "-c", READ],
        input=json.dumps(pages()),
        env={"PYTHONPATH": str(sources), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def test_compiled_and_interpreted_write_the_same_pages(tmp_path):
    if not TOOL["compiled_files"]():
        pytest.skip("nothing is compiled here")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    by_machine, compiled = read(ROOT / "src")
    by_reading, interpreted = read(tmp_path / "src")

    assert by_machine.endswith((".so", ".pyd"))
    assert by_reading.endswith(".py")
    assert compiled == interpreted


def test_what_is_compiled_is_there():
    assert "holdfast/formats/html/tree.py" in TOOL["modules"]()
    assert all((ROOT / "src" / name).is_file() for name in TOOL["modules"]())
