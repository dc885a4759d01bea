"""Any response bytes at all end in an outcome (SEC-4)."""

import asyncio
import gzip
import random
import socket
import typing

import pytest
from aiohttp.abc import AbstractResolver

from helpers.faults.door import ask, door, run
from helpers.faults.server import CLOSE, FaultServer, response
from holdfast.core.web.capture import Outcome

pytestmark = pytest.mark.spec("SEC-4")

SEEDS = (
    response(b"<p>hello</p>" * 20, "200 OK", "Content-Type: text/html", "ETag: x"),
    response(gzip.compress(b"hello " * 200), "200 OK", "Content-Encoding: gzip"),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n7;x=y\r\n world!\r\n0\r\nT: 1\r\n\r\n",
    response(b"", "302 Found", "Location: /next", "Set-Cookie: a=b; Max-Age=0"),
    response(b"", "429 Slow", "Retry-After: Thu, 01 Jan 2026 00:00:05 GMT"),
    b"HTTP/1.0 200\r\n\r\nold style",
)


class NoNames(AbstractResolver):
    """Knows nobody, and asks nobody."""

    async def resolve(self, host, port=0, family=socket.AF_INET):  # noqa: ARG002 - the library's signature
        raise OSError(f"{host} is not known")

    async def close(self):
        pass


def mutate(chance: random.Random, data: bytes) -> bytes:
    """A response with a few bytes flipped, cut, doubled or put in."""
    bytes_ = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(bytes_) + 1)
        match chance.randrange(5):
            case 0:
                bytes_[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del bytes_[at : at + chance.randint(1, 12)]
            case 2:
                bytes_[at:at] = bytes_[max(0, at - chance.randint(1, 30)) : at]
            case 3:
                bytes_[at:at] = chance.choice(
                    [b"\r\n", b"\0", b"\xff" * 3, b"Content-Length: 3\r\n", b":", b" "]
                )
            case 4:
                bytes_[at:at] = chance.randbytes(chance.randint(1, 9))
    return bytes(bytes_)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_responses_all_end_in_an_outcome(seed):
    chance = random.Random(seed)

    async def main():
        scripts = {f"/{n}": (mutate(chance, chance.choice(SEEDS)), CLOSE) for n in range(150)}
        async with FaultServer(scripts) as server, door(server.base, per_host=16) as fetcher:
            return await asyncio.gather(*(fetcher.fetch(ask(server.base + path)) for path in scripts))

    outcomes = run(main())
    assert all(isinstance(outcome, typing.get_args(Outcome)) for outcome in outcomes)
    assert len({type(outcome) for outcome in outcomes}) >= 3, "the mutations reach more than one ending"


@pytest.mark.parametrize(
    "text",
    [
        "http://a!b.example/",
        "http://a_b.example/",
        "http://xn--zz/",
        "http://-x-.example/",
        "http://" + "a" * 300 + ".example/",
        "http://[::ffff:0:0]/",
        "http://x.example:0/",
        "http://x.example./",
        "http://\u00e9.example/?\u00e9#\u00e9",
    ],
)
def test_odd_hosts_end_in_an_outcome(text):
    async def main():
        async with door(resolver=NoNames()) as fetcher:
            return await fetcher.fetch(ask(text))

    assert isinstance(run(main()), typing.get_args(Outcome))
