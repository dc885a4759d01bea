"""Calls handed to other machines: the results of `Workers`, or lost in its words."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from holdfast.adapters.workers import engine
from holdfast.adapters.workers.engine import SpreadWorkers
from holdfast.adapters.workers.process import Lost
from holdfast.core.base.errors import FailedError


@pytest.fixture
def machines():
    """Two machines: threads that answer as one of a cluster does."""
    with ThreadPoolExecutor(2) as pool:
        yield pool


def ask(submit, *calls, common=()):
    """The results of calls that are made in one turn of the event loop."""

    async def all_of_them():
        workers = SpreadWorkers(submit)
        try:
            made = (workers.run(*call, common=common) for call in calls)
            return await asyncio.gather(*made, return_exceptions=True)
        finally:
            workers.close()

    return asyncio.run(all_of_them())


@pytest.mark.spec("CLU-1")
def test_results_are_those_of_the_function_in_the_order_of_the_calls(machines):
    assert ask(machines.submit, *((divmod, n) for n in range(20)), common=(7,)) == [
        divmod(n, 7) for n in range(20)
    ]


def test_calls_that_wait_together_go_together(machines):
    sent = []

    def submit(function, of, calls, common):
        sent.append(len(calls))
        return machines.submit(function, of, calls, common)

    ask(submit, *((divmod, n) for n in range(20)), common=(7,))
    assert sent == [8, 8, 4]


def test_what_a_function_raises_is_told_in_words_and_costs_no_other_call(machines):
    good, bad = ask(machines.submit, (divmod, 5, 2), (divmod, 5, 0))
    assert good == (2, 1)
    assert isinstance(bad, Lost)
    assert (bad.reason, "ZeroDivisionError" in bad.detail) == ("raised", True)


def test_a_call_that_ends_its_worker_is_lost_and_no_other(machines):
    good, bad = ask(machines.submit, (os.path.basename, "a/b"), (os._exit, 3))
    assert good == "b"
    assert (type(bad), bad.reason) == (Lost, "crash")


class MachineGoneError(Exception):
    """What a cluster says of a task whose machines were lost."""


def test_a_group_whose_machine_is_lost_is_taken_apart(machines):
    def submit(function, of, calls, common):
        if ("bad",) in calls:
            broken = Future()
            broken.set_exception(MachineGoneError())
            return broken
        return machines.submit(function, of, calls, common)

    good, bad, other = ask(submit, (str.upper, "a"), (str.upper, "bad"), (str.upper, "c"))
    assert (good, other) == ("A", "C")
    assert (type(bad), bad.reason) == (Lost, "crash")


def test_whoever_waits_for_a_cluster_that_is_gone_gets_the_error():
    def submit(*_values):
        raise FailedError("the Dask cluster ended: cancelled")

    assert [type(found) for found in ask(submit, (str.upper, "a"), (str.upper, "b"))] == [FailedError] * 2


def test_calls_under_way_are_dropped_at_the_end(machines):
    async def leave_early():
        workers = SpreadWorkers(lambda *_: Future())
        waiting = asyncio.ensure_future(workers.run(str.upper, "a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        workers.close()
        await asyncio.sleep(0)
        return waiting

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(leave_early()).result()


def test_the_worker_of_a_machine_stays_for_the_next_group():
    assert engine._at_home() is engine._at_home()
