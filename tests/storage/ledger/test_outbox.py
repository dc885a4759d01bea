"""The contract of the `OutboxLedger` port, over every implementation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from helpers.ledger_cases import at, run
from holdfast.core.base.errors import LedgerError
from holdfast.core.lineage.event_kind import EventName, Notice
from holdfast.core.lineage.lineage import RunStatus, RunTally

pytestmark = pytest.mark.spec("TRK-10")

ONE = EventName("run-1", "a" * 64)
TWO = EventName("run-1", "b" * 64)
NOTICE = Notice("n1", "team", at(3), 2, at(3))


@pytest.fixture
def outbox(ledger):
    ledger.runs.begin_run(run(), ["team", "me"])
    return ledger.outbox


def test_a_run_is_owed_to_the_targets_it_began_with(ledger, outbox):
    assert outbox.owed("team") == outbox.owed("me") == ("run-1",)
    assert outbox.owed("nobody") == ()
    assert outbox.targets() == {"me": 1, "team": 1}
    ledger.runs.begin_run(run(), ["team"])
    assert outbox.owed("team") == ("run-1",), "a run that goes on is owed once"


def test_a_run_that_is_refused_is_owed_to_nobody(ledger):
    with pytest.raises(LedgerError):
        ledger.runs.begin_run(run(seconds=5), ["team"])
    assert ledger.outbox.targets() == {}


def test_a_notice_takes_the_place_of_what_is_owed(outbox):
    outbox.gather(NOTICE, [ONE, TWO], "team", ["run-1"])
    assert outbox.owed("team") == ()
    assert outbox.owed("me") == ("run-1",), "each target by itself"
    assert outbox.unsent() == (NOTICE,)
    assert outbox.events_of("n1") == {"run-1": {ONE.event_id, TWO.event_id}}
    assert outbox.told("team") == {ONE.event_id, TWO.event_id}
    assert outbox.told("me") == frozenset()


def test_a_run_with_nothing_to_tell_is_settled(outbox):
    outbox.gather(None, [], "team", ["run-1"])
    assert (outbox.owed("team"), outbox.unsent()) == ((), ())


def test_a_notice_that_is_there_is_not_written_again(outbox):
    outbox.gather(NOTICE, [ONE], "team", ["run-1"])
    outbox.acknowledge("n1", at(5))
    outbox.gather(NOTICE, [ONE], "team", ["run-1"])
    assert outbox.unsent() == ()


def test_what_failed_waits_with_its_trouble(outbox):
    outbox.gather(NOTICE, [ONE], "team", ["run-1"])
    outbox.failed("n1", "no answer", at(60))
    assert outbox.unsent() == (replace(NOTICE, attempts=1, trouble="no answer", next_try=at(60)),)
    outbox.failed("n1", "refused", at(300))
    assert outbox.unsent()[0].attempts == 2


def test_what_was_taken_is_told_until_its_run_is_over(ledger, outbox):
    outbox.gather(NOTICE, [ONE], "team", ["run-1"])
    outbox.acknowledge("n1", at(5))
    assert outbox.unsent() == ()
    assert [(notice.notice_id, notice.sent_at) for notice in outbox.sent(9)] == [("n1", at(5))]
    assert outbox.told("team") == {ONE.event_id}, "the run may go on, and must not tell it again"
    ledger.runs.end_run("run-1", at(6), RunTally())
    outbox.gather(replace(NOTICE, notice_id="n2"), [TWO], "team", ["run-1"])
    outbox.acknowledge("n2", at(7))
    assert outbox.told("team") == {ONE.event_id}, "of a run that is over nobody asks again"
    assert [notice.notice_id for notice in outbox.sent(1)] == ["n2"]


def test_a_target_can_be_let_go(outbox):
    outbox.gather(NOTICE, [ONE], "team", ["run-1"])
    assert outbox.drop("team") == 1
    assert (outbox.unsent(), outbox.told("team"), outbox.owed("team")) == ((), frozenset(), ())
    assert outbox.drop("me") == 0
    assert outbox.targets() == {}


def test_what_ended_a_run_is_kept_until_it_goes_on(ledger):
    ledger.runs.update_run("run-1", RunStatus.FAILED, at(2), trouble="no space left")
    assert ledger.runs.run("run-1").trouble == "no space left"
    assert next(ledger.runs.latest_first()).trouble == "no space left"
    ledger.runs.update_run("run-1", RunStatus.RUNNING, at(3))
    assert ledger.runs.run("run-1").trouble == ""
