"""The web by script and time by wish: the fakes that ship with the package."""

import asyncio
from datetime import UTC, datetime

import pytest

from helpers.faults.door import ask, label, run, url
from holdfast.adapters.fake_web import Fault, MemoryClock, MemoryFetcher, Reply
from holdfast.adapters.ports import Clock, Fetcher
from holdfast.core.web.capture import Failed, Failure, TimedOut
from holdfast.core.web.robots import RobotsState

HOME = "https://example.com"


def fetch(script, *requests):
    async def main():
        web = MemoryFetcher(script, MemoryClock())
        return [await web.fetch(request) for request in requests], web

    return run(main())


def test_the_fakes_are_the_ports():
    clock: Clock = MemoryClock()
    web: Fetcher = MemoryFetcher({}, clock)
    assert run(web.close()) is None


def test_answers_come_in_order_and_the_last_stays():
    shaky = [
        Fault(TimedOut("total", "")),
        Fault(Failed(Failure.RESET, "", transient=True)),
        Reply(b"at last"),
    ]
    outcomes, web = fetch({f"{HOME}/a": shaky}, *[ask(f"{HOME}/a")] * 4)
    assert [label(outcome) for outcome in outcomes] == [
        "TimedOut: total",
        "Failed: reset",
        "Fetched",
        "Fetched",
    ]
    assert web.requests == {f"{HOME}/a": 4}


def test_what_is_not_in_the_script_is_gone():
    (outcome,), _ = fetch({}, ask(f"{HOME}/nowhere"))
    assert label(outcome) == "Gone"


def test_redirects_scope_and_robots_are_decided_as_in_the_real_door():
    script = {
        f"{HOME}/robots.txt": Reply(b"User-agent: *\nDisallow: /no\nCrawl-delay: 2\nSitemap: /s.xml"),
        f"{HOME}/a": Reply(status=301, headers=(("Location", "/b"),)),
        f"{HOME}/b": Reply(b"b"),
        f"{HOME}/c": Reply(status=302, headers=(("Location", "/no"),)),
        f"{HOME}/loop": Reply(status=302, headers=(("Location", "/loop"),)),
        f"{HOME}/file": Reply(status=302, headers=(("Location", "file:///x"),)),
        f"{HOME}/nowhere": Reply(status=302, headers=()),
    }

    def admit(target):
        return None if target.path != "/b" else "no b"

    requests = [
        ask(f"{HOME}/a"),
        ask(f"{HOME}/a", admit=admit),
        ask(f"{HOME}/b", admit=admit),
        ask(f"{HOME}/c", obey_robots=True),
        ask(f"{HOME}/loop"),
        ask(f"{HOME}/file"),
        ask(f"{HOME}/nowhere"),
    ]
    outcomes, web = fetch(script, *requests)
    assert [label(outcome) for outcome in outcomes] == [
        "Fetched",
        "RedirectedAway",
        "Denied: scope",
        "Denied: robots",
        "Failed: redirect_loop",
        "Denied: scheme",
        "Failed: bad_redirect",
    ]
    assert outcomes[0].capture.final.path == "/b"
    report = run(web.robots(url(HOME)))
    assert (report.state, report.crawl_delay, report.sitemaps) == (RobotsState.READ, 2.0, ("/s.xml",))
    assert run(web.robots(url("https://other.example"))).state is RobotsState.ABSENT


def test_what_is_known_already_is_a_304():
    page = Reply(b"page", headers=(("ETag", '"1"'), ("Last-Modified", "then")))
    same, dated, other = (
        ask(f"{HOME}/", etag='"1"'),
        ask(f"{HOME}/", last_modified="then"),
        ask(f"{HOME}/", etag='"2"'),
    )
    outcomes, _ = fetch({f"{HOME}/": page}, same, dated, other)
    assert [label(outcome) for outcome in outcomes] == ["NotModified", "NotModified", "Fetched"]
    assert outcomes[0].capture.body == b""


def test_virtual_time_passes_in_the_order_of_waking():
    async def main():
        clock = MemoryClock(datetime(2026, 1, 1, tzinfo=UTC))
        woken = []

        async def sleeper(name, *naps):
            for nap in naps:
                await clock.sleep(nap)
                woken.append((name, clock.monotonic()))

        await asyncio.gather(sleeper("slow", 60), sleeper("quick", 10, 20, 20))
        return woken, clock.now()

    woken, now = run(main())
    assert woken == [("quick", 10), ("quick", 30), ("quick", 50), ("slow", 60)]
    assert now == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)


def test_a_sleeper_that_is_cancelled_does_not_hold_time_up():
    async def main():
        clock = MemoryClock()
        first = asyncio.create_task(clock.sleep(1_000))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await clock.sleep(5)
        return clock.monotonic()

    assert run(main()) == 5


@pytest.mark.parametrize("count", [500])
def test_a_delay_of_an_answer_takes_virtual_time_only(count):
    async def main():
        clock = MemoryClock()
        web = MemoryFetcher({f"{HOME}/": Reply(delay=3600)}, clock)
        await asyncio.gather(*(web.fetch(ask(f"{HOME}/")) for _ in range(count)))
        return clock.monotonic()

    assert run(main()) == 3600
