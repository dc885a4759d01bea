"""One document never costs the others."""

import pytest

from holdfast.adapters.keeper import StoreKeeper
from holdfast.adapters.memory.archive import MemoryArchive
from holdfast.adapters.memory.clock import MemoryClock
from holdfast.adapters.memory.documents import MemoryDocuments
from holdfast.adapters.memory.ledger import MemoryLedger
from holdfast.core.local_links import LocalOptions
from holdfast.core.report_rules import RuleCode
from holdfast.formats import documents as formats
from holdfast.jobs.track import Tracker, TrackOptions, reading
from holdfast.questions.track.options import ReadingOptions
from track.scripted import Silent
from web_standard import WEB_STANDARD

pytestmark = pytest.mark.spec("SEC-8")


def tracked(files, **reading):
    documents = MemoryDocuments(files)
    return Tracker(
        documents,
        StoreKeeper(MemoryLedger(), MemoryArchive()),
        MemoryClock(),
        WEB_STANDARD,
        Silent(),
        TrackOptions(ReadingOptions(**reading), manifests=False),
    ).report()


@pytest.mark.parametrize(
    "notebook", [b"]https://e.org", b"[" * 100_000, b'{"cells": [' * 50_000, b"\xff\xfe"]
)
def test_a_notebook_that_is_broken_is_told_and_the_rest_is_read(notebook):
    result = tracked({"a.md": b"<https://e.org/a>", "b.ipynb": notebook, "c.md": b"<https://e.org/c>"})
    assert [entry.node.place.url for entry in result.cited] == ["https://e.org/a", "https://e.org/c"]
    (problem,) = result.read.problems
    assert (problem.path, problem.code) == ("b.ipynb", RuleCode.DOCUMENT_UNREADABLE)


def test_a_mistake_in_a_reader_is_one_documents_trouble(monkeypatch):
    read = reading.read_document

    def mistaken(data, kind):
        if b"odd" in data:
            raise IndexError("list index out of range")
        return read(data, kind)

    monkeypatch.setattr(reading, "read_document", mistaken)
    result = tracked({"a.md": b"odd", "b.md": b"<https://e.org/b>"})
    assert len(result.cited) == 1
    assert "IndexError" in result.read.problems[0].message


@pytest.mark.spec("TRK-11")
def test_a_document_is_parsed_once_for_urls_and_local_links(monkeypatch):
    parsed = []
    real = formats.read_markdown
    monkeypatch.setattr(formats, "read_markdown", lambda data, **kw: parsed.append(data) or real(data, **kw))
    result = tracked({"a.md": b"[x](gone.md) <https://e.org/>\n"}, local=LocalOptions())
    assert [finding.url for finding in result.report.findings] == ["gone.md"]
    assert len(result.cited) == len(parsed) == 1
