"""The page of damage names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "internals" / "damage.md"
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::([\w:]+))?`", PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_every_test_that_the_page_names_is_there(path, name):
    text = (ROOT / path).read_text(encoding="utf-8")
    for part in name.split("::") if name else ():
        assert re.search(rf"^\s*(def|class) {part}\b", text, flags=re.MULTILINE), name


def test_the_page_names_many():
    assert len(NAMED) > 100
