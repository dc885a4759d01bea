"""The contract of the `ForgettingLedger` port, over every implementation (STA-4, LIN-1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import RECIPE, at, capture, commit, content, facts, link, moved_to, place
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Draft, Finding, FrontierEntry, Original
from holdfast.core.lineage.lineage import RecordRef, RunTally

pytestmark = pytest.mark.spec("STA-4")

A, B, C = place("a"), place("b"), place("c")


@pytest.fixture(autouse=True)
def story(ledger):
    """Two pages with two versions each; /b's first says what /a's did; one capture shows nothing."""
    offsets = iter(range(0, 900, 100))
    for number, (where, text) in enumerate([(A, "one"), (B, "one"), (A, "two"), (B, "three")]):
        record = capture(where, number, ref=RecordRef("f-1", next(offsets), 100))
        draft = Draft(content(text), text, (link(B),))
        ledger.commit("run-1", [Finding(record, draft, facts(f"{where.key[:4]}.md"))], at(number))
    ledger.commit("run-1", [Finding(capture(B, 9, status=500, ref=RecordRef("f-1", 400, 100)))], at(9))
    ledger.runs.end_run("run-1", at(10), RunTally.of({}))


def test_everything_seen_of_a_place_is_out_and_the_rest_stays(ledger):
    purged = ledger.forgetting.purge({A.key}, (), moved_to({}), at(20))
    assert (purged.captures, purged.items) == (2, 2)
    assert list(ledger.history.of_url(A.web_key)) == []
    assert ledger.pages.page("docs", A.key) is None
    assert ledger.history.current_item(RECIPE, B.key).content_sha256 == content("three")
    assert [page.place for page in ledger.pages.by_path("docs")] == [B]
    assert [stone.place for stone in ledger.forgetting.tombstones()] == [A]


def test_no_edge_leads_to_what_was_forgotten(ledger):
    first = next(o.item for o in ledger.history.of_url(B.web_key) if o.item)
    assert ledger.history.relations(first.item_id).outgoing
    ledger.forgetting.purge({A.key}, (), moved_to({}), at(20))
    assert ledger.history.relations(first.item_id).outgoing == ()


def test_the_seal_is_that_of_what_is_left(ledger):
    before = ledger.runs.run("run-1").seal
    ledger.forgetting.purge({A.key}, (), moved_to({}), at(20))
    assert ledger.runs.run("run-1").seal != before


def test_captures_that_stay_are_where_the_archive_has_them_now(ledger):
    names = [o.capture.capture_id for o in ledger.history.of_url(B.web_key)]
    moved = {name: RecordRef("f-2", 10 * number, 10) for number, name in enumerate(names)}
    ledger.forgetting.purge({A.key}, (), moved_to(moved), at(20))
    assert [o.capture.ref for o in ledger.history.of_url(B.web_key)] == list(moved.values())
    assert ledger.archived.ends() == {"f-2": 30}


def test_what_shows_no_item_is_not_needed(ledger):
    [name] = ledger.forgetting.unneeded_captures()
    ledger.forgetting.purge((), {name}, moved_to({}), at(20))
    assert list(ledger.forgetting.unneeded_captures()) == []
    assert [o.capture.status for o in ledger.history.of_url(B.web_key)] == [200, 200]
    assert list(ledger.forgetting.tombstones()) == []


def test_places_are_found_by_web_key_and_by_host(ledger):
    assert ledger.forgetting.places_at(A.web_key) == (A,)
    assert set(ledger.forgetting.places_on("example.com")) == {A, B}
    assert not list(ledger.forgetting.places_on("example.org"))


def test_entries_and_other_names_of_what_is_forgotten_go_and_their_traces_are_listed(ledger):
    entry = FrontierEntry(A, A.url, depth=0, source=0, position=1)
    ledger.frontier.add_entries("run-1", [entry, replace(entry, place=B, fetch_url=B.url, position=2)])
    ledger.commit("run-1", [Finding(aliases=(Alias(B, A, AliasReason.REDIRECT),))], at(11))
    ledger.forgetting.purge([A.key], (), moved_to({}), at(20))
    assert [left.place for left in ledger.frontier.entries("run-1")] == [B]
    assert ledger.pages.names_of(B.web_key) == ()
    left = [(row.path, row.url) for row in ledger.forgetting.removals()]
    assert left == [("", A.url), (f"{A.key[:4]}.md", A.url)]


def test_while_an_archive_is_written_anew_it_is_known_where_each_body_is(ledger):
    found = []

    def rewrite(moves):
        for number, record in enumerate(moves.staying()):
            found.append((record.status, moves.original(record)))
            moves.note(record, RecordRef("f-2", number, 1))
        confirmed = record._replace(status=304, payload_sha256=None)
        found.append((304, moves.original(confirmed)))
        found.append((304, moves.original(confirmed._replace(final_url="https://other/"))))

    records = [capture(C, 30 + n, ref=RecordRef("f", 100 + n, 1), payload="ab" * 32) for n in range(2)]
    commit(ledger, *map(Finding, records))
    ledger.forgetting.purge({A.key, B.key}, (), rewrite, at(40))
    own = Original(RecordRef("f-2", 0, 1), capture(C, 30).final_url, capture(C, 30).fetched_at)
    assert found == [(200, None), (200, own), (304, own), (304, own)]
