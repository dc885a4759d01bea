"""Ten thousand documents with a hundred thousand links: questions are answered at once (TRK-8)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.core.bid import document_bid
from holdfast.core.citation import Document, LedgerEvent
from holdfast.core.citing import cite, new_place
from holdfast.core.page import LinkKind, Mention, Span
from holdfast.core.policy import WEB
from holdfast.core.settings import resolve
from holdfast.wiring import open_store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENTS, LINKS, HOSTS = 10_000, 10, 1_000


def citations_of(number):
    for k in range(LINKS):
        n = (number * LINKS + k) % 60_000
        url = f"https://host{n % HOSTS}.example.com/page/{n}"
        mention = Mention(url, f"link {k}", LinkKind.ANCHOR, Span(k * 80, k * 80 + len(url), k + 1, 1, 1))
        yield cite(mention, WEB)


@pytest.mark.spec("TRK-8")
def test_questions_about_a_hundred_thousand_links_take_under_fifty_milliseconds(holdfast, tmp_path):
    places = {}
    batch = []
    with open_store(Path(tmp_path) / ".holdfast", "test", resolve()) as store:
        for number in range(DOCUMENTS):
            path = f"d{number // 100}/doc{number}.md"
            citations = tuple(citations_of(number))
            batch.append((Document(path, document_bid(path), "x", 1, 1, NOW), citations))
            places.update({c.place.web_key: c for c in citations})
        store.ledger.put_documents(batch)
        nodes = [new_place(citation) for citation in places.values()]
        store.ledger.put_places(nodes, [LedgerEvent(NOW, "changed", nodes[7].place, "a", "b")])
    questions = {
        ("links", "d3/doc333.md"): LINKS,
        ("backlinks", "https://host7.example.com/page/7"): 2,
        ("backlinks", "host7.example.com"): DOCUMENTS * LINKS // HOSTS,
        ("broken",): 0,
        ("changed",): 2,
    }
    for question, rows in questions.items():
        assert len(holdfast(*question).lines) == rows, question
        assert min(_seconds(holdfast, question) for _ in range(5)) < 0.05, question


def _seconds(holdfast, question):
    begun = time.perf_counter()
    holdfast(*question)
    return time.perf_counter() - begun


@pytest.mark.spec("TRK-4")
def test_a_second_run_parses_only_what_changed(holdfast, tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"https://example.com/{number}\n")
    assert holdfast("track", "--json").json["parsed"] == 30
    assert holdfast("track", "--json").json["parsed"] == 0
    (tmp_path / "7.md").write_text("https://example.com/new\n")
    (tmp_path / "8.md").write_text("https://example.com/8\n")  # touched, and the same
    (tmp_path / "9.md").unlink()
    ran = holdfast("track", "--json").json
    assert (ran["parsed"], ran["documents"]) == (1, 29)
    assert "https://example.com/9" not in [url["url"] for url in ran["urls"]]
