"""The shapes that one page takes on its way through a mirror are those that the architecture page lists.

Nothing is listed by hand here: a mirror of one page runs in memory, and every value of ours through which the
page's words or the hash of its bytes can be reached is a shape of it. What is inside one of the two readers
of HTML is its own affair: the other has nothing like it.
"""

from __future__ import annotations

import re
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.adapters.fake_web import Reply
from jobs.test_raw_first import HOME, World

ARCHITECTURE = Path(__file__).parents[2] / "docs" / "internals" / "architecture.md"
WORD = "Zebrafinch"
BODY = f"<title>{WORD}</title><h1>{WORD}</h1><p>{WORD}es sing.</p>".encode()
MARKS = (WORD, sha256(BODY).hexdigest())
MOST = 9
READERS = ("holdfast.core.page.html.", "holdfast.core.page.markdown.", "holdfast.core.page.section")


def fields_of(value):
    """What a value of ours holds; None for anything else."""
    kind = type(value)
    if not kind.__module__.startswith("holdfast."):
        return None
    if hasattr(kind, "__dataclass_fields__"):
        return [getattr(value, name, None) for name in kind.__dataclass_fields__]
    return list(value) if hasattr(kind, "_fields") else None


def tells_of_the_page(value, depth=6):
    """Whether the page's words can be reached through a value."""
    if isinstance(value, str):
        return any(mark in value for mark in MARKS)
    if isinstance(value, bytes):
        return WORD.encode() in value
    held = fields_of(value)
    if held is None and isinstance(value, (tuple, list)):
        held = value
    return depth > 0 and any(tells_of_the_page(one, depth - 1) for one in held or ())


class Watch:
    """Notes the types of all values that functions of ours return or hold when they end."""

    def __init__(self):
        self.seen = {}

    def __call__(self, frame, event, returned):
        module = frame.f_globals.get("__name__", "")
        if event != "return" or not module.startswith("holdfast.") or module.startswith(READERS):
            return
        for value in (returned, *frame.f_locals.values()):
            kind = type(value)
            if kind not in self.seen and fields_of(value) is not None and tells_of_the_page(value):
                self.seen[kind] = value


@pytest.fixture(scope="module")
def seen():
    """The types of public values that told of the page; the web that answers is a fake."""
    world, watch = World(), Watch()
    world.script = {HOME: Reply(BODY)}
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        summary = world.mirror()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert summary.pages == 1
    public = {kind for kind in watch.seen if not kind.__name__.startswith("_") and kind is not Reply}
    return {kind.__name__: kind for kind in public if not kind.__module__.startswith(READERS)}


def listed():
    """The rows of the table: the shape, and what it holds."""
    text = ARCHITECTURE.read_text(encoding="utf-8").partition("## The shapes of a page\n")[2]
    rows = [line.split("|")[1:-1] for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[re.findall(r"`(\w+)`", cell) for cell in row[:2]] for row in rows[2:]]


def test_every_shape_that_a_page_takes_is_in_the_list_and_every_shape_of_the_list_is_taken(seen):
    assert {name for row in listed() for cell in row for name in cell} == set(seen)


def test_a_page_takes_at_most_nine_shapes():
    assert 0 < len(listed()) <= MOST
    assert all(len(shape) == 1 for shape, _ in listed())


def test_every_shape_says_why_it_exists(seen):
    made_up = [name for name, kind in seen.items() if (kind.__doc__ or name).startswith(name)]
    assert made_up == []  # a tuple without a docstring of its own is given one: its name and its fields
