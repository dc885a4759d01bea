"""Politeness over the wire: every request counted, measured from the end of the last response."""

import asyncio
import time

import pytest

from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, Pause, response
from holdfast.adapters.fake_web import MemoryClock
from holdfast.adapters.http.host_turns import HostTurns
from holdfast.adapters.system import SystemClock
from holdfast.core.web.capture import Deferred
from holdfast.core.web.pace import Pace

pytestmark = pytest.mark.spec("MIR-3")

OK = response(b"ok")
MOVED = response(b"", "302 Found", "Location: /a")


class TimedServer(FaultServer):
    """Remembers when each request came and when its script was over."""

    def __init__(self, scripts):
        super().__init__(scripts)
        self.times = []
        self.at_once = self.most_at_once = 0

    async def _play(self, script, writer):
        came = time.monotonic()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        kept = await super()._play(script, writer)
        self.at_once -= 1
        self.times.append((came, time.monotonic()))
        return kept


def test_pages_robots_hops_and_retries_all_keep_the_distance():
    """On the real clock: 0.1 s after the end of each response, whoever asks, and one at a time."""

    async def main():
        scripts = {
            "/robots.txt": (OK,),
            "/a": (response(b"0")[:-1], Pause(0.05), b"x"),
            "/hop": (MOVED,),
            "/busy": [(response(b"", "429 No", "Retry-After: 0"),), (OK,)],
        }
        async with TimedServer(scripts) as server:
            async with door(server.base, clock=SystemClock(), content_rate_limit=10) as fetcher:
                paths = ("/a", "/hop", "/busy", "/a", "/a")
                asking = (fetcher.fetch(ask(server.base + path, obey_robots=True)) for path in paths)
                outcomes = await asyncio.gather(*asking)
            return server, outcomes

    server, outcomes = run(main())
    assert {label(outcome) for outcome in outcomes} == {"Fetched"}
    assert len(server.times) == 1 + 5 + 1 + 1
    assert server.most_at_once == 1
    gaps = [came - ended for (_, ended), (came, _) in zip(server.times, server.times[1:], strict=False)]
    assert min(gaps) >= 0.099
    assert any(wait.reason == "delay" for outcome in outcomes for wait in outcome.trail.waits)


def test_hosts_do_not_wait_for_each_other():
    async def main():
        slow = FaultServer({"/a": (Pause(0.25), OK)})
        quick = FaultServer({"/a": (OK,)}, host="127.0.0.2")
        async with slow, quick, door(slow.base, quick.base, content_rate_limit=1) as fetcher:
            slow_one = asyncio.create_task(fetcher.fetch(ask(f"{slow.base}/a")))
            await asyncio.sleep(0.01)
            await fetcher.fetch(ask(f"{quick.base}/a"))
            assert not slow_one.done()
            await slow_one

    run(main())


def test_with_the_limit_off_as_many_as_per_host_run_side_by_side():
    async def main():
        async with TimedServer({"/a": (Pause(0.02), OK)}) as server:
            async with door(server.base, per_host=4) as fetcher:
                await asyncio.gather(*(fetcher.fetch(ask(f"{server.base}/a")) for _ in range(20)))
            return server.most_at_once

    assert run(main()) == 4


def test_a_crawl_delay_is_honoured_even_with_the_limit_off():
    async def main():
        clock = MemoryClock()
        robots = (response(b"User-agent: *\nCrawl-delay: 7"),)
        async with (
            FaultServer({"/robots.txt": robots, "/a": (OK,)}) as server,
            door(server.base, clock=clock) as fetcher,
        ):
            outcomes = [await fetcher.fetch(ask(f"{server.base}/a", obey_robots=True)) for _ in range(3)]
        return clock.monotonic(), outcomes

    elapsed, outcomes = run(main())
    assert elapsed == pytest.approx(21)
    assert all(outcome.trail.waits[0].reason == "crawl-delay" for outcome in outcomes)


@pytest.mark.spec("MIR-4")
def test_retry_after_holds_the_whole_host():
    async def main():
        clock = MemoryClock()
        scripts = {"/busy": [(response(b"", "429 No", "Retry-After: 30"),), (OK,)], "/other": (OK,)}
        async with FaultServer(scripts) as server, door(server.base, clock=clock, per_host=1) as fetcher:
            busy = asyncio.create_task(fetcher.fetch(ask(f"{server.base}/busy")))
            await server.was_asked("/busy")
            other = await fetcher.fetch(ask(f"{server.base}/other"))
            return clock.monotonic(), await busy, other

    elapsed, busy, other = run(main())
    assert elapsed == pytest.approx(30)
    assert label(busy) == label(other) == "Fetched"
    assert "retry-after" in {wait.reason for wait in (*busy.trail.waits, *other.trail.waits)}


@pytest.mark.spec("MIR-4")
def test_a_wait_beyond_the_ceiling_is_deferred_for_everybody_and_never_slept_through():
    async def main():
        clock = MemoryClock()
        scripts = {"/busy": (response(b"", "503 No", "Retry-After: 3600"),), "/other": (OK,)}
        async with FaultServer(scripts) as server, door(server.base, clock=clock) as fetcher:
            first = await fetcher.fetch(ask(f"{server.base}/busy"))
            second = await fetcher.fetch(ask(f"{server.base}/other"))
            clock.pass_time(3600)
            third = await fetcher.fetch(ask(f"{server.base}/other"))
            return clock, first, second, third, server.requests

    clock, first, second, third, requests = run(main())
    assert isinstance(first, Deferred)
    assert isinstance(second, Deferred)
    assert first.until == second.until
    assert (first.until - clock.now()).total_seconds() == 0
    assert label(third) == "Fetched"
    assert requests == {"/busy": 1, "/other": 1}


@pytest.mark.spec("MIR-4")
def test_the_sum_of_waits_has_a_ceiling_too():
    async def main():
        clock = MemoryClock()
        async with (
            FaultServer({"/busy": (response(b"", "429 No", "Retry-After: 50"),)}) as server,
            door(server.base, clock=clock, max_slowdowns=99) as fetcher,
        ):
            return clock.monotonic(), await fetcher.fetch(ask(f"{server.base}/busy")), clock.monotonic()

    _, outcome, elapsed = run(main())
    assert isinstance(outcome, Deferred)
    assert elapsed == pytest.approx(150), "three waits of 50 s fit into 180 s, a fourth does not"


def test_whoever_is_cancelled_in_line_leaves_the_line_moving():
    async def main():
        turns = HostTurns(SystemClock(), Pace(pause=0.0, width=1))
        assert await turns.enter("h", print) is None
        second = asyncio.create_task(turns.enter("h", print))
        third = asyncio.create_task(turns.enter("h", print))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        turns.leave("h")
        assert await asyncio.wait_for(third, 1) is None

    run(main())


def test_whoever_is_cancelled_just_after_being_handed_a_turn_hands_it_on():
    async def main():
        turns = HostTurns(SystemClock(), Pace(pause=0.0, width=1))
        await turns.enter("h", print)
        second = asyncio.create_task(turns.enter("h", print))
        third = asyncio.create_task(turns.enter("h", print))
        await asyncio.sleep(0)
        turns.leave("h")  # the turn is the second's now, who has not run yet
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        assert await asyncio.wait_for(third, 1) is None

    run(main())


def test_a_request_that_is_cancelled_gives_its_turn_back():
    async def main():
        async with (
            FaultServer({"/slow": (Pause(30),), "/a": (OK,)}) as server,
            door(server.base, per_host=1) as fetcher,
        ):
            slow = asyncio.create_task(fetcher.fetch(ask(f"{server.base}/slow")))
            await server.was_asked("/slow")
            slow.cancel()
            await asyncio.gather(slow, return_exceptions=True)
            return label(await fetcher.fetch(ask(f"{server.base}/a")))

    assert run(main()) == "Fetched"


def test_an_absurd_crawl_delay_defers_instead_of_hanging():
    async def main():
        robots = (response(b"User-agent: *\nCrawl-delay: 1e300"),)
        async with FaultServer({"/robots.txt": robots, "/a": (OK,)}) as server, door(server.base) as fetcher:
            return await fetcher.fetch(ask(f"{server.base}/a", obey_robots=True))

    assert isinstance(run(main()), Deferred)


def test_lanes_of_hosts_that_are_done_are_forgotten():
    async def main():
        turns = HostTurns(SystemClock(), Pace(pause=0.0))
        for number in range(20_000):
            await turns.enter(f"h{number}", print)
            turns.leave(f"h{number}")
        return len(turns._lanes)

    assert run(main()) <= 4096
