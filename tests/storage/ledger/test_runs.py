"""The contract of the `RunLedger` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import (
    at,
    commit,
    content,
    place,
    run,
    seen,
)
from holdfast.core.base.errors import LedgerError, VersionError
from holdfast.core.base.hashing import settings_digest
from holdfast.core.lineage.lineage import RunStatus, RunTally, seal

A, B, C = place("a"), place("b"), place("c")


def test_a_run_is_read_back_as_it_was_begun(ledger):
    record = ledger.runs.run("run-1")
    assert (record.run, record.status, record.seal) == (run(), RunStatus.RUNNING, None)


def test_beginning_the_same_run_again_changes_nothing(ledger):
    ledger.runs.begin_run(run())
    assert len(list(ledger.runs.latest_first())) == 1


def test_another_run_with_the_same_id_is_refused(ledger):
    with pytest.raises(LedgerError, match="another run"):
        ledger.runs.begin_run(run(seconds=5))


@pytest.mark.spec("LIN-8")
def test_a_seal_can_be_made_anew(ledger):
    commit(ledger, seen(place("a"), 1, "one"))
    sealed = ledger.runs.end_run("run-1", at(9), RunTally.of({}))
    assert ledger.runs.seal_of("run-1") == sealed


@pytest.mark.spec("VER-2")
def test_the_same_version_with_other_identity_settings_is_refused_and_says_what_to_bump(ledger):
    other = replace(run("run-2"), identity_digest=settings_digest({"trailing_slash": "keep"}))
    with pytest.raises(VersionError, match="other identity settings") as refused:
        ledger.runs.begin_run(other)
    assert "raise identity_version" in refused.value.hint
    assert ledger.runs.run("run-2") is None


def test_runs_come_latest_first_and_by_label(ledger):
    ledger.runs.begin_run(run("run-2", seconds=5, label="other"))
    assert [r.run.run_id for r in ledger.runs.latest_first()] == ["run-2", "run-1"]
    assert [r.run.run_id for r in ledger.runs.latest_first(label="docs")] == ["run-1"]


@pytest.mark.spec("LIN-10")
def test_a_run_that_is_brought_stands_before_the_first_own_one_that_began_later(ledger):
    ledger.runs.begin_run(run("run-2", seconds=20))
    ledger.runs.begin_run(run("run-3", seconds=10))  # by a clock that was wrong
    ledger.runs.begin_run(run("brought", seconds=15), is_brought=True)
    assert [r.run.run_id for r in ledger.runs.latest_first()] == ["run-3", "run-2", "brought", "run-1"]


def test_a_run_is_found_by_the_beginning_of_its_id_where_only_one_begins_so(ledger):
    ledger.runs.begin_run(run("run-12", seconds=5))
    assert ledger.runs.run("run-12").run.run_id == "run-12"
    assert ledger.runs.run("run-1").run.run_id == "run-1"
    assert ledger.runs.run("run") is None


def test_a_stopped_run_that_runs_again_has_no_end(ledger):
    ledger.runs.end_run("run-1", at(9), RunTally.of({"pages": 1}))
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(10))
    record = ledger.runs.run("run-1")
    assert (record.status, record.ended_at, record.seal) == (RunStatus.RUNNING, None, None)
    assert record.tally == RunTally({"pages": 1})


def test_what_is_said_of_an_unknown_run_is_refused(ledger):
    with pytest.raises(LedgerError, match="no run"):
        ledger.runs.update_run("run-9", RunStatus.STOPPED, at(1))
    with pytest.raises(LedgerError, match="no run"):
        commit(ledger, seen(A, 1, "one"), run_id="run-9")


@pytest.mark.spec("LIN-8")
def test_the_seal_is_over_what_each_url_showed_last_whatever_the_order(ledger):
    commit(ledger, seen(B, 1, "old"), seen(A, 2, "one"), seen(B, 3, "two"))
    digest = ledger.runs.end_run("run-1", at(9), RunTally.of({"pages": 2}))
    pairs = sorted([(A.key, content("one")), (B.key, content("two"))])
    assert digest == seal(pairs) == ledger.runs.run("run-1").seal


@pytest.mark.spec("LIN-8", "LIN-10")
def test_the_seal_is_over_what_was_written_last_whatever_its_stamp_says(ledger):
    commit(ledger, seen(A, 9, "ahead"), seen(A, 1, "then"))
    assert ledger.runs.end_run("run-1", at(10), RunTally()) == seal([(A.key, content("then"))])


@pytest.mark.spec("LIN-8")
def test_two_runs_over_equal_responses_have_equal_seals(ledger):
    commit(ledger, seen(A, 1, "one"), seen(B, 2, "two"))
    ledger.runs.begin_run(run("run-2", seconds=10))
    commit(ledger, seen(B, 11, "two", run_id="run-2"), seen(A, 12, "one", run_id="run-2"), run_id="run-2")
    seals = [ledger.runs.end_run(name, at(20), RunTally()) for name in ("run-1", "run-2")]
    assert seals[0] == seals[1]
