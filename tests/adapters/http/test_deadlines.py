"""The time that requests have: one timer for all of them, and nobody's cancellation is taken for it."""

import asyncio
import contextlib

import pytest

from holdfast.adapters.http.connections import Deadlines

pytestmark = pytest.mark.spec("SEC-2")


async def waiting(deadlines, event):
    with deadlines.one():
        await event.wait()


def test_who_is_late_times_out_and_who_came_later_goes_on():
    async def run():
        deadlines = Deadlines(0.01)
        early = asyncio.create_task(waiting(deadlines, asyncio.Event()))
        await asyncio.sleep(0)
        deadlines.seconds = 60  # so that no slow machine makes the second one late
        done = asyncio.Event()
        late = asyncio.create_task(waiting(deadlines, done))
        with pytest.raises(TimeoutError):
            await early
        assert not early.cancelling()
        assert not late.done()
        done.set()
        await late
        assert not deadlines.running

    asyncio.run(run())


def test_all_that_are_late_at_once_time_out():
    async def run():
        deadlines = Deadlines(0.01)
        tasks = [asyncio.create_task(waiting(deadlines, asyncio.Event())) for _ in range(5)]
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [TimeoutError] * 5

    asyncio.run(run())


def test_a_cancellation_by_somebody_else_stays_one():
    async def run():
        deadlines = Deadlines(60)
        task = asyncio.create_task(waiting(deadlines, asyncio.Event()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not deadlines.running

    asyncio.run(run())


def test_an_error_on_the_way_is_that_error():
    async def run():
        deadlines = Deadlines(60)
        with pytest.raises(KeyError), deadlines.one():
            raise KeyError
        assert not deadlines.running

    asyncio.run(run())


def test_a_thousand_requests_set_one_timer():
    async def run():
        loop, deadlines, timers = asyncio.get_running_loop(), Deadlines(60), []
        call_at = loop.call_at
        loop.call_at = lambda *args, **options: timers.append(args) or call_at(*args, **options)
        for _ in range(1000):
            with deadlines.one():
                pass
        assert len(timers) == 1

    asyncio.run(run())


def test_another_loop_has_a_timer_of_its_own():
    deadlines = Deadlines(0.01)
    for _ in range(2):
        with contextlib.suppress(TimeoutError):
            asyncio.run(waiting(deadlines, asyncio.Event()))
            pytest.fail("it waits for ever")
