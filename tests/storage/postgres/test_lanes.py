"""Runs that ask the same hosts, over a ledger's server: one of them at a time, and none waits for ever."""

from __future__ import annotations

import asyncio
import gc
from contextlib import asynccontextmanager, closing

import pytest

from helpers.ledger_cases import at
from holdfast.adapters.ports import FetchRequest
from holdfast.adapters.system import SystemClock
from holdfast.core.url.url import parse_url
from holdfast.storage.postgres import host_lanes
from holdfast.storage.postgres.host_lanes import LanedFetcher
from holdfast.storage.postgres.job_queue import JobTable
from holdfast.storage.postgres.postgres_ledger import open_database

_END_THE_OTHERS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database()
"""


class Web:
    """Hosts that note who asks them, and whether two do at a time; a path names the host it leads on to."""

    def __init__(self):
        self.asked = []
        self.at_a_time = {}
        self.closed = []

    async def ask(self, who, host):
        here = self.at_a_time.setdefault(host, set())
        here.add(who)
        self.asked.append((host, who, frozenset(here)))
        await asyncio.sleep(0.01)
        here.discard(who)

    def fetcher(self, who):
        return _Fetcher(self, who)


class _Fetcher:
    def __init__(self, web, who):
        self._web, self._who = web, who

    async def fetch(self, request):
        await self._web.ask(self._who, request.url.host)
        if onward := request.url.href.split("/", 3)[3]:
            await request.turn(onward)
            await self._web.ask(self._who, onward)

    async def close(self):
        self._web.closed.append(self._who)


@pytest.fixture
def runs(postgres, monkeypatch):
    """Two runs with a lane book each."""
    monkeypatch.setattr(host_lanes, "_ASK_AGAIN", 0.02)
    monkeypatch.setattr(host_lanes, "_TURN", 0.05)
    monkeypatch.setattr(host_lanes, "_UNUSED", 0.05)

    @asynccontextmanager
    async def two(web):
        open_db = lambda: JobTable(open_database(postgres, at(0)))  # noqa: E731 - a name for the lines below
        jobs = open_db()
        made = [
            LanedFetcher(
                web.fetcher(who), open_db(), jobs.begin(who, who, 60), SystemClock(), seconds=60, pause=0
            )
            for who in ("one", "two")
        ]
        yield made
        jobs.close()
        for fetcher in made:
            await fetcher.close()

    return two


def request(path):
    return FetchRequest(parse_url(f"http://{path}"))


@pytest.mark.spec("CLU-3")
def test_two_runs_never_ask_a_host_at_a_time(runs):
    web = Web()

    async def both():
        async with runs(web) as (one, two):
            asks = [each.fetch(request("a.example/")) for each in (one, two) for _ in range(5)]
            await asyncio.wait_for(asyncio.gather(*asks), 60)

    asyncio.run(both())
    assert len(web.asked) == 10
    assert all(len(at_once) == 1 for _, _, at_once in web.asked)


@pytest.mark.spec("CLU-3")
def test_a_redirect_enters_the_lane_it_leads_to_and_two_that_cross_do_not_wait_for_ever(runs):
    web = Web()

    async def both():
        async with runs(web) as (one, two):
            there, back = request("a.example/b.example"), request("b.example/a.example")
            asks = [one.fetch(there) for _ in range(3)] + [two.fetch(back) for _ in range(3)]
            await asyncio.wait_for(asyncio.gather(*asks), 60)

    asyncio.run(both())
    assert len(web.asked) == 12
    assert all(len(at_once) == 1 for _, _, at_once in web.asked)


@pytest.mark.spec("CLU-3")
@pytest.mark.parametrize("seconds", [0, 0.2], ids=["at once", "after the lane was not used for a while"])
def test_a_run_whose_server_is_lost_still_closes_its_connections_and_shows_no_trace(runs, postgres, seconds):
    web, shown = Web(), []

    async def lost():
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: shown.append(context))
        async with runs(web) as (one, _two):
            await one.fetch(request("a.example/"))
            with closing(open_database(postgres, at(0))) as other:
                other.number(_END_THE_OTHERS)
            await asyncio.sleep(seconds)

    asyncio.run(lost())
    gc.collect()  # a task whose error nobody took is told when it goes
    assert web.closed == ["one", "two"]
    assert shown == []
