"""The contract of the `CitationTable` port, over every implementation."""

from __future__ import annotations

import pytest

from helpers.ledger_cases import at, content, place, seen
from holdfast.core.base.difference import Drift
from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.event_kind import ChangeDetail, EventKind, SectionVerdict
from holdfast.core.links.citation import (
    Backlink,
    Bid,
    Citation,
    CitedOrder,
    CitedPlace,
    Document,
    KeptEvidence,
    LedgerEvent,
    Notes,
    PlacesWanted,
    cursor_of,
    document_bid,
)
from holdfast.core.links.link_state import LinkState, Looks
from holdfast.core.page.page import LinkKind, Mention, Span
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Validators

pytestmark = pytest.mark.spec("TRK-8")
A, B, C = place("a"), place("b"), place("c")
NOTES = Notes(
    evidence=KeptEvidence("not-found", 404, (("https://a/", 301, "https://b/"),)),
    first=content("x"),
    doubted=content("y"),
    recipe="http_snapshot_web_v1_text_v1",
    content_type="text/html",
    last_modified="then",
    fragments={"part": True, "gone": False, "who knows": None},
    warnings=("soft_404",),
    not_before="2026-11-16T00:00:00+00:00",
    sections={"part": "section_v1-1"},
    doubted_sections={"part": "section_v1-2"},
)


def document(path: str, text: str = "x") -> Document:
    return Document(path, document_bid(path), content(text), len(text), 1_700_000_000_123_456_789, at(1))


def cites(where, line: int = 1, **more) -> Citation:
    span = Span(line * 10, line * 10 + 5, line, 3, 4)
    return Citation(
        where, where.url + "#f", Mention(where.url + "#f", "text", LinkKind.ANCHOR, span), "f", **more
    )


def known(where, state: LinkState = LinkState.OK, **more) -> CitedPlace:
    return CitedPlace(where, Bid("bid:x"), state, where.url, **more)


def test_a_document_and_its_citations_are_read_back(ledger):
    found = [cites(A), cites(B, 2, ignored=True), cites(A, 3, finding="fragment_missing")]
    apart = cites(A, 4)
    found.append(apart._replace(mention=apart.mention._replace(used=Span(70, 70, 7, 8, 9))))
    ledger.citations.put_documents([(document("b.md"), found), (document("a.md"), [])])
    assert list(ledger.citations.documents()) == [document("a.md"), document("b.md")]
    assert ledger.citations.of_document("b.md") == tuple(found)
    assert ledger.citations.of_document("a.md") == ledger.citations.of_document("none.md") == ()


def test_a_document_is_replaced_whole(ledger):
    ledger.citations.put_documents([(document("a.md"), [cites(A), cites(B, 2)])])
    ledger.citations.put_documents([(document("a.md", "new"), [cites(C)])])
    assert ledger.citations.of_document("a.md") == (cites(C),)
    assert list(ledger.citations.documents()) == [document("a.md", "new")]
    assert ledger.citations.backlinks(A.web_key) == ()


def test_backlinks_by_url_by_host_and_by_pattern(ledger):
    elsewhere = "https://other.example/a"
    other = Place(elsewhere, url_key(elsewhere), url_key(elsewhere))
    ledger.citations.put_documents(
        [(document("b.md"), [cites(A), cites(C, 2)]), (document("a.md"), [cites(A), cites(other, 2)])]
    )
    assert ledger.citations.backlinks(A.web_key) == (Backlink("a.md", cites(A)), Backlink("b.md", cites(A)))
    assert [b.document for b in ledger.citations.backlinks_of_host("example.com")] == ["a.md", "b.md", "b.md"]
    assert [b.document for b in ledger.citations.backlinks_of_host("other.example")] == ["a.md"]
    assert [b.citation.place for b in ledger.citations.backlinks_like("https://example.com/[!a]")] == [C]
    assert len(list(ledger.citations.backlinks_like("https://*/a"))) == 3


@pytest.mark.parametrize("few", [1, 5_000])
def test_many_citations_of_a_host_come_in_the_order_of_few(ledger, monkeypatch, few):
    monkeypatch.setattr("holdfast.storage.ledger.citation_table._FEW", few)
    paths = [f"{n}.md" for n in range(9, 0, -1)]
    ledger.citations.put_documents([(document(path), [cites(A), cites(B, 2)]) for path in paths])
    on_host = [Backlink(path, cited) for path in sorted(paths) for cited in (cites(A), cites(B, 2))]
    assert list(ledger.citations.backlinks_of_host("example.com")) == on_host
    assert list(ledger.citations.backlinks_like("https://example.com/*")) == on_host
    assert list(ledger.citations.backlinks_like("https://example.com/b*")) == on_host[1::2]
    assert list(ledger.citations.backlinks_like("https://example.co[m]/*")) == on_host


def test_a_place_is_counted_while_something_cites_it(ledger):
    count = ledger.citations.count_states
    ledger.citations.put_places([known(A), known(B), known(C, LinkState.GONE)])
    assert count() == {}
    ledger.citations.put_documents(
        [(document("a.md"), [cites(A), cites(C, 2)]), (document("b.md"), [cites(A)])]
    )
    assert count() == {LinkState.OK: 1, LinkState.GONE: 1}
    ledger.citations.put_documents([(document("a.md"), [cites(B)])])
    assert count() == {LinkState.OK: 2}
    ledger.citations.put_places([known(B, LinkState.GONE)])
    assert count() == {LinkState.OK: 1, LinkState.GONE: 1}
    ledger.citations.drop_documents(["a.md", "b.md"])
    assert count() == {}


def test_a_place_is_counted_by_the_key_that_its_url_has_now(ledger):
    """Another policy's form of a URL is cited, and gets the key of a place by an override."""
    ledger.citations.put_places([known(A)])
    ledger.citations.put_documents([(document("b.md"), [cites(B)])])
    assert ledger.citations.count_states() == {}
    ledger.citations.put_documents([(document("c.md"), [cites(B._replace(web_key=A.web_key))])])
    assert ledger.citations.count_states() == {LinkState.OK: 1}
    ledger.citations.put_documents([(document("c.md"), [cites(B)])])
    assert ledger.citations.count_states() == {}


def test_the_last_word_of_a_batch_on_a_place_counts(ledger):
    ledger.citations.put_places([known(A), known(B), known(A, LinkState.GONE)])
    assert ledger.citations.place(A.web_key) == known(A, LinkState.GONE)


def test_dropped_documents_leave_what_is_known_of_their_urls(ledger):
    ledger.citations.put_documents([(document("a.md"), [cites(A)])])
    ledger.citations.put_places([known(A)])
    ledger.citations.drop_documents(["a.md", "none.md"])
    assert list(ledger.citations.documents()) == []
    assert list(ledger.citations.places()) == []
    assert list(ledger.citations.places(cited=False)) == [known(A)]


def test_what_is_known_of_a_url_is_read_back_and_replaced(ledger):
    full = known(
        A,
        LinkState.NOT_FOUND,
        looks=Looks(3, at(0), at(1)),
        status=404,
        final_url=B.url,
        bid=Bid("bid:y"),
        content_sha256=content("x"),
        fetched_at=at(2),
        validators=Validators('"e"', "then"),
        notes=NOTES,
    )
    ledger.citations.put_places([known(A)])
    ledger.citations.put_places([full])
    assert ledger.citations.place(A.web_key) == full
    assert ledger.citations.place(B.web_key) is None


def test_places_come_by_url_and_by_state(ledger):
    ledger.citations.put_documents([(document("a.md"), [cites(A), cites(B, 2), cites(C, 3)])])
    ledger.citations.put_places([known(C, LinkState.GONE), known(A, LinkState.GONE), known(B)])
    assert [p.place for p in ledger.citations.places()] == [A, B, C]
    assert [p.place for p in ledger.citations.places([LinkState.GONE])] == [A, C]


def test_places_come_in_any_order_a_part_at_a_time(ledger):
    late = known(A, LinkState.GONE)._replace(looks=Looks(1, at(3), at(9)))
    early = known(B, LinkState.TIMEOUT)._replace(looks=Looks(1, at(1), at(9)))
    fine = known(C)._replace(looks=Looks(last=at(5)))
    ledger.citations.put_places([late, early, fine])

    def order(order, *states, before=None):
        found, wanted = [], PlacesWanted(states, CitedOrder(order), before)
        while part := ledger.citations.places_part(wanted, 1):
            found += [place.place for place in part]
            wanted = wanted._replace(after=cursor_of(part[-1], wanted.order))
        return found

    assert order("url") == [A, B, C]
    assert order("-url") == [C, B, A]
    assert order("age") == [B, A]
    assert order("-age") == [A, B]
    assert order("asked") == [C, A, B]
    assert order("-asked") == [B, A, C]
    assert order("asked", LinkState.GONE, LinkState.OK) == [C, A]
    assert order("url", before=at(2)) == [B]
    assert order("url", LinkState.GONE, LinkState.OK) == [A, C]
    assert order("-url", LinkState.GONE, LinkState.OK) == [C, A]


@pytest.mark.parametrize("after", ["x", "1", "-1 https://a", "1" * 20 + " https://a", "² https://a"])
def test_a_place_in_a_list_that_is_none_is_refused(ledger, after):
    with pytest.raises(UsageError, match="not a place in this list"):
        ledger.citations.places_part(PlacesWanted(order=CitedOrder.AGE, after=after), 5)


def test_uncharted_urls_come_once_with_their_first_citation(ledger):
    ledger.citations.put_documents(
        [(document("b.md"), [cites(A), cites(B, 2)]), (document("a.md"), [cites(A, 7), cites(A, 8)])]
    )
    ledger.citations.put_places([known(B)])
    assert list(ledger.citations.uncharted()) == [cites(A, 7)]
    same = Place("https://example.com/0", url_key("https://example.com/0"), A.web_key)
    ledger.citations.put_documents([(document("0.md"), [cites(C), cites(same, 2)])])
    assert set(ledger.citations.uncharted()) == {cites(C), cites(same, 2)}


@pytest.mark.spec("TRK-7")
def test_events_come_in_order_from_a_time_on(ledger):
    detail = ChangeDetail(Drift(0.25, True), {"part": SectionVerdict.SAME})
    events = [
        LedgerEvent(at(5), EventKind.CHANGED, A, "x", "y", detail),
        LedgerEvent(at(1), EventKind.DIED, B, "ok", "gone"),
    ]
    ledger.citations.put_places([known(A)], events)
    ledger.citations.put_places([], [LedgerEvent(at(9), EventKind.REVIVED, B)])
    assert [e.kind for e in ledger.citations.events(at(0))] == ["died", "changed", "revived"]
    assert [e.kind for e in ledger.citations.events(at(5))] == ["changed", "revived"]
    assert list(ledger.citations.events(at(0), [EventKind.CHANGED])) == events[:1]


@pytest.mark.spec("ID-12")
def test_a_cited_page_and_a_mirrored_page_meet_on_the_web_key(ledger):
    mirrored = place("s?b=2&a=1", web="https://example.com/s?a=1&b=2")
    cited = place("s?a=1&b=2")
    ledger.commit("run-1", [seen(mirrored, 1, "one")], at(2))
    ledger.citations.put_documents([(document("a.md"), [cites(cited)])])
    (observed,) = ledger.history.of_url(ledger.citations.of_document("a.md")[0].place.web_key)
    assert observed.capture.place.url == mirrored.url
    assert ledger.citations.backlinks(mirrored.web_key)[0].document == "a.md"
