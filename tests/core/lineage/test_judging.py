"""Judging a batch: each sentence of the law in `core.lineage.conflict_rules`, then the whole of it against
a plain one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lineage.plain_lineage import PlainLineage
from helpers.ledger_cases import RECIPE, at, capture, content, facts, link, memory_ledger, place, run, seen
from helpers.ledger_strategies import RUNS, findings, moments
from holdfast.core.base.errors import LedgerError
from holdfast.core.base.hashing import links_digest, rows_digest
from holdfast.core.crawl.consequences import page_links
from holdfast.core.lineage.batch import Batch, Judged, Known, NextQuestions, Numbered, Numbers, SeenAgain
from holdfast.core.lineage.conflict_rules import first_questions, judge, next_questions
from holdfast.core.lineage.ledger_values import Confirmed, Draft, Finding
from holdfast.core.lineage.lineage import EdgeKind, New, Superseding, Unchanged
from holdfast.core.web.rank import brought_rank, own_rank

A, B = place("a"), place("b")
NOTHING = Known({}, {}, {}, {}, {}, None)


def judged(*batch: Finding, known: Known = NOTHING, seconds: float = 0) -> Judged:
    return judge(Batch("run-1", RECIPE, batch, at(seconds)), known, Numbers(count(1), count(11), count(21)))


def brought(finding: Finding) -> Finding:
    return replace(finding, is_brought=True)


def after(rows: Judged) -> Known:
    """What a ledger that holds these rows knows."""
    by_place = {row.place.key: row.shown for row in rows.observations}
    items = [row.item for row in rows.items]
    superseded = {
        verdict.edge.source: (verdict.old, verdict.edge)
        for verdict in rows.verdicts
        if isinstance(verdict, Superseding)
    }
    again = {
        row.capture.capture_id: SeenAgain(
            row.place, row.item_number, row.item, row.shown.links_of, superseded.get(row.item.item_id)
        )
        for row in rows.observations
    }
    return Known(
        captures={row.record.capture_id: Numbered(row.number, row.rank) for row in rows.captures},
        last=by_place,
        by_content={item.content_sha256: item for item in items},
        by_url={item.place.key: item for item in items},
        again=again,
        newest=items[-1].created_at,
    )


def confirmed(where, seconds: float) -> Finding:
    return Finding(capture=capture(where, seconds, status=304), made=Confirmed())


@pytest.mark.spec("LIN-3")
def test_equal_content_in_one_batch_forms_a_chain():
    rows = judged(*(seen(place(str(n)), 1, "same") for n in range(4)))
    items = [row.item for row in rows.items]
    assert [row.edge.target for row in rows.edges] == [item.item_id for item in items[:-1]]
    assert [row.item_number for row in rows.edges] == [12, 13, 14]


@pytest.mark.spec("LIN-7")
def test_a_capture_that_is_there_is_not_observed_again_and_gets_the_verdict_it_was_given():
    batch = (seen(A, 1, "one"), seen(A, 2, "two"), seen(A, 3, "two"), seen(B, 4, "one"))
    first = judged(*batch)
    again = judged(*batch, known=after(first))
    assert again.verdicts == first.verdicts
    assert (again.captures, again.items, again.edges, again.observations) == ([], [], [], [])


@pytest.mark.spec("LIN-7")
def test_a_capture_that_comes_twice_in_a_batch_is_observed_once():
    rows = judged(seen(A, 1, "one"), seen(A, 2, "two"), seen(A, 2, "two"))
    assert rows.verdicts[1] == rows.verdicts[2]
    assert (len(rows.captures), len(rows.items), len(rows.observations)) == (2, 2, 2)


def test_a_confirmation_shows_what_its_url_showed_last_with_its_links():
    rows = judged(seen(A, 1, "one", links=(link(B),)), confirmed(A, 2))
    first, again = rows.observations
    assert rows.verdicts[1] == Unchanged(rows.items[0].item)
    assert (again.item_number, again.links_of, again.links) == (first.item_number, first.number, ())


def test_a_confirmation_of_what_nothing_is_known_of_is_refused():
    with pytest.raises(LedgerError, match="nothing is known"):
        judged(confirmed(A, 1))


@pytest.mark.spec("LIN-2")
def test_the_same_again_makes_no_item():
    rows = judged(seen(A, 1, "one"), seen(A, 2, "one"))
    assert rows.verdicts == [New(), Unchanged(rows.items[0].item)]
    assert len(rows.items) == 1
    assert len(rows.observations) == 2


@pytest.mark.parametrize(
    ("newest", "expected"),
    [(None, at(5)), (at(4), at(5)), (at(5), at(5) + timedelta(microseconds=1)), (at(9), at(9.000001))],
)
def test_items_are_created_in_strict_order_whatever_the_clock_says(newest, expected):
    rows = judged(seen(A, 1, "one"), seen(B, 1, "two"), known=replace(NOTHING, newest=newest), seconds=5)
    assert [row.item.created_at for row in rows.items] == [expected, expected + timedelta(microseconds=1)]


@pytest.mark.spec("LIN-5", "LIN-10")
@pytest.mark.parametrize("seconds", [1, 9, 10])
def test_what_a_url_showed_last_is_what_was_judged_last_whatever_its_stamp_says(seconds):
    other = Finding(capture=capture(A, seconds, payload="ab" * 32), made=Draft(content("two"), "Two"))
    rows = judged(seen(A, 9, "one"), other, seen(A, 11, "two"))
    assert isinstance(rows.verdicts[2], Unchanged)


@pytest.mark.spec("LIN-10")
def test_what_was_brought_stands_behind_its_anchor_and_is_not_what_the_url_showed_last():
    own = judged(seen(A, 9, "now"))
    old = brought(seen(A, 1, "old"))
    known = replace(after(own), anchors={old.capture.capture_id: 0})
    rows = judge(
        Batch("run-1", RECIPE, (old, seen(A, 10, "now")), at(0)),
        known,
        Numbers(count(1), count(12), count(22)),
    )
    assert [row.rank for row in rows.observations] == [brought_rank(0, at(1)), own_rank(2)]
    assert isinstance(rows.verdicts[1], Unchanged)


def test_links_that_are_those_of_the_last_observation_are_not_written_again():
    rows = judged(
        seen(A, 1, "one", links=(link(B),)), seen(A, 2, "two", links=(link(B),)), seen(A, 3, "two", links=())
    )
    assert [(row.links_of, row.links) for row in rows.observations] == [
        (None, (link(B),)),
        (21, ()),
        (None, ()),
    ]


def test_links_are_the_same_only_in_the_same_order_and_with_the_same_words():
    digests = [
        links_digest(links) for links in ((link(A), link(B)), (link(B), link(A)), (link(A, "x"), link(B)))
    ]
    assert len(set(digests)) == 3


def test_a_file_needs_something_observed():
    with pytest.raises(LedgerError, match="nothing observed"):
        judged(Finding(capture=capture(A, 1), page=facts("a.md")))


def test_what_was_made_needs_a_capture():
    with pytest.raises(LedgerError, match="has no capture"):
        judged(Finding(made=Draft(content("one"), "One")))


def test_a_confirmation_without_a_file_only_touches_it():
    rows = judged(replace(seen(A, 1, "one"), page=facts("a.md")), confirmed(A, 2), seen(A, 3, "two"))
    assert [(row.facts, row.is_confirmed) for row in rows.pages] == [(facts("a.md"), False), (None, True)]


@pytest.mark.spec("VER-5")
def test_a_reprocessed_draft_leads_to_what_it_was_made_from():
    draft = Draft(content("one"), "One", reprocessed_from="f" * 64, place=B)
    rows = judged(Finding(capture=capture(A, 1), made=draft))
    [(number, edge)] = rows.edges
    assert (number, edge.kind, edge.target) == (11, EdgeKind.REPROCESSED_FROM, "f" * 64)
    assert rows.observations[0].place == B


def test_only_what_may_be_new_to_its_url_is_looked_up_by_content():
    first = judged(seen(A, 1, "one"), seen(B, 1, "two"))
    batch = (seen(A, 2, "one"), seen(B, 2, "three"), Finding(capture=capture(B, 3, status=404)))
    known = after(first)
    assert first_questions(batch).shown == (A, B)
    assert next_questions(batch, known.captures, known.last) == NextQuestions(
        (content("three"),), (B.key,), ()
    )
    twice = (seen(A, 2, "one"), seen(A, 3, "two"))
    asked = next_questions(twice, known.captures, known.last)
    assert set(asked.contents) == {content("one"), content("two")}


@pytest.mark.spec("LIN-2", "LIN-3", "LIN-5", "LIN-6", "LIN-7")
@given(st.data())
def test_batches_are_judged_as_one_finding_after_another_by_looking_at_everything(data):
    ledger, plain = memory_ledger(), PlainLineage()
    runs = {run_id: run(run_id, recipe, seconds=n) for n, (run_id, recipe) in enumerate(RUNS.items())}
    for begun in runs.values():
        ledger.runs.begin_run(begun)
    for _ in range(data.draw(st.integers(1, 4))):
        begun, now = runs[data.draw(st.sampled_from(sorted(runs)))], data.draw(moments)
        batch = [replace(f, page=None) for f in data.draw(st.lists(findings(begun.run_id), max_size=5))]
        expected = PlainLineage(list(plain.items), list(plain.edges), list(plain.seen), list(plain.captures))
        try:
            verdicts = tuple(expected.take(begun, finding, at(now)) for finding in batch)
        except LookupError:
            with pytest.raises(LedgerError, match="nothing is known"):
                ledger.commit(begun.run_id, batch, at(now))
            continue
        assert ledger.commit(begun.run_id, batch, at(now)) == verdicts
        plain = expected
    for edge in plain.edges:
        assert edge in ledger.history.relations(edge.source).outgoing
    for observed in plain.seen:
        last = plain.last(observed.run, observed.place)
        assert ledger.history.links_of(observed.run.recipe, observed.place.key) == last.links


def test_the_digest_that_a_worker_makes_is_that_of_the_links():
    rows = (
        (A.url, A.key, A.web_key, A.url + "#part", "é\ud800", "anchor", False),
        (B.url, B.key, B.web_key, B.url, "", "image", True),
    )
    assert rows_digest(rows) == links_digest(page_links(rows)) != rows_digest(rows[::-1])
