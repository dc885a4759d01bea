"""What is written on a connection, and when a connection may be used again."""

import asyncio

import pytest

from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, Pause, response

PAGE = (response(b"page"),)


@pytest.mark.spec("ID-1")
def test_the_request_line_is_the_address_as_it_was_parsed():
    async def main():
        async with FaultServer({"/a/%7Eb?q=%zz;[]": PAGE, "/a?": PAGE}) as server:
            async with door(server.base) as fetcher:
                for target in ("/a/%7Eb?q=%zz;[]", "/a?"):
                    await fetcher.fetch(ask(server.base + target))
            return [head.split("\r\n")[0] for head in server.heads]

    assert run(main()) == ["GET /a/%7Eb?q=%zz;[] HTTP/1.1", "GET /a? HTTP/1.1"]


@pytest.mark.spec("SEC-3")
def test_a_value_with_a_line_break_forges_no_field():
    async def main():
        async with FaultServer({"/": PAGE}) as server, door(server.base) as fetcher:
            outcome = await fetcher.fetch(ask(f"{server.base}/", etag='"a"\r\nX-Forged: yes'))
            return label(outcome), server.requests.total()

    assert run(main()) == ("Failed: protocol", 0)


def test_interim_answers_are_passed_over():
    async def main():
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        async with FaultServer({"/": (hints, response(b"at last"))}) as server, door(server.base) as fetcher:
            outcomes = [await fetcher.fetch(ask(f"{server.base}/")) for _ in range(2)]
            return [outcome.capture.body for outcome in outcomes], server.connections

    assert run(main()) == ([b"at last"] * 2, 1)


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"])
def test_the_connection_of_an_abandoned_request_is_not_used_again(start):
    """Its answer may still come, and would be taken for the next one's."""

    async def main():
        scripts = {"/slow": (start, Pause(0.2), response(b"late")), "/": (response(b"own"),)}
        async with FaultServer(scripts) as server, door(server.base) as fetcher:
            waiting = asyncio.create_task(fetcher.fetch(ask(f"{server.base}/slow")))
            await server.was_asked("/slow")
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            outcome = await fetcher.fetch(ask(f"{server.base}/"))
            return outcome.capture.body, server.connections

    assert run(main()) == (b"own", 2)
