"""The contract of the `FrontierLedger` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import (
    at,
    closed,
    commit,
    entry,
    key,
    place,
    run,
)
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import EntryState, Finding

A, B, C = place("a"), place("b"), place("c")


def test_entries_are_handed_out_in_order_and_only_once(ledger):
    ledger.frontier.add_entries("run-1", [entry("c", 1, 0, 0), entry("b", 0, 1, 0), entry("a", 0, 0, 5)])
    assert [e.place for e in ledger.frontier.take_entries("run-1", 2)] == [A, B]
    assert [e.place for e in ledger.frontier.take_entries("run-1", 2)] == [C]
    assert ledger.frontier.take_entries("run-1", 2) == ()


def test_an_entry_is_read_back_as_it_was_added(ledger):
    added = replace(entry("a", 2, 1, 7), lastmod=at(3), listed=True, parent=B.key, fetch_url="https://a/?x")
    undated, found = replace(entry("c"), listed=True), replace(entry("d"), lastmod=at(3), listed=False)
    ledger.frontier.add_entries("run-1", [added, undated, found])
    assert ledger.frontier.entry("run-1", A.key) == added
    assert ledger.frontier.entry("run-1", B.key) is None
    assert ledger.frontier.entry("run-1", C.key) == undated
    assert ledger.frontier.entry("run-1", found.place.key) == found


def test_of_two_web_keys_of_one_address_the_last_one_counts(ledger):
    other = replace(entry("a"), place=place("a", web="b"))
    ledger.frontier.add_entries("run-1", [entry("a")])
    ledger.frontier.add_entries("run-1", [other, entry("a")])
    assert ledger.frontier.entry("run-1", A.key).place.web_key == A.web_key


@pytest.mark.spec("MIR-8")
def test_a_second_address_of_a_key_is_an_alternate(ledger):
    again = [replace(entry("a", 9), fetch_url=url) for url in ("https://x/1", A.url, "https://x/2")]
    assert ledger.frontier.add_entries("run-1", [entry("a"), *again, again[0]]) == 1
    assert ledger.frontier.entry("run-1", A.key) == entry("a")
    assert ledger.frontier.alternates("run-1", A.key) == ("https://x/1", "https://x/2")


def test_closed_entries_are_not_handed_out_and_are_counted(ledger):
    ledger.frontier.add_entries("run-1", [entry("a"), entry("b"), entry("c")])
    ledger.frontier.take_entries("run-1", 3)
    commit(ledger, Finding(closed=(closed("a"), closed("unknown")), discovered=(entry("d", 1),)))
    ledger.frontier.close_entries("run-1", [closed("b", EntryState.DEFERRED)])
    counts = {EntryState.PAGE: 1, EntryState.DEFERRED: 1, EntryState.TAKEN: 1, EntryState.READY: 1}
    assert ledger.frontier.count_entries("run-1") == counts
    (deferred,) = ledger.frontier.take_entries("run-1", 9, EntryState.DEFERRED)
    assert deferred.place == B


def test_attempts_add_up(ledger):
    ledger.frontier.add_entries("run-1", [entry("a")])
    for _ in range(2):
        ledger.frontier.close_entries(
            "run-1", [replace(closed("a", EntryState.FAILED), attempts=2, note=EntryNote("503"))]
        )
    found = ledger.frontier.entry("run-1", A.key)
    assert (found.attempts, found.state, found.note.words) == (4, EntryState.FAILED, "503")


def test_an_entry_that_ends_twice_in_a_batch_has_the_last_end_and_all_attempts(ledger):
    ledger.frontier.add_entries("run-1", [entry("a")])
    first = replace(closed("a", EntryState.FAILED), attempts=2, note=EntryNote("503"))
    commit(ledger, Finding(closed=(first,)), Finding(closed=(replace(closed("a"), attempts=1),)))
    found = ledger.frontier.entry("run-1", A.key)
    assert (found.attempts, found.state, found.note.words) == (3, EntryState.PAGE, "")


def test_a_resume_reopens_by_state_and_by_key(ledger):
    ledger.frontier.add_entries("run-1", [entry("a"), entry("b"), entry("c"), entry("d")])
    ledger.frontier.take_entries("run-1", 2)
    ledger.frontier.close_entries("run-1", [closed("c"), closed("b", EntryState.FAILED)])
    states = (EntryState.TAKEN, EntryState.FAILED)
    assert ledger.frontier.reopen_entries("run-1", states, [key("c"), key("d"), key("z")]) == 3
    assert ledger.frontier.count_entries("run-1") == {EntryState.READY: 4}


def test_entries_of_two_runs_do_not_meet(ledger):
    ledger.runs.begin_run(run("run-2", seconds=3))
    ledger.frontier.add_entries("run-1", [entry("a")])
    assert ledger.frontier.add_entries("run-2", [entry("a"), entry("b")]) == 2
    assert [e.place for e in ledger.frontier.entries("run-1")] == [A]
    assert [e.place for e in ledger.frontier.entries("run-2", [EntryState.READY])] == [A, B]


def _ended(ledger, run_id, **attempts):
    ends = [replace(closed(name, EntryState.FAILED), attempts=number) for name, number in attempts.items()]
    ledger.frontier.close_entries(run_id, ends)


@pytest.mark.spec("MIR-16")
class TestTurns:
    """Who is asked next, where a budget does not suffice for all."""

    @pytest.fixture
    def waiting(self, ledger):
        """Run 4 of a mirror: run 1 asked for all but `d`, run 2 for `a`, another mirror's run 3 for `b`."""
        others = {"run-2": "docs", "run-3": "other", "run-4": "docs"}
        for number, (run_id, label) in enumerate(others.items(), 1):
            ledger.runs.begin_run(run(run_id, label=label, seconds=-1000 * number))
        for run_id in ("run-1", *others):
            ledger.frontier.add_entries(run_id, [entry(name, 0, 0, n) for n, name in enumerate("abcd")])
        _ended(ledger, "run-1", a=1, b=2, c=1, d=0)
        _ended(ledger, "run-2", a=1, b=0)
        _ended(ledger, "run-3", b=1)
        unasked = [replace(closed(name, EntryState.UNASKED), attempts=0) for name in "abcd"]
        ledger.frontier.close_entries("run-4", unasked)
        return ledger.frontier

    def test_the_oldest_look_has_its_turn_whatever_the_clock_said(self, waiting):
        turns = []
        while waiting.choose_entries("run-4", 1) == 1:
            [taken] = waiting.take_entries("run-4", 9)
            turns.append(taken.place)
        assert turns == [place("d"), B, C, A]
        assert waiting.choose_entries("run-4", 1) == 0

    def test_only_looks_of_the_same_age_are_chosen_together(self, waiting):
        assert waiting.choose_entries("run-4", 3) == 1
        assert waiting.choose_entries("run-4", 3) == 2
        assert [e.place for e in waiting.entries("run-4", [EntryState.UNASKED])] == [A]
        assert waiting.choose_entries("run-4", 3) == 1
        assert waiting.choose_entries("run-4", 3) == 0
        assert waiting.count_entries("run-4") == {EntryState.READY: 4}

    def test_what_was_asked_is_counted_whatever_came_of_it(self, ledger, waiting):
        assert waiting.count_asked("run-1") == 3
        assert waiting.count_asked("run-4") == 0
        waiting.close_entries("run-4", [replace(closed("a", EntryState.DEFERRED), attempts=0)])
        _ended(ledger, "run-4", b=3)
        assert waiting.count_asked("run-4") == 2
