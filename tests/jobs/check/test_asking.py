"""Putting the questions at the pace of the limits: on a virtual clock to the millisecond, and for real."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from itertools import pairwise

import pytest

from helpers.faults.door import door
from helpers.faults.server import FaultServer, response
from holdfast.adapters.fake_web import MemoryClock
from holdfast.adapters.http.host_turns import HostTurns
from holdfast.adapters.system import SystemClock
from holdfast.core.base.hashing import url_key
from holdfast.core.links.citation import CitedPlace
from holdfast.core.links.link_state import LinkState
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Fetched
from holdfast.core.web.pace import HostManner, Pace
from holdfast.jobs.check.asking import Asking
from holdfast.jobs.check.options import Pacing
from holdfast.jobs.check.planning import LinkAsk

pytestmark = pytest.mark.spec("MIR-3", "TRK-4")


def asks(urls):
    for text in urls:
        key = url_key(text)
        place = CitedPlace(Place(text, key, key), "bid:x", LinkState.UNCHECKED, text)
        yield LinkAsk(place, parse_url(text), frozenset(), conditional=False)


def paced(at_a_time, pause):
    """A pace that the user named."""
    return Pacing(at_a_time, HostManner(pause, 8, adapts=False))


async def ask_all(urls, fetcher, clock, pacing, answered):
    asking = Asking(fetcher, clock, pacing, HostRules(), answered, obey_robots=False)
    await asking.ask([*asks(urls)])


class GatedWeb:
    """The real turns before a web whose answers take a while: when each request went out, and came back."""

    def __init__(self, clock, pause, latency):
        self._clock, self._latency = clock, latency
        self._turns = HostTurns(clock, Pace(pause, 8))
        self.times = defaultdict(list)
        self.most, self._now = 0, 0

    async def fetch(self, request):
        host = request.url.host
        await self._turns.enter(host, lambda _: None)
        begun = self._clock.monotonic()
        self._now += 1
        self.most = max(self.most, self._now)
        await self._clock.sleep(self._latency)
        self._now -= 1
        self.times[host].append((begun, self._clock.monotonic()))
        self._turns.leave(host)


def ask_web(hosts, each, pacing, *, latency, reading):
    """Ask so many URLs of so many hosts; the web, and the seconds it took."""
    clock = MemoryClock()
    web = GatedWeb(clock, pacing.manner.pause, latency)
    urls = [f"http://host{host}.example/{n}" for n in range(each) for host in range(hosts)]

    async def answered(ask, outcome):
        await clock.sleep(reading)

    asyncio.run(ask_all(urls, web, clock, pacing, answered))
    return web, clock.monotonic()


def test_the_limits_alone_decide_how_long_it_takes():
    pacing = paced(10, 0.1)
    web, seconds = ask_web(40, 20, pacing, latency=0.002, reading=0.030)
    allowed = 19 * (0.1 + 0.002)  # the pause runs from the end of the response
    assert allowed < seconds < allowed * 1.05
    assert web.most <= 10


def test_between_two_requests_to_a_host_lies_the_pause_and_nothing_more():
    web, _ = ask_web(5, 12, paced(10, 0.5), latency=0.1, reading=0.2)
    for times in web.times.values():
        gaps = [begun - ended for (_, ended), (begun, _) in pairwise(times)]
        assert all(0.5 <= round(gap, 6) <= 0.501 for gap in gaps)


def test_reading_that_takes_longer_than_the_pause_is_waited_for():
    _, seconds = ask_web(1, 5, paced(10, 0.1), latency=0.0, reading=1.0)
    assert round(seconds, 6) == 5.0


def test_a_slow_host_holds_nobody_up():
    clock = MemoryClock()
    web = GatedWeb(clock, 1.0, 0.01)
    urls = [f"http://slow.example/{n}" for n in range(30)] + [f"http://h{n}.example/" for n in range(30)]
    done = []

    async def answered(ask, outcome):
        done.append((ask.url.host, clock.monotonic()))

    pacing = paced(2, 1.0)
    asyncio.run(ask_all(urls, web, clock, pacing, answered))
    assert max(at for host, at in done if host != "slow.example") < 0.5


def test_without_a_pause_a_host_is_asked_side_by_side():
    web, seconds = ask_web(1, 64, paced(64, 0.0), latency=1.0, reading=0.0)
    assert web.most == 8
    assert round(seconds, 6) == 8.0


def test_slots_go_to_many_hosts_before_a_host_gets_a_second():
    """Else each host would have as many connections as may run side by side, for one request each."""
    web, _ = ask_web(4, 8, paced(4, 0.0), latency=1.0, reading=0.0)
    for times in web.times.values():
        assert all(begun >= ended for (_, ended), (begun, _) in pairwise(times))


def test_hosts_are_asked_side_by_side_each_at_its_own_pace_for_real():
    page = (response(b"<p>x</p>", "200 OK", "Content-Type: text/html"),)
    arrivals = defaultdict(list)

    async def main():
        servers = [FaultServer({f"/{n}": page for n in range(5)}, host=f"127.0.0.{k}") for k in range(1, 9)]
        async with asyncio.TaskGroup() as group:
            for server in servers:
                group.create_task(server.__aenter__())
        urls = [f"{server.base}/{n}" for n in range(5) for server in servers]

        async def answered(ask, outcome):
            assert isinstance(outcome, Fetched)
            arrivals[ask.url.host].append(time.monotonic())

        clock, pacing = SystemClock(), paced(10, 0.05)
        async with door(clock=clock, allow_private=True, content_rate_limit=20) as fetcher:
            await ask_all(urls, fetcher, clock, pacing, answered)
        for server in servers:
            await server.__aexit__(None, None, None)

    asyncio.run(main())
    for times in arrivals.values():
        assert len(times) == 5
        assert times[-1] - times[0] >= 4 * 0.05 * 0.9
    first, last = min(map(min, arrivals.values())), max(map(max, arrivals.values()))
    assert last - first < 8 * 4 * 0.05  # one after the other they would have taken that long
