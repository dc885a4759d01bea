"""One document never costs the others."""

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.documents import readers
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.core.links.citation import Backlink
from holdfast.core.links.local_links import LocalOptions
from holdfast.jobs.check import reading_documents as reading
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.options import ReadingOptions, TrackOptions
from holdfast.storage.sqlite.sqlite_ledger import open_ledger

pytestmark = pytest.mark.spec("SEC-8")


def tracked(files, **reading):
    documents = MemoryDocuments(files)
    return Tracker(
        documents,
        session_of(memory_ledger(), clock=MemoryClock()),
        WEB_STANDARD,
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
    real = readers.read_markdown
    monkeypatch.setattr(readers, "read_markdown", lambda data, **kw: parsed.append(data) or real(data, **kw))
    result = tracked({"a.md": b"[x](gone.md) <https://e.org/>\n"}, local=LocalOptions())
    assert [finding.url for finding in result.report.findings] == ["gone.md"]
    assert len(result.cited) == len(parsed) == 1


def kept(cited):
    """What the ledger keeps of citations: not where the words end that refer to a definition."""
    for entry in cited.values():
        for at, (document, citation) in enumerate(entry.backlinks):
            used = citation.mention.used
            mention = citation.mention._replace(used=used and used._replace(end=used.start))
            entry.backlinks[at] = Backlink(document, citation._replace(mention=mention))
    return cited


@pytest.mark.spec("TRK-2")
@pytest.mark.parametrize("scope", [("",), ("b.md", "a.md")], ids=["whole", "part"])
def test_what_was_read_ahead_is_surveyed_as_if_it_were_written(tmp_path, scope):
    files = {
        "a.md": b"<https://e.org/b> <https://e.org/a#s>",
        "c.md": b"[c][r] <https://e.org/a>\n\n[r]: https://e.org/c 'C'\n",
        "d.md": b"<https://e.org/d>",
    }
    clock, documents = MemoryClock(), MemoryDocuments(files)
    session = session_of(open_ledger(tmp_path / "ledger.sqlite", clock.now()), clock=clock)
    options = TrackOptions(ReadingOptions(scope), manifests=False)
    tracker = Tracker(documents, session, WEB_STANDARD, options)
    tracker.read()
    documents.remove("d.md")
    documents.write("a.md", b"[x][r] and <https://e.org/a#t>\n\n[r]: https://e.org/c\n")
    documents.write("b.md", b"<https://e.org/c> <https://e.org/new> <https://e.org/new#s>")
    before = session.now(lambda ledger, _: list(ledger.citations.of_document("a.md")))
    report, fresh = tracker.read_ahead()
    assert session.now(lambda ledger, _: list(ledger.citations.of_document("a.md"))) == before
    surveyed = kept(tracker.survey(report, fresh))
    tracker.write(fresh)
    assert list(surveyed.items()) == list(tracker.survey(report).items())
    assert {document.path for document, _ in fresh} == {"a.md", "b.md"}


def test_urls_that_are_ignored_are_held_to_what_was_just_read():
    files = {
        ".holdfastignore": b"https://e.org/a it is down\n",
        "a.md": b"<https://e.org/a> <https://e.org/b>",
    }
    options = TrackOptions(ReadingOptions(("",)), manifests=False)
    session = session_of(memory_ledger(), clock=MemoryClock())
    tracker = Tracker(MemoryDocuments(files), session, WEB_STANDARD, options)
    report, fresh = tracker.read_ahead()
    assert (report.problems, fresh) == ((), ())
    assert [entry.counts for entry in tracker.survey(report).values()] == [False, True]
