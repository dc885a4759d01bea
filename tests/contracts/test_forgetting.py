"""The contract of the `ForgettingLedger` port, over every implementation (STA-4, LIN-1)."""

from __future__ import annotations

import pytest

from contracts.ledger_cases import RECIPE, at, capture, content, facts, link, place, run
from holdfast.adapters.memory.forgetting import MemoryForgettingLedger
from holdfast.adapters.sqlite.ledger import check_file, open_ledger
from holdfast.core.ledger import Draft, Finding
from holdfast.core.lineage import RecordRef

pytestmark = pytest.mark.spec("STA-4")

A, B = place("a"), place("b")


@pytest.fixture(params=["memory", "sqlite"])
def ledger(request, tmp_path):
    """Two pages with two versions each; /b's first says what /a's did; one capture shows nothing."""
    path = tmp_path / "ledger.db"
    made = MemoryForgettingLedger() if request.param == "memory" else open_ledger(path, at(0))
    made.begin_run(run())
    offsets = iter(range(0, 900, 100))
    for number, (where, text) in enumerate([(A, "one"), (B, "one"), (A, "two"), (B, "three")]):
        record = capture(where, number, ref=RecordRef("f-1", next(offsets), 100))
        draft = Draft(content(text), text, (link(B),))
        made.commit("run-1", [Finding(record, draft, facts(f"{where.key[:4]}.md"))], at(number))
    made.commit("run-1", [Finding(capture(B, 9, status=500, ref=RecordRef("f-1", 400, 100)))], at(9))
    made.end_run("run-1", at(10), {})
    yield made
    made.close()
    if request.param == "sqlite":
        assert list(check_file(path)) == []


def test_everything_seen_of_a_place_is_out_and_the_rest_stays(ledger):
    purged = ledger.purge({A.key}, (), {}, at(20))
    assert (purged.captures, purged.items) == (2, 2)
    assert list(ledger.history(A.web_key)) == []
    assert ledger.page("docs", A.key) is None
    assert ledger.current_item(RECIPE, B.key).content_sha256 == content("three")
    assert [page.place for page in ledger.pages("docs")] == [B]
    assert [stone.place for stone in ledger.tombstones()] == [A]


def test_no_edge_leads_to_what_was_forgotten(ledger):
    first = next(o.item for o in ledger.history(B.web_key) if o.item)
    assert ledger.relations(first.item_id).outgoing
    ledger.purge({A.key}, (), {}, at(20))
    assert ledger.relations(first.item_id).outgoing == ()


def test_the_seal_is_that_of_what_is_left(ledger):
    before = ledger.run("run-1").seal
    ledger.purge({A.key}, (), {}, at(20))
    assert ledger.run("run-1").seal != before


def test_captures_that_stay_are_where_the_archive_has_them_now(ledger):
    names = [o.capture.capture_id for o in ledger.history(B.web_key)]
    moved = {name: RecordRef("f-2", 10 * number, 10) for number, name in enumerate(names)}
    ledger.purge({A.key}, (), moved, at(20))
    assert [o.capture.ref for o in ledger.history(B.web_key)] == list(moved.values())
    assert ledger.archive_ends() == {"f-2": 30}


def test_what_shows_no_item_is_not_needed(ledger):
    [name] = ledger.unneeded_captures()
    ledger.purge((), {name}, {}, at(20))
    assert ledger.unneeded_captures() == ()
    assert [o.capture.status for o in ledger.history(B.web_key)] == [200, 200]
    assert list(ledger.tombstones()) == []


def test_places_are_found_by_web_key_and_by_host(ledger):
    assert ledger.places_at(A.web_key) == (A,)
    assert set(ledger.places_on("example.com")) == {A, B}
    assert ledger.places_on("example.org") == ()
