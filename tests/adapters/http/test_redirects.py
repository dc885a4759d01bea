"""Redirects by hand: every hop through scope, robots and guard; nothing secret crosses an origin."""

import gzip

import pytest

from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, response
from holdfast.core.settings.origins import OriginAccess
from holdfast.core.web.capture import Fetched, RedirectedAway, header

pytestmark = pytest.mark.spec("ID-9")

PAGE = (response(b"page", "200 OK", "Content-Type: text/html", 'ETag: "1"'),)


def to(location, *fields):
    return (response(b"moved", "302 Found", f"Location: {location}", *fields),)


def head_of(server, path):
    return next(head for head in server.heads if head.split()[1] == path)


def test_the_chain_is_recorded_and_the_last_url_is_final():
    async def main():
        async with FaultServer({"/a": to("/b"), "/b": to("/c?x=1"), "/c": PAGE}) as server:
            async with door(server.base) as fetcher:
                outcome = await fetcher.fetch(ask(f"{server.base}/a#part"))
            return server, outcome

    server, outcome = run(main())
    assert isinstance(outcome, Fetched)
    capture = outcome.capture
    assert str(capture.final) == f"{server.base}/c?x=1#part"
    assert [(hop.url.path, hop.status, hop.location.path) for hop in capture.hops] == [
        ("/a", 302, "/b"),
        ("/b", 302, "/c"),
    ]
    assert [(hop.body, header(hop.headers, "location")) for hop in capture.hops] == [
        (b"moved", "/b"),
        (b"moved", "/c?x=1"),
    ]
    assert outcome.trail.hops == capture.hops
    assert outcome.trail.dead_end is None
    assert outcome.trail.requests == 3
    assert server.connections == 1, "a redirect's short body is read, so the connection is kept"


def test_a_hop_that_scope_does_not_admit_ends_the_walk_unasked():
    def admit(target):
        return "not under /docs" if not target.path.startswith("/docs") else None

    async def main():
        async with FaultServer({"/docs/a": to("/blog/b"), "/blog/b": PAGE}) as server:
            async with door(server.base) as fetcher:
                away = await fetcher.fetch(ask(f"{server.base}/docs/a", admit=admit))
                first = await fetcher.fetch(ask(f"{server.base}/blog/b", admit=admit))
            return away, first, server.requests

    away, first, requests = run(main())
    assert isinstance(away, RedirectedAway)
    assert away.target.path == "/blog/b"
    assert away.trail.hops[-1].location == away.target
    met = away.trail.dead_end
    assert (met.final.path, met.status, met.body, met.hops) == ("/docs/a", 302, b"moved", ())
    assert label(first) == "Denied: scope"
    assert first.trail.dead_end is None
    assert requests == {"/docs/a": 1}


@pytest.mark.spec("STA-7")
def test_the_body_of_a_redirect_is_kept_decoded_where_it_is_short_and_whole():
    def of(body, *fields):
        return (response(body, "302 Found", "Location: /c", *fields),)

    answers = {
        "/packed": of(gzip.compress(b"moved"), "Content-Encoding: gzip"),
        "/broken": of(b"not packed at all", "Content-Encoding: gzip"),
        "/long": of(b"x" * 20_000),
        "/c": PAGE,
    }

    async def main():
        async with FaultServer(answers) as server, door(server.base) as fetcher:
            return [await fetcher.fetch(ask(server.base + path)) for path in answers if path != "/c"]

    outcomes = run(main())
    assert [outcome.capture.hops[0].body for outcome in outcomes] == [b"moved", None, None]


@pytest.mark.spec("STA-7")
def test_where_a_redirect_leads_to_no_answer_it_is_the_last_answer():
    answers = {"/a": to("/b"), "/b": to("/a"), "/ftp": to("ftp://127.0.0.1/x"), "/bad": to("")}

    async def main():
        async with FaultServer(answers) as server, door(server.base) as fetcher:
            return [await fetcher.fetch(ask(server.base + path)) for path in ("/a", "/ftp", "/bad")]

    ends = [outcome.trail.dead_end for outcome in run(main())]
    assert [(end.requested.path, end.final.path, end.status, len(end.hops)) for end in ends] == [
        ("/a", "/b", 302, 1),
        ("/ftp", "/ftp", 302, 0),
        ("/bad", "/bad", 302, 0),
    ]


def test_a_hop_that_robots_forbids_is_not_asked():
    async def main():
        robots = (response(b"User-agent: *\nDisallow: /b"),)
        async with FaultServer({"/robots.txt": robots, "/a": to("/b"), "/b": PAGE}) as server:
            async with door(server.base) as fetcher:
                outcome = await fetcher.fetch(ask(f"{server.base}/a", obey_robots=True))
            return outcome, server.requests

    outcome, requests = run(main())
    assert label(outcome) == "Denied: robots"
    assert "Disallow: /b" in outcome.detail
    assert requests["/b"] == 0


@pytest.mark.spec("SEC-3")
def test_credentials_and_cookies_never_cross_an_origin_and_are_in_no_capture():
    async def main():
        async with FaultServer({"/end": PAGE}, host="127.0.0.2") as other:
            here = {
                "/start": to("/next", "Set-Cookie: given=by-the-site; Path=/"),
                "/next": to(f"{other.base}/end"),
            }
            async with FaultServer(here) as server:
                access = OriginAccess(
                    server.base,
                    (("Authorization", "Bearer hush"), ("X-Key", "hush")),
                    (("session", "hush"),),
                )
                async with door(server.base, other.base, accesses=[access]) as fetcher:
                    outcome = await fetcher.fetch(ask(f"{server.base}/start"))
                return outcome, head_of(server, "/start"), head_of(server, "/next"), head_of(other, "/end")

    outcome, first, second, third = run(main())
    assert isinstance(outcome, Fetched)
    for head in (first, second):
        assert "Authorization: Bearer hush" in head
        assert "X-Key: hush" in head
    assert "Cookie: session=hush\r\n" in first
    assert "Cookie: session=hush; given=by-the-site\r\n" in second
    for word in ("Authorization", "X-Key", "Cookie", "hush", "given"):
        assert word not in third
    assert "hush" not in repr(outcome)


def test_a_site_that_sets_a_cookie_and_sends_us_back_is_no_loop():
    async def main():
        async with (
            FaultServer({"/a": [to("/a", "Set-Cookie: seen=1"), PAGE]}) as server,
            door(server.base) as fetcher,
        ):
            return label(await fetcher.fetch(ask(f"{server.base}/a")))

    assert run(main()) == "Fetched"


@pytest.mark.spec("SEC-3")
def test_a_field_that_the_user_sets_stands_in_place_of_ours():
    async def main():
        async with FaultServer({"/a": PAGE}) as server:
            access = OriginAccess(server.base, (("accept", "text/markdown"),))
            async with door(server.base, accesses=[access]) as fetcher:
                await fetcher.fetch(ask(f"{server.base}/a"))
            return head_of(server, "/a")

    assert run(main()).lower().count("\r\naccept:") == 1


def test_cookies_do_not_outlive_their_chain():
    async def main():
        async with (
            FaultServer({"/a": to("/b", "Set-Cookie: seen=1"), "/b": PAGE}) as server,
            door(server.base) as fetcher,
        ):
            await fetcher.fetch(ask(f"{server.base}/a"))
            server.heads.clear()
            await fetcher.fetch(ask(f"{server.base}/b"))
            return head_of(server, "/b")

    assert "Cookie" not in run(main())


def test_conditional_requests_send_what_is_known_and_a_304_is_not_modified():
    async def main():
        not_modified = (b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',)
        async with FaultServer({"/a": not_modified}) as server:
            async with door(server.base) as fetcher:
                known = {"etag": '"1"', "last_modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
                first = await fetcher.fetch(ask(f"{server.base}/a", **known))
                second = await fetcher.fetch(ask(f"{server.base}/a"))
            return first, second, server

    first, second, server = run(main())
    assert label(first) == "NotModified"
    assert first.capture.header("etag") == '"1"'
    assert 'If-None-Match: "1"\r\nIf-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT' in server.heads[0]
    assert label(second) == "Failed: status", "a 304 that nobody asked for is not an answer"
    assert server.connections == 1


def test_the_request_says_who_asks_and_goes_out_as_it_was_parsed():
    async def main():
        async with FaultServer({}) as server:
            async with door(server.base) as fetcher:
                target = "/a%2Fb/x/../'(c)%7Cd/%7Ee//f?q=a+b%20c|&é#x"
                await fetcher.fetch(ask(f"{server.base}{target}", accept="text/markdown"))
            return server

    line, *fields = run(main()).heads[0].split("\r\n")
    assert line == "GET /a%2Fb/'(c)%7Cd/%7Ee//f?q=a+b%20c|&%C3%A9 HTTP/1.1"
    assert "User-Agent: holdfast/test" in fields
    assert "Accept: text/markdown" in fields
    assert "Accept-Encoding: gzip, deflate, br, zstd" in fields
