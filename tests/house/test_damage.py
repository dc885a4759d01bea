"""The page of damage names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "internals" / "damage.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::([\w:]+))?`", PAGE.read_text(encoding="utf-8"))


def is_there(path, name):
    text = (ROOT / path).read_text(encoding="utf-8")
    return all(
        re.search(rf"^\s*(def|class) {part}\b", text, flags=re.MULTILINE) for part in name.split("::") if part
    )


def test_every_test_that_the_page_names_is_there():
    assert len(NAMED) > 100
    assert [row for row in NAMED if not is_there(*row)] == []
