"""Worker processes: results come back, and no call can end more than itself."""

import asyncio
import importlib
import os
import signal
import time

import pytest

from holdfast.adapters.workers.pool import AHEAD_CALLS, STILLBORN, Workers
from holdfast.adapters.workers.process import Limits, Lost
from holdfast.core.base.errors import FailedError

pytestmark = pytest.mark.spec("SEC-4")


def using(count, work, **limits):
    async def main():
        workers = Workers(count, Limits(**limits))
        try:
            return await work(workers)
        finally:
            workers.close()

    return asyncio.run(main())


def call(function, *values, **limits):
    return using(1, lambda workers: workers.run(function, *values), **limits)


def test_a_function_runs_elsewhere_and_its_result_comes_back():
    assert call(os.getpid) != os.getpid()
    assert call(bytes, 3_000_000) == bytes(3_000_000)
    assert call(len, bytes(3_000_000)) == 3_000_000


def test_workers_that_are_started_ahead_have_imported_what_they_were_told():
    async def work(workers):
        workers.start("holdfast.core.page.distill_options")
        words = "'holdfast.core.page.distill_options' in __import__('sys').modules"
        return await asyncio.gather(*(workers.run(eval, words) for _ in range(2)))

    assert using(2, work) == [True, True]


def test_as_many_start_ahead_as_are_wanted_and_the_others_when_they_have_something_to_do():
    async def work(workers):
        workers.start(first=1)
        began = len(workers._workers)
        alone = {await workers.run(os.getpid) for _ in range(3)}
        waited = len(workers._workers)
        await asyncio.gather(*(workers.run(os.getpid) for _ in range(3)))
        return began, len(alone), waited, len(workers._workers)

    assert using(3, work) == (1, 1, 1, 3)


def test_what_calls_have_in_common_comes_last_and_may_change():
    async def work(workers):
        common, other = (10, 7), (10, 6)
        asked = [workers.run(pow, n, common=common if n % 3 else other) for n in range(30)]
        return await asyncio.gather(*asked)

    assert using(2, work) == [pow(n, 10, 7 if n % 3 else 6) for n in range(30)]


def test_what_a_function_raises_comes_back_in_words():
    with pytest.raises(Lost, match="ValueError: invalid literal"):
        call(int, "x")


def test_what_a_function_prints_does_not_end_up_among_the_answers():
    assert call(print, "a word") is None


def test_a_call_that_takes_too_long_costs_its_worker_and_nothing_else():
    async def work(workers):
        slow = asyncio.create_task(workers.run(time.sleep, 30))
        behind = [asyncio.create_task(workers.run(max, n, 2)) for n in range(AHEAD_CALLS)]
        with pytest.raises(Lost, match="longer than 1 s") as lost:
            await slow
        assert lost.value.reason == "time"
        return await asyncio.gather(*behind)

    assert using(1, work, seconds=1.0) == [max(n, 2) for n in range(AHEAD_CALLS)]


def test_a_call_that_kills_its_worker_is_lost_and_those_behind_it_are_not():
    async def work(workers):
        deadly = asyncio.create_task(workers.run(os._exit, 3))
        behind = [asyncio.create_task(workers.run(max, n, 2)) for n in range(2 * AHEAD_CALLS)]
        with pytest.raises(Lost, match=r"ended unexpectedly \(exit status 3\)"):
            await deadly
        return await asyncio.gather(*behind)

    assert using(1, work) == [max(n, 2) for n in range(2 * AHEAD_CALLS)]


def test_a_call_whose_worker_is_killed_by_somebody_else_is_made_by_the_next():
    async def work(workers):
        victim = await workers.run(os.getpid)
        sleeping = asyncio.create_task(workers.run(time.sleep, 0.5))
        await asyncio.sleep(0.1)
        os.kill(victim, signal.SIGKILL)
        await sleeping
        return victim, await workers.run(os.getpid)

    victim, other = using(1, work)

    assert victim != other


def test_a_call_that_takes_too_much_cpu_time_is_lost():
    async def work(workers):
        with pytest.raises(Lost, match="more CPU time") as lost:
            await workers.run(pow, 3, 1 << 26)
        assert lost.value.reason == "cpu"
        return await workers.run(max, 1, 2)

    assert using(1, work, cpu_seconds=1) == 2


def test_a_call_for_too_much_memory_comes_back_as_such():
    async def work(workers):
        with pytest.raises(Lost, match="more memory") as lost:
            await workers.run(bytearray, 1 << 40)
        assert lost.value.reason == "memory"
        return await workers.run(max, 1, 2)

    assert using(1, work) == 2


def test_workers_that_never_come_to_life_are_given_up_and_whoever_waits_is_told(tmp_path, monkeypatch):
    dying = tmp_path / "python"
    dying.write_text(f"#!/bin/sh\necho >> {tmp_path}/starts\nexit 7\n")
    dying.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(dying))

    async def work(workers):
        calls = await asyncio.gather(
            *(workers.run(max, n, 2) for n in range(3 * AHEAD_CALLS)), return_exceptions=True
        )
        with pytest.raises(FailedError, match=r"in a row did not start: .*exit status 7"):
            await workers.run(max, 1, 2)
        return calls

    assert {type(call) for call in using(1, work)} == {FailedError}
    assert (tmp_path / "starts").read_text() == STILLBORN * "\n"


def test_workers_that_cannot_import_what_they_are_to_do_are_given_up(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def work(): return 1")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(FailedError, match="in a row did not start"):
        call(importlib.import_module("only_here").work)


def test_calls_that_kill_fresh_workers_one_after_the_other_are_no_reason_to_give_up():
    async def work(workers):
        for _ in range(STILLBORN):
            with pytest.raises(Lost, match="exit status 3"):
                await workers.run(os._exit, 3)
        return await workers.run(max, 1, 2)

    assert using(1, work) == 2


def test_calls_run_side_by_side(tmp_path):
    """Opening a pipe waits for its other end: one after the other, the two calls would never end."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)

    async def work(workers):
        await asyncio.gather(*(workers.run(max, 1, 2) for _ in range(2)))
        ends = (os.O_RDONLY, os.O_WRONLY)
        return await asyncio.gather(*(workers.run(os.open, pipe, end) for end in ends))

    assert all(handle > 2 for handle in using(2, work))


def test_a_worker_imports_nothing_from_the_folder_it_is_started_in(tmp_path, monkeypatch):
    for name in ("pickle", "resource", "selectolax", "holdfast"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')")
    monkeypatch.chdir(tmp_path)

    assert call(max, 1, 2) == 2


def test_calls_under_way_are_dropped_when_the_pool_is_closed():
    async def work(workers):
        sleeping = asyncio.create_task(workers.run(time.sleep, 3600))
        await asyncio.sleep(0.1)
        workers.close()
        with pytest.raises(asyncio.CancelledError):
            await sleeping

    using(1, work, seconds=3600)


def test_where_the_system_lets_none_be_started_whoever_waits_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))

    async def work(workers):
        calls = [workers.run(max, n, 2) for n in range(3)]
        told = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 20)
        with pytest.raises(FailedError, match="no worker process can be started: No such file"):
            await workers.run(max, 1, 2)
        return told

    assert {type(call) for call in using(2, work)} == {FailedError}


def test_where_the_system_lets_no_more_be_started_those_that_are_there_do_the_work(tmp_path, monkeypatch):
    async def work(workers):
        workers.start(first=1)
        monkeypatch.setattr("sys.executable", str(tmp_path / "missing"))
        calls = [workers.run(max, n, 2) for n in range(3 * AHEAD_CALLS)]
        return await asyncio.wait_for(asyncio.gather(*calls), 20)

    assert using(3, work) == [max(n, 2) for n in range(3 * AHEAD_CALLS)]
