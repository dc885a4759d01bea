"""The contract of the `SectionLedger` port, over every implementation (SCT-2)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import (
    OTHER_RECIPE,
    at,
    capture,
    commit,
    content,
    facts,
    moved_to,
    place,
    run,
)
from holdfast.core.lineage.ledger_values import Confirmed, Draft, Finding
from holdfast.core.lineage.lineage import Job, RunStatus
from holdfast.core.page.fragment import section_hash
from holdfast.core.page.section import KeptSection
from holdfast.core.targets.bound import EVERYTHING, Bound, BoundKind
from holdfast.questions.log.page_diffs import mirror_at_two

pytestmark = pytest.mark.spec("SCT-2")

A, B = place("a"), place("b")


def section(anchor: str, words: str, name: str | None = None) -> KeptSection:
    return KeptSection(
        anchor, ("Page", anchor.title()), name, "api" if name else "prose", section_hash(words)
    )


def page(where, seconds, *sections, run_id="run-1"):
    """A page that had these sections at a time."""
    draft = Draft(content(str(sections)), "Page", sections=sections)
    return Finding(capture=capture(where, seconds, run_id=run_id), made=draft)


def between(ledger, old, new=None):
    """The sections that differ between two moments, by URL."""
    sides = (Bound(BoundKind.UP_TO, old), Bound(BoundKind.UP_TO, new) if new else EVERYTHING)
    return [move for page in mirror_at_two(ledger, "docs", sides) for move in page.sections]


def moves(found):
    return [
        (move.place.url[-1], move.old.anchor if move.old else None, move.new.anchor if move.new else None)
        for move in found
    ]


def test_an_item_has_its_sections_in_the_order_of_the_page(ledger):
    parts = (section("z", "one"), section("", "two"), section("a", "three", name="x.a"))
    [made] = commit(ledger, page(A, 1, *parts))
    assert ledger.sections.of_item(made.item.item_id) == parts
    assert ledger.sections.of_items([made.item.item_id, "0" * 64]) == {made.item.item_id: parts}


def test_what_differs_between_two_moments_is_one_question(ledger):
    commit(ledger, page(A, 1, section("x", "one"), section("y", "two")), page(B, 2, section("x", "same")))
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(9))
    later = page(A, 5, section("x", "new words"), section("z", "three")), page(B, 6, section("x", "same"))
    commit(ledger, *later, seconds=9)
    assert moves(between(ledger, at(3))) == [
        ("a", "x", "x"),
        ("a", "y", None),
        ("a", None, "z"),
    ]
    assert moves(between(ledger, at(0), at(3))) == [
        ("a", None, "x"),
        ("a", None, "y"),
        ("b", None, "x"),
    ]
    assert moves(between(ledger, at(6))) == []


def test_a_page_that_went_back_differs_in_nothing(ledger):
    for number, words in enumerate(("one", "two", "one")):
        commit(ledger, page(A, number, section("x", words)), seconds=number)
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(9))
    assert moves(between(ledger, at(0))) == []
    assert moves(between(ledger, at(0), at(1))) == [("a", "x", "x")]


def test_sections_of_a_page_that_left_are_gone_and_come_back_as_new(ledger):
    made = page(A, 1, section("x", "one"))
    commit(ledger, replace(made, page=facts("a.md")), seconds=1)
    ledger.pages.mark_gone("docs", [A.key], at(3))
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(4))
    assert moves(between(ledger, at(2))) == [("a", "x", None)]
    commit(ledger, replace(page(A, 5, section("x", "one")), page=facts("a.md")), seconds=5)
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(9))
    assert moves(between(ledger, at(2))) == []
    assert moves(between(ledger, at(4))) == [("a", None, "x")]


def test_other_labels_are_not_asked_and_the_recipe_is_that_of_the_last_run(ledger):
    ledger.runs.begin_run(run("run-2", OTHER_RECIPE))
    ledger.runs.begin_run(run("run-3", label="elsewhere"))
    commit(ledger, page(A, 1, section("x", "one"), run_id="run-2"), run_id="run-2")
    commit(ledger, page(B, 2, section("x", "one"), run_id="run-3"), run_id="run-3")
    for name in ("run-1", "run-2", "run-3"):
        ledger.runs.update_run(name, RunStatus.RUNNING, at(9))
    assert moves(between(ledger, at(0))) == [("a", None, "x")]


def test_sections_that_were_never_read_are_filled_in_once(ledger):
    [old] = commit(ledger, page(A, 1))
    [new] = commit(ledger, page(B, 2, section("x", "one")))
    assert ledger.sections.unread("run-1") == (old.item,)
    own = (section("y", "two"),)
    assert ledger.sections.fill({old.item.item_id: own, new.item.item_id: own}) == 1
    assert ledger.sections.of_item(old.item.item_id) == own
    assert ledger.sections.of_item(new.item.item_id) == (section("x", "one"),)
    assert ledger.sections.unread("run-1") == ()


def test_sights_come_in_the_order_they_were_written_with_the_body_they_showed(ledger):
    [first] = commit(ledger, page(A, 1, section("x", "one")))
    commit(ledger, Finding(capture(A, 2, status=304), Confirmed()))
    commit(ledger, page(B, 3, section("x", "two")))
    last = ledger.sections.mark().observed
    one, again, other = ledger.sections.seen_after(0, last)
    assert (one.place, again.place, other.place) == (A, A, B)
    assert again.capture.capture_id == first.item.capture_id == one.capture.capture_id
    assert (again.seen_at, again.job, again.title) == (at(2), Job.MIRROR, "Page")
    assert list(ledger.sections.seen_after(again.number, last)) == [other]
    assert list(ledger.sections.seen_after(0, one.number)) == [one]


def test_a_mark_follows_what_was_written_but_nothing_that_was_forgotten(ledger):
    commit(ledger, page(A, 1, section("x", "one")))
    before = ledger.sections.mark()
    commit(ledger, page(B, 2, section("x", "two")))
    after = ledger.sections.mark()
    assert after.follows(before)
    assert not before.follows(after)
    ledger.forgetting.purge({B.key}, (), moved_to({}), at(3))
    assert not ledger.sections.mark().follows(after)
    assert list(ledger.sections.seen_after(0, 99)) != []


def test_what_is_forgotten_takes_its_sections_along(ledger):
    [made] = commit(ledger, page(A, 1, section("x", "one")))
    ledger.forgetting.purge({A.key}, (), moved_to({}), at(3))
    assert ledger.sections.of_item(made.item.item_id) == ()


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("wrong", [4000, -4000])
def test_whether_a_page_is_there_now_is_not_a_matter_of_clocks(ledger, wrong):
    def seen_with_a_file(seconds):
        return replace(page(A, seconds, section("x", "words")), page=facts("a.md"))

    commit(ledger, seen_with_a_file(1))
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(5000))
    ledger.pages.mark_gone("docs", [A.key], at(wrong))
    commit(ledger, seen_with_a_file(3))
    assert list(between(ledger, at(2))) == []


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("wrong", [4000, -4000])
def test_sections_as_of_a_moment_are_those_of_the_last_capture_in_order_up_to_it(ledger, wrong):
    commit(ledger, page(A, 1, section("x", "one")))
    commit(ledger, page(A, wrong, section("x", "two")))
    commit(ledger, page(A, 5, section("x", "three")))
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(5000))
    assert moves(between(ledger, at(6))) == []
    [moved] = between(ledger, at(2))
    before = "one" if wrong > 0 else "two"
    assert (moved.old.content, moved.new.content) == (section_hash(before), section_hash("three"))
