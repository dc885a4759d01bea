"""The contract of `HistoryLedger`, and of the verdicts of `Ledger.commit`, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.ledger_cases import (
    OTHER_RECIPE,
    RECIPE,
    at,
    capture,
    commit,
    content,
    link,
    place,
    run,
    seen,
)
from holdfast.core.errors import LedgerError
from holdfast.core.ledger import (
    Confirmed,
    Draft,
    Finding,
)
from holdfast.core.lineage import EdgeKind, New, Superseding, Unchanged
from holdfast.core.page import LinkKind
from holdfast.core.verdict import EDGE_KEYS

A, B, C = place("a"), place("b"), place("c")


@pytest.mark.spec("LIN-2")
def test_what_is_like_nothing_is_new(ledger):
    (made,) = commit(ledger, seen(A, 1, "one"))
    assert made.verdict == New()
    assert ledger.history.current_item(RECIPE, A.key) == made.item


@pytest.mark.spec("LIN-2")
def test_the_same_again_is_no_new_item_but_an_observation(ledger):
    (first,) = commit(ledger, seen(A, 1, "one"))
    (again,) = commit(ledger, seen(A, 2, "one"))
    assert again.verdict == Unchanged(first.item)
    assert [o.is_new for o in ledger.history.of_url(A.web_key)] == [True, False]


@pytest.mark.spec("LIN-2", "LIN-3", "LIN-5")
def test_a_return_to_older_content_is_a_new_item_and_supersedes_by_content(ledger):
    first, second, third = commit(ledger, seen(A, 1, "one"), seen(A, 2, "two"), seen(A, 3, "one"))
    assert isinstance(third.verdict, Superseding)
    assert third.verdict.old == first.item
    metadata = dict(third.verdict.edge.metadata)
    assert metadata["conflict_resolved"] is True
    assert metadata["canonical_uri_match"] == second.item.item_id
    assert ledger.history.current_item(RECIPE, A.key) == third.item


@pytest.mark.parametrize("backward", [False, True])
def test_what_a_run_brought_is_read_a_few_at_a_time(ledger, monkeypatch, backward):
    monkeypatch.setattr("holdfast.adapters.sql.history._FIRST_BROUGHT", 2)
    made = [one.item for one in commit(ledger, *(seen(place(name), 1, name) for name in "abcdefg"))]
    brought = [seen.item for seen in ledger.history.brought_by("run-1", backward=backward)]
    assert brought == (made[::-1] if backward else made)


@pytest.mark.spec("LIN-4")
def test_edge_metadata_has_exactly_its_five_keys(ledger):
    first, second = commit(ledger, seen(A, 1, "one"), seen(A, 2, "two"))
    (edge,) = ledger.history.relations(second.item.item_id).outgoing
    assert edge == second.verdict.edge
    assert edge.kind is EdgeKind.SUPERSEDES
    assert tuple(dict(edge.metadata)) == EDGE_KEYS
    assert dict(edge.metadata) == {
        "reason": "same_canonical_uri",
        "conflict_resolved": False,
        "canonical_uri_match": first.item.item_id,
        "content_sha256_match": None,
        "selected": "canonical_uri",
    }
    assert ledger.history.relations(first.item.item_id).incoming == (edge,)


@pytest.mark.spec("LIN-5")
def test_a_url_keeps_its_own_current_item_when_another_supersedes_it_by_content(ledger):
    (first,) = commit(ledger, seen(A, 1, "one"))
    (other,) = commit(ledger, seen(B, 2, "one"))
    assert other.verdict.old == first.item
    assert ledger.history.current_item(RECIPE, A.key) == first.item
    (again,) = commit(ledger, seen(A, 3, "one"))
    assert again.verdict == Unchanged(first.item)


@pytest.mark.spec("LIN-3", "LIN-6")
def test_equal_content_in_one_batch_forms_a_chain(ledger):
    made = commit(ledger, *(seen(place(str(n)), 1, "same") for n in range(6)))
    assert [m.verdict.old for m in made[1:]] == [m.item for m in made[:-1]]
    assert len({m.item.created_at for m in made}) == 6


@pytest.mark.spec("LIN-5")
def test_current_follows_the_captures_not_the_order_of_writing(ledger):
    late, early = commit(ledger, seen(A, 9, "late"), seen(A, 1, "early"))
    assert ledger.history.current_item(RECIPE, A.key) == late.item
    assert early.item != late.item
    assert [o.item for o in ledger.history.of_url(A.web_key)] == [early.item, late.item]


@pytest.mark.spec("VER-4", "VER-5")
def test_items_of_another_version_are_never_matched(ledger):
    finding = seen(A, 1, "one")
    (first,) = commit(ledger, finding)
    ledger.runs.begin_run(run("run-2", OTHER_RECIPE, seconds=5))
    moved = place("A")
    draft = Draft(content("one"), "Title", reprocessed_from=first.item.item_id, place=moved)
    (made,) = commit(ledger, Finding(capture=finding.capture, made=draft), run_id="run-2", seconds=6)
    assert made.verdict == New()
    (edge,) = ledger.history.relations(made.item.item_id).outgoing
    assert (edge.kind, edge.target) == (EdgeKind.REPROCESSED_FROM, first.item.item_id)
    assert ledger.history.current_item(OTHER_RECIPE, moved.key) == made.item
    assert [o.item for o in ledger.history.of_url(A.web_key)] == [first.item, made.item]
    assert [o.item for o in ledger.history.of_url(A.web_key, OTHER_RECIPE)] == [made.item]
    assert [o.item for o in ledger.history.of_run("run-2")] == [made.item]


@pytest.mark.spec("LIN-7")
def test_a_finding_written_twice_is_written_once_and_gets_the_same_verdict(ledger):
    batch = (seen(A, 1, "one"), seen(A, 2, "two"), seen(B, 3, "one"), seen(A, 4, "two"))
    assert commit(ledger, *batch) == commit(ledger, *batch, seconds=50)
    assert len(list(ledger.history.of_url(A.web_key))) == 3


def test_a_304_observes_the_current_item_and_keeps_its_links(ledger):
    (first,) = commit(ledger, seen(A, 1, "one", links=(link(B), link(C))))
    (confirmed,) = commit(ledger, Finding(capture=capture(A, 2, status=304), made=Confirmed()))
    assert confirmed.verdict == Unchanged(first.item)
    assert ledger.history.links_of(RECIPE, A.key) == (link(B), link(C))


def test_a_304_of_an_unknown_url_is_refused_and_nothing_of_its_batch_is_kept(ledger):
    with pytest.raises(LedgerError, match="nothing is known"):
        commit(ledger, seen(B, 1, "one"), Finding(capture=capture(A, 2, status=304), made=Confirmed()))
    assert ledger.history.current_item(RECIPE, B.key) is None
    (made,) = commit(ledger, seen(B, 1, "one"))
    assert made.verdict == New()


def test_links_follow_the_last_observation_even_where_the_text_stays(ledger):
    commit(ledger, seen(A, 1, "one", links=(link(B),)))
    (again,) = commit(ledger, seen(A, 2, "one", links=(link(C),)))
    assert isinstance(again.verdict, Unchanged)
    assert ledger.history.links_of(RECIPE, A.key) == (link(C),)
    assert ledger.history.links_of(RECIPE, A.key, at(1)) == (link(B),)
    assert ledger.history.links_of(RECIPE, A.key, at(0)) == ()


def test_the_images_of_every_version_and_recipe_are_known(ledger):
    old, same, late, other = (link(place(f"{n}.png"))._replace(kind=LinkKind.IMAGE) for n in range(4))
    commit(ledger, seen(A, 1, "one", links=(late, link(B), old)))
    commit(ledger, seen(A, 2, "one", links=(same, late)), seen(B, 3, "two", links=(other,)))
    ledger.runs.begin_run(run("run-2", recipe=OTHER_RECIPE))
    commit(ledger, seen(A, 4, "three", run_id="run-2", links=(other, same)), run_id="run-2")
    assert ledger.history.images_of(A.key) == tuple(each.target for each in (old, same, late, other))
    assert ledger.history.images_of(B.key) == (other.target,)
    assert ledger.history.images_of(C.key) == ()


def test_a_capture_without_an_item_is_in_the_history(ledger):
    commit(ledger, Finding(capture=capture(A, 1, status=404)))
    assert [(o.capture.status, o.item) for o in ledger.history.of_url(A.web_key)] == [(404, None)]
    assert [o.capture for o in ledger.history.of_run("run-1")] == [capture(A, 1, status=404)]


def test_items_are_found_by_the_beginning_of_their_id(ledger):
    (made,) = commit(ledger, seen(A, 1, "one"))
    assert ledger.history.items(made.item.item_id[:9]) == (made.item,)
    assert ledger.history.items(made.item.item_id) == (made.item,)
    assert ledger.history.items("") == (made.item,)


@pytest.mark.spec("ID-12")
def test_urls_of_two_policies_meet_on_their_web_key(ledger):
    sorted_form = place("s?b=2&a=1", web="https://example.com/s?a=1&b=2")
    web_form = place("s?a=1&b=2")
    commit(ledger, seen(sorted_form, 1, "one"), seen(web_form, 2, "one"))
    assert [o.capture.place.key for o in ledger.history.of_url(web_form.key)] == [
        sorted_form.key,
        web_form.key,
    ]


@pytest.mark.spec("ID-13")
def test_a_url_has_the_captures_that_showed_it_only_under_another_recipe(ledger):
    """Another policy merged addresses: what was asked for by one of them is the other's, too."""
    tracked, clean = place("a?dclid=1"), place("a")
    commit(ledger, seen(tracked, 1, "one"))
    ledger.runs.begin_run(run("run-2", OTHER_RECIPE, seconds=2))
    made = Draft(content("one"), "One", (), None, clean)
    commit(ledger, Finding(capture(tracked, 1), made), run_id="run-2")

    for key in (tracked.web_key, clean.web_key):
        found = list(ledger.history.of_url(key, OTHER_RECIPE))
        assert [(each.capture.url, each.item.place.url) for each in found] == [(tracked.url, clean.url)]


def test_what_a_page_is_made_of_is_the_last_answer_with_a_body_that_showed_its_item(ledger):
    ledger.runs.begin_run(replace(run("run-3"), label="elsewhere"))
    (first, _, changed) = commit(ledger, seen(A, 1, "one"), seen(A, 2, "one"), seen(B, 3, "two"))
    again = Finding(capture(A, 4, status=304), Confirmed())
    commit(ledger, again)
    shown = ledger.history.last_shown("docs", [first.item.item_id, changed.item.item_id, "0" * 64])
    assert {item: record.place.key for item, record in shown.items()} == {
        first.item.item_id: A.key,
        changed.item.item_id: B.key,
    }
    assert shown[first.item.item_id].fetched_at == capture(A, 2).fetched_at
    assert ledger.history.last_shown("elsewhere", [first.item.item_id]) == {}
