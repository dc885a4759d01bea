"""robots.txt over the wire: asked once, 4xx allows, 5xx refuses for now, and its faults."""

import asyncio
from datetime import UTC, datetime

import pytest

from helpers.faults.door import ask, door, label, run, url
from helpers.faults.server import CLOSE, Endless, FaultServer, Pause, response
from holdfast.adapters.fake_web import MemoryClock
from holdfast.adapters.http.robots_cache import RobotsCache
from holdfast.core.web.capture import Capture, Fetched
from holdfast.core.web.robots import RobotsState

pytestmark = pytest.mark.spec("MIR-13")

OK = (response(b"ok"),)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
NO_X = b"User-agent: *\nDisallow: /x\nSitemap: https://example.com/s.xml\n"


def robots_then(path, served, **settings):
    """What becomes of a path under a robots.txt that is played by script."""

    async def main():
        async with FaultServer({"/robots.txt": served, "/x": OK, "/y": OK}) as server:
            async with door(server.base, **settings) as fetcher:
                outcome = await fetcher.fetch(ask(f"{server.base}{path}", obey_robots=True))
            return outcome, server

    return run(main())


def test_it_is_asked_once_however_many_ask_at_once_and_its_refusal_names_the_rule():
    async def main():
        async with FaultServer({"/robots.txt": (Pause(0.05), response(NO_X)), "/y": OK}) as server:
            async with door(server.base) as fetcher:
                paths = ["/x", "/y"] * 10
                asking = (fetcher.fetch(ask(server.base + path, obey_robots=True)) for path in paths)
                outcomes = await asyncio.gather(*asking)
                report = await fetcher.robots(url(server.base))
            return outcomes, report, server.requests

    outcomes, report, requests = run(main())
    assert [label(outcome) for outcome in outcomes] == ["Denied: robots", "Fetched"] * 10
    assert outcomes[0].detail.startswith("Disallow: /x (http://127.0.0.1:")
    assert outcomes[0].trail.robots_rule == "Disallow: /x"
    assert report.state is RobotsState.READ
    assert report.sitemaps == ("https://example.com/s.xml",)
    assert requests == {"/robots.txt": 1, "/y": 10}


@pytest.mark.parametrize("status", ["401 No", "403 No", "404 No", "410 No", "418 No"])
def test_4xx_allows(status):
    outcome, _ = robots_then("/x", (response(b"", status),))
    assert label(outcome) == "Fetched"
    assert outcome.trail.robots_rule == "no robots.txt"


@pytest.mark.parametrize(
    "robots",
    [
        pytest.param((response(b"", "500 No"),), id="500"),
        pytest.param((response(b"", "503 No"),), id="503"),
        pytest.param((response(b"", "429 No"),), id="429"),
        pytest.param((Pause(30),), id="hangs"),
        pytest.param((CLOSE,), id="closed"),
        pytest.param((b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser", CLOSE), id="short"),
        pytest.param((response(b"", "302 Found", "Location: http://10.0.0.1/"),), id="to_private"),
    ],
)
def test_what_cannot_be_reached_refuses_for_now(robots):
    outcome, server = robots_then("/y", robots, idle_timeout=0.5)
    assert label(outcome) == "Failed: robots_unavailable"
    assert outcome.transient
    assert server.requests["/y"] == 0


def test_a_host_that_is_not_there_is_told_so_and_not_for_want_of_robots():
    async def main():
        async with door("http://127.0.0.1:1") as fetcher:
            return await fetcher.fetch(ask("http://127.0.0.1:1/y", obey_robots=True))

    outcome = run(main())
    assert label(outcome) == "Failed: connect"
    assert outcome.detail == "Connection refused"
    assert outcome.trail.requests == 0


def test_what_could_not_be_reached_is_asked_again_after_a_while():
    async def main():
        clock = MemoryClock()
        async with FaultServer(
            {"/robots.txt": [(response(b"", "500 No"),), (response(NO_X),)], "/y": OK}
        ) as server:
            async with door(server.base, clock=clock) as fetcher:
                request = ask(f"{server.base}/y", obey_robots=True)
                outcomes = [label(await fetcher.fetch(request)) for _ in range(3)]
                clock.pass_time(61)
                outcomes.append(label(await fetcher.fetch(request)))
            return outcomes, server.requests["/robots.txt"]

    refused = "Failed: robots_unavailable"
    assert run(main()) == ([refused, refused, refused, "Fetched"], 2)


def test_five_redirects_are_followed_and_a_sixth_means_there_is_none():
    def chain(length):
        hops = [(response(b"", "302 Found", f"Location: /robots.txt?{n}"),) for n in range(length)]
        return [*hops, (response(NO_X),)]

    assert label(robots_then("/x", chain(5))[0]) == "Denied: robots"
    assert label(robots_then("/x", chain(6))[0]) == "Fetched"


def test_html_in_its_place_allows():
    page = b"<!doctype html><html><body><h1>Welcome</h1><p>Disallow: /x</body></html>"
    assert label(robots_then("/x", (response(page),))[0]) == "Fetched"


def test_of_five_megabytes_the_first_500_kib_are_read():
    filler = b"# filler\n" * 60_000  # 527 KiB
    rule = b"User-agent: *\nDisallow: /x\n"
    assert label(robots_then("/x", (response(rule + filler * 10),))[0]) == "Denied: robots"
    assert label(robots_then("/x", (response(filler + rule + filler * 9),))[0]) == "Fetched"


def test_an_endless_one_is_cut_not_waited_for():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    outcome, _ = robots_then("/x", (head + NO_X, Endless(b"# and so on\n" * 1000)))
    assert label(outcome) == "Denied: robots"


def test_without_obedience_it_is_not_even_asked():
    outcome, server = robots_then("/x", (response(NO_X),), **{"mirror.robots": False})
    assert label(outcome) == "Fetched"
    assert server.requests["/robots.txt"] == 0


def test_what_is_remembered_is_bounded_in_origins_and_bytes():
    def answer(size):
        page = Capture(url("https://a.example/"), url("https://a.example/"), 200, (), b"#" * size, NOW)

        async def ask_for_it():
            return Fetched(page)

        return ask_for_it

    async def main():
        cache = RobotsCache(MemoryClock())
        for number in range(3_000):
            await cache.learn(f"https://{number}.example", answer(100))
        many = len(cache._places)
        for number in range(60):
            await cache.learn(f"https://large-{number}.example", answer(500 * 1024))
        return many, cache._bytes, cache.known("https://large-59.example"), cache.known("https://0.example")

    many, remembered, newest, oldest = run(main())
    assert many == 2_000
    assert remembered <= 16 * 1024 * 1024
    assert newest is not None
    assert oldest is None
