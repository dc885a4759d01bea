"""Values that cross a process boundary come back as they were, through one short call each."""

import copy
import pickle
import pickletools
from datetime import UTC, datetime

import pytest

from holdfast.core.crawl.harvest import Harvest, PageContent
from holdfast.core.lineage.ledger_values import PageFacts, StoredPage
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture

URL = parse_url("https://example.com/a?b#c")
TIME = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = Place("https://example.com/a", "k", "w")
FACTS = PageFacts("a.md", "A", "f", 3, 1, "markdown_v2", ("empty_shell",))
VALUES = [
    Capture(URL, URL, 200, (("Content-Type", "text/html"),), b"body", TIME),
    Harvest(PLACE, (), skip="noindex", content=PageContent(file=b"x", title="t")),
    StoredPage(PLACE, FACTS, "i", "c", URL.href, 200, TIME, "text/html", None, None, title="t"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_that_crosses_processes_comes_back_as_it_was(value):
    assert pickle.loads(pickle.dumps(value, protocol=5)) == value
    assert copy.copy(value) == value


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_its_fields_are_not_set_one_by_one(value):
    opcodes = {opcode.name for opcode, _, _ in pickletools.genops(pickle.dumps(value, protocol=5))}

    assert "REDUCE" in opcodes
    assert "BUILD" not in opcodes
