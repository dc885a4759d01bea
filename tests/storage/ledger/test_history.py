"""The contract of `HistoryLedger`, and of the verdicts of `Ledger.commit`, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import (
    OTHER_RECIPE,
    RECIPE,
    at,
    brought,
    capture,
    commit,
    content,
    link,
    place,
    run,
    seen,
)
from holdfast.core.base.errors import LedgerError
from holdfast.core.lineage.conflict_rules import EDGE_KEYS
from holdfast.core.lineage.ledger_values import Brought, Confirmed, Draft, Finding
from holdfast.core.lineage.lineage import EdgeKind, New, RunTally, Superseding, Unchanged
from holdfast.core.page.page import LinkKind

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
    monkeypatch.setattr("holdfast.storage.ledger.history_table._FIRST_BROUGHT", 2)
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


@pytest.mark.spec("LIN-5", "LIN-10")
def test_current_is_what_was_written_last_whatever_its_stamp_says(ledger):
    ahead, then = commit(ledger, seen(A, 9, "ahead"), seen(A, 1, "then", links=(link(B),)))
    assert ledger.history.current_item(RECIPE, A.key) == then.item
    assert [o.item for o in ledger.history.of_url(A.web_key)] == [ahead.item, then.item]
    assert ledger.history.links_of(RECIPE, A.key) == (link(B),)
    assert ledger.history.last_capture("docs", A.key).fetched_at == at(1)
    (confirmed,) = commit(ledger, Finding(capture=capture(A, 2, status=304), made=Confirmed()))
    assert confirmed.verdict == Unchanged(then.item)
    (again,) = commit(ledger, seen(A, 3, "ahead"))
    assert ledger.history.current_item(RECIPE, A.key) == again.item


@pytest.mark.spec("LIN-10")
def test_as_of_a_moment_the_last_capture_in_order_counts_that_is_stamped_up_to_it(ledger):
    commit(ledger, seen(A, 5, "one", links=(link(B),)), seen(A, 9, "ahead", links=(link(C),)))
    commit(ledger, seen(A, 2, "behind", links=(link(A),)))
    assert ledger.history.links_of(RECIPE, A.key, at(1)) == ()
    assert ledger.history.links_of(RECIPE, A.key, at(2)) == (link(A),)
    assert ledger.history.links_of(RECIPE, A.key, at(9)) == (link(A),)


@pytest.mark.spec("LIN-10")
def test_what_is_brought_goes_before_the_first_capture_in_order_that_is_stamped_later(ledger):
    commit(ledger, seen(A, 4, "own-4"), seen(A, 9, "own-9"), seen(A, 6, "own-6"))
    older = (seen(A, seconds, f"brought-{seconds}") for seconds in (5, 7, 3, 5.5, 20))
    commit(ledger, *map(brought, older), seconds=30)
    shown = [o.item.title for o in ledger.history.of_url(A.web_key)]
    brought_first = ["brought-3", "own-4", "brought-5", "brought-5.5", "brought-7", "own-9", "own-6"]
    assert shown == [f"Title of {name}" for name in (*brought_first, "brought-20")]
    assert ledger.history.current_item(RECIPE, A.key).title == "Title of brought-20"


@pytest.mark.spec("LIN-10")
def test_what_was_brought_keeps_its_place_whatever_is_written_later(ledger):
    commit(ledger, seen(A, 4, "own-4"))
    commit(ledger, brought(seen(A, 8, "brought-8")), seconds=10)
    commit(ledger, seen(A, 5, "own-5"), seconds=11)
    commit(ledger, brought(seen(A, 7, "brought-7")), brought(seen(A, 4.5, "brought-4.5")), seconds=12)
    shown = [o.item.title.rpartition(" ")[2] for o in ledger.history.of_url(A.web_key)]
    assert shown == ["own-4", "brought-4.5", "brought-8", "own-5", "brought-7"]
    assert ledger.history.current_item(RECIPE, A.key).title == "Title of brought-7"


@pytest.mark.spec("LIN-10")
def test_a_page_of_long_ago_that_is_brought_today_is_not_the_current_one(ledger):
    (own,) = commit(ledger, seen(A, 4, "own", links=(link(B),)))
    commit(ledger, brought(seen(A, -400_000_000, "long ago")), seconds=10)
    assert ledger.history.current_item(RECIPE, A.key) == own.item
    assert ledger.history.links_of(RECIPE, A.key) == (link(B),)


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("at_once", [True, False])
def test_what_is_brought_is_judged_by_what_stands_before_it(ledger, at_once):
    (own,) = commit(ledger, seen(A, 100, "now", links=(link(B),)))
    batch = [
        brought(seen(A, 1, "old", links=(link(C),))),
        brought(seen(A, 2, "old")),
        brought(Finding(capture=capture(A, 3, status=304), made=Confirmed())),
        brought(seen(A, 4, "later")),
        brought(seen(A, 5, "now")),
    ]
    groups = [batch] if at_once else [[finding] for finding in batch]
    made = [each for group in groups for each in commit(ledger, *group, seconds=200)]
    old = made[0].item
    assert [each.verdict for each in made[1:3]] == [Unchanged(old), Unchanged(old)]
    assert isinstance(made[3].verdict, Superseding)
    assert made[4].verdict == Unchanged(own.item)
    shown = [o.item.title.rpartition(" ")[2] for o in ledger.history.of_url(A.web_key)]
    assert shown == ["old", "old", "old", "later", "now", "now"]
    assert ledger.history.links_of(RECIPE, A.key, at(1)) == (link(C),)
    assert ledger.history.links_of(RECIPE, A.key, at(3)) == ()
    assert ledger.history.links_of(RECIPE, A.key) == (link(B),)


@pytest.mark.spec("LIN-10")
def test_any_number_that_is_brought_fits_between_two_captures(ledger):
    commit(ledger, seen(A, 1, "first"), seen(A, 1000, "last"))
    for step in (1, -1):
        for second in range(2, 80)[::step]:
            commit(ledger, brought(seen(A, second + (step > 0) / 2, f"{second} {step}")), seconds=2000)
    times = [o.capture.fetched_at for o in ledger.history.of_url(A.web_key)]
    assert times == sorted(times)
    assert len(times) == 158


@pytest.mark.spec("LIN-10")
def test_a_version_that_was_brought_before_the_only_one_makes_that_one_a_change(ledger):
    commit(ledger, seen(A, 4, "own"))
    ledger.runs.end_run("run-1", at(5), RunTally({}))
    assert ledger.history.count_brought("run-1") == Brought(1, 0)
    ledger.runs.begin_run(run("run-2", seconds=6))
    commit(ledger, brought(seen(A, 1, "old", run_id="run-2")), run_id="run-2", seconds=7)
    ledger.runs.end_run("run-2", at(8), RunTally({}))
    assert (ledger.history.count_brought("run-1"), ledger.history.count_brought("run-2")) == (
        Brought(0, 1),
        Brought(1, 0),
    )


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
