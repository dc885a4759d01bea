"""Hosts that ask for time, fail as a whole, or answer slowly: a scripted web on a virtual clock."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.base.hashing import url_key
from holdfast.core.links.citation import CitedPlace
from holdfast.core.links.link_state import LinkState
from holdfast.core.url.hosts import HostRules
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture, Deferred, Failed, Failure, Fetched, Hop, TimedOut, Trail
from holdfast.core.web.pace import HostManner
from holdfast.jobs.check.asking import Asking
from holdfast.jobs.check.options import Pacing
from holdfast.jobs.check.planning import LinkAsk

pytestmark = pytest.mark.spec("TRK-12")


def ask_of(text):
    key = url_key(text)
    place = CitedPlace(Place(text, key, key), "bid:x", LinkState.UNCHECKED, text)
    return LinkAsk(place, parse_url(text), frozenset(), conditional=False)


class ScriptedWeb:
    """Answers by a script for each host; what it does not speak of is fine after ten milliseconds."""

    def __init__(self, clock, **scripts):
        self.clock, self.scripts = clock, scripts
        self.asked, self.times = Counter(), {}

    async def fetch(self, request):
        url = request.url
        self.asked[url.host] += 1
        self.times.setdefault(url.host, []).append(self.clock.monotonic())
        await self.clock.sleep(0.01)
        script = self.scripts.get(url.host.partition(".")[0])
        return script(self, url) if script else self.answer(url, 200)

    def answer(self, url, status, *headers):
        capture = Capture(url, url, status, headers, b"", self.clock.now())
        if status == 200:
            return Fetched(capture)
        return Failed(Failure.RATE_LIMITED, str(status), transient=True, capture=capture)


def run(web, urls, pacing=Pacing()):  # noqa: B008 - a frozen value
    outcomes, at = {}, {}

    async def answered(ask, outcome):
        outcomes[ask.url.href] = outcome
        at[ask.url.href] = web.clock.monotonic()

    async def main():
        asking = Asking(web, web.clock, pacing, HostRules(), answered, obey_robots=False)
        await asking.ask([ask_of(url) for url in urls])

    asyncio.run(main())
    return outcomes, at


def busy_until(second, retry_after):
    """A host that answers 429 with a time to wait, until that time is over."""

    def script(web, url):
        if web.clock.monotonic() < second:
            return web.answer(url, 429, ("Retry-After", str(retry_after)))
        return web.answer(url, 200)

    return script


def pages(host, count):
    return [f"https://{host}.example.org/{n}" for n in range(count)]


def test_a_host_that_asks_for_a_minute_is_asked_again_after_it_and_nobody_else_waits():
    web = ScriptedWeb(MemoryClock(), busy=busy_until(60, 60))
    outcomes, at = run(web, pages("busy", 20) + pages("other", 100))
    assert all(isinstance(outcome, Fetched) for outcome in outcomes.values())
    assert max(at[url] for url in pages("other", 100)) < 6
    assert min(at[url] for url in pages("busy", 20)) >= 60
    assert web.asked["busy.example.org"] <= 22  # the two that ran side by side were asked twice


def test_a_host_that_asks_for_an_hour_is_left_for_a_later_run():
    web = ScriptedWeb(MemoryClock(), busy=busy_until(1e9, 3600))
    outcomes, _ = run(web, pages("busy", 20))
    put_off = [outcome for outcome in outcomes.values() if isinstance(outcome, Deferred)]
    assert web.asked["busy.example.org"] <= 2
    assert len(put_off) >= 18
    due = web.clock.now() + timedelta(seconds=3600)
    assert all(abs(outcome.until - due) < timedelta(seconds=1) for outcome in put_off)
    assert web.clock.monotonic() < 1


def test_one_url_that_is_always_too_many_is_answered_as_such_in_the_end():
    def script(web, url):
        return web.answer(url, 429 if url.href.endswith("/0") else 200, ("Retry-After", "1"))

    outcomes, _ = run(ScriptedWeb(MemoryClock(), odd=script), pages("odd", 30))
    first, *others = (outcomes[url] for url in pages("odd", 30))
    assert isinstance(first, Failed)
    assert all(isinstance(outcome, Fetched) for outcome in others)


@pytest.mark.parametrize(
    ("outcome", "most"),
    [
        (Failed(Failure.DNS, "no such name", transient=True), 2),
        (Failed(Failure.CONNECT, "refused", transient=True), 2),
        (TimedOut("connect", "no connection in time"), 3),
    ],
)
def test_a_name_or_a_connection_that_fails_answers_for_its_host(outcome, most):
    web = ScriptedWeb(MemoryClock(), lost=lambda *_: outcome)
    outcomes, _ = run(web, pages("lost", 551) + pages("fine", 3))
    assert web.asked["lost.example.org"] <= most
    assert web.asked["fine.example.org"] == 3
    assert all(outcomes[url] is outcome for url in pages("lost", 551))


def test_a_refused_port_says_nothing_of_another_port():
    def script(web, url):
        refused = Failed(Failure.CONNECT, "refused", transient=True)
        return refused if url.port == 8080 else web.answer(url, 200)

    urls = [f"https://two.example.org:8080/{n}" for n in range(9)] + pages("two", 9)
    outcomes, _ = run(ScriptedWeb(MemoryClock(), two=script), urls)
    assert all(isinstance(outcomes[url], Fetched) for url in pages("two", 9))


def test_a_redirect_to_a_host_that_is_not_there_answers_for_nobody():
    def script(web, url):
        hop = Hop(url, 302, parse_url("https://lost.example.org/"))
        return Failed(Failure.DNS, "no such name", transient=True, trail=Trail(hops=(hop,)))

    web = ScriptedWeb(MemoryClock(), link=script)
    run(web, pages("link", 12))
    assert web.asked["link.example.org"] == 12


def test_a_host_gets_fewer_requests_as_its_answers_take_longer():
    class Tiring(ScriptedWeb):
        async def fetch(self, request):
            await self.clock.sleep(0.05 * self.asked[request.url.host])
            return await super().fetch(request)

    web = Tiring(MemoryClock())
    run(web, pages("tired", 60))
    times = web.times["tired.example.org"]
    assert times[-1] - times[-2] > 10 * (times[2] - times[1])


def test_the_outlook_names_the_host_that_is_waited_for():
    web = ScriptedWeb(MemoryClock(), busy=busy_until(40, 40))
    seen = []

    async def main():
        async def answered(ask, outcome):
            seen.append(asking.outlook())

        asking = Asking(web, web.clock, Pacing(), HostRules(), answered, obey_robots=False)
        await asking.ask([ask_of(url) for url in pages("busy", 10) + pages("other", 5)])

    asyncio.run(main())
    during = seen[3]
    assert [(held.host, held.left) for held in during.held] == [("busy.example.org", 10)]
    assert 30 < during.seconds < 45
    assert seen[-1].left == 0


class RedirectingWeb(ScriptedWeb):
    """Every page of a short host leads to a page of another, whose turn is waited for."""

    async def fetch(self, request):
        url = request.url
        if not url.host.startswith("short"):
            return await super().fetch(request)
        self.times.setdefault(url.host, []).append(self.clock.monotonic())
        await self.clock.sleep(0.01)
        target = parse_url(f"https://{url.path.split('/')[1]}.example.org/{url.path}")
        held = await request.turn(target.host)
        if held is not None:
            return Deferred(self.clock.now() + timedelta(seconds=held), "held", Trail())
        return await super().fetch(replace(request, url=target))


def test_hosts_that_redirects_lead_to_are_asked_at_their_pace():
    web = RedirectingWeb(MemoryClock())
    run(web, [f"https://short{n}.example.org/target/{n}" for n in range(40)], Pacing(at_a_time=64))
    times = web.times["target.example.org"]
    assert len(times) == 40
    assert all(later - sooner >= 0.0499 for sooner, later in pairwise(times))


def test_a_target_that_asks_for_time_slows_itself_alone():
    web = RedirectingWeb(MemoryClock(), target=busy_until(30, 30))
    urls = [f"https://short.example.org/{host}/{n}" for n in range(10) for host in ("target", "other")]
    outcomes, at = run(web, urls)
    assert all(isinstance(outcome, Fetched) for outcome in outcomes.values())
    assert max(at[url] for url in urls if "/other/" in url) < 10
    assert min(at[url] for url in urls if "/target/" in url) >= 30


def test_redirects_to_and_fro_wait_for_each_other_without_end():
    web = RedirectingWeb(MemoryClock())
    web.scripts |= {"short1": None}
    urls = [f"https://short{n % 2}.example.org/short{1 - n % 2}/{n}" for n in range(40)]
    outcomes, _ = run(web, urls, Pacing(at_a_time=2))
    assert len(outcomes) == 40


def test_a_host_of_which_the_user_said_so_has_a_pace_of_its_own():
    web = ScriptedWeb(MemoryClock())
    slow = HostManner(2.0, 1, adapts=False)
    run(web, pages("slow", 5) + pages("quick", 5), Pacing(by_host={"slow.example.org": slow}))
    assert all(later - sooner >= 2 for sooner, later in pairwise(web.times["slow.example.org"]))
    assert web.times["quick.example.org"][-1] < 1
