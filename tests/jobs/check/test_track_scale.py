"""Ten thousand documents with a hundred thousand links: questions are answered at once (TRK-8)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helpers.growth import FACTOR, steps_of
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.links.citation import Document, LedgerEvent, document_bid
from holdfast.core.links.citing import cite, new_place
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.settings.resolve import resolve
from holdfast.core.url.policy import WEB
from holdfast.jobs.session import open_store

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENTS, LINKS, ON_A_HOST = 10_000, 10, 100
QUESTIONS = {
    ("links", "d3/doc333.md"): LINKS,
    ("backlinks", "https://host7.example.com/page/7"): 2,
    ("backlinks", "host7.example.com"): ON_A_HOST,
    ("broken",): 0,
    ("changed",): 2,
}
COUNTED = {("broken",): 7.5 * DOCUMENTS * 6}
"""Steps for what a question counts along an index: every URL that nobody has asked yet
(docs/internals/decisions/large-ledgers.md).
"""


def citations_of(number, documents):
    for k in range(LINKS):
        n = (number * LINKS + k) % (documents * 6)
        url = f"https://host{n % (documents * LINKS // ON_A_HOST)}.example.com/page/{n}"
        mention = Mention(url, f"link {k}", LinkKind.ANCHOR, Span(k * 80, k * 80 + len(url), k + 1, 1, 1))
        yield cite(mention, WEB)


def fill(state, documents):
    places = {}
    batch = []
    with open_store(state, "test", resolve()) as store:
        for number in range(documents):
            path = f"d{number // 100}/doc{number}.md"
            citations = tuple(citations_of(number, documents))
            batch.append((Document(path, document_bid(path), "x", 1, 1, NOW), citations))
            places.update({c.place.web_key: c for c in citations})
        store.ledger.citations.put_documents(batch)
        nodes = [new_place(citation) for citation in places.values()]
        store.ledger.citations.put_places(
            nodes, [LedgerEvent(NOW, EventKind.CHANGED, nodes[7].place, "a", "b")]
        )


@pytest.mark.spec("TRK-8")
def test_a_question_about_a_hundred_thousand_links_costs_what_it_costs_about_a_quarter_of_them(
    holdfast, tmp_path
):
    fill(tmp_path / "small", DOCUMENTS // FACTOR)
    fill(tmp_path / "large", DOCUMENTS)
    for question, rows in QUESTIONS.items():
        small, large = ((*question, "--store", tmp_path / size) for size in ("small", "large"))
        assert len(holdfast(*large).lines) == rows, question
        assert holdfast(*small).status == 0, question  # whatever is done once is done by now
        cost, cost_of_a_quarter = (steps_of(lambda w=words: holdfast(*w)) for words in (large, small))
        assert cost < 2 * cost_of_a_quarter + COUNTED.get(question, 0), question


@pytest.mark.spec("TRK-4")
def test_a_second_run_parses_only_what_changed(holdfast, tmp_path):
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(f"https://example.com/{number}\n")
    assert holdfast("check", "--json").json["parsed"] == 30
    assert holdfast("check", "--json").json["parsed"] == 0
    (tmp_path / "7.md").write_text("https://example.com/new\n")
    (tmp_path / "8.md").write_text("https://example.com/8\n")  # touched, and the same
    (tmp_path / "9.md").unlink()
    ran = holdfast("check", "--json").json
    assert (ran["parsed"], ran["documents"]) == (1, 29)
    assert "https://example.com/9" not in [url["url"] for url in ran["urls"]]
