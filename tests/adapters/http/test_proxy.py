"""Through a proxy: tunnels for TLS, credentials for the proxy alone, certificates still checked."""

import asyncio
import contextlib

import pytest

from helpers.faults.certificates import Authority
from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, response
from holdfast.core.settings.origins import OriginAccess

pytestmark = pytest.mark.spec("SEC-3")

SECRET = {"/": (response(b"through the tunnel"),)}


class Tunnel:
    """A proxy that leads every CONNECT to one place on loopback, whatever name was asked for."""

    def __init__(self, port):
        self.leads_to = port
        self.heads = []

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.base = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()

    async def _serve(self, reader, writer):
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        there, back = await asyncio.open_connection("127.0.0.1", self.leads_to)
        writer.write(b"HTTP/1.1 200 Go on\r\n\r\n")
        await asyncio.gather(_pour(reader, back), _pour(there, writer))


async def _pour(source, sink):
    with contextlib.suppress(ConnectionError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    sink.close()


def through(authority, name, certificate_for, access=()):
    async def main():
        context = authority.server_context(certificate_for)
        async with FaultServer(dict(SECRET), tls=context) as server, Tunnel(server.port) as tunnel:
            proxy = tunnel.base.replace("http://", "http://ann:hush@")
            async with door(proxy=proxy, ca_file=authority.ca_file, accesses=access) as fetcher:
                outcome = await fetcher.fetch(ask(f"https://{name}/"))
            return outcome, tunnel.heads, server.heads

    return run(main())


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("proxy"))


def test_tls_goes_through_a_tunnel_and_the_proxy_sees_no_request(authority):
    access = OriginAccess("https://public.example", (("Authorization", "Bearer hush-origin"),))
    outcome, at_proxy, at_server = through(authority, "public.example", "public.example", [access])
    assert label(outcome) == "Fetched"
    assert outcome.capture.body == b"through the tunnel"
    assert at_proxy[0].startswith("CONNECT public.example:443 ")
    assert "Proxy-Authorization: Basic YW5uOmh1c2g=" in at_proxy[0]
    assert "hush-origin" not in at_proxy[0]
    assert "Proxy-Authorization" not in at_server[0]
    assert "Authorization: Bearer hush-origin" in at_server[0]
    assert "hush" not in repr(outcome)


def test_a_certificate_for_another_name_is_refused_behind_a_proxy_too(authority):
    outcome, _, at_server = through(authority, "public.example", "other.example")
    assert label(outcome) == "Failed: tls"
    assert at_server == []


def test_a_plain_request_tells_the_proxy_the_whole_address_and_who_asks_and_nobody_else_who_asks():
    async def main():
        async with FaultServer({"http://public.example/x": (response(b"by the proxy"),)}) as proxy:
            async with door(proxy=proxy.base.replace("http://", "http://ann:hush@")) as fetcher:
                outcomes = [await fetcher.fetch(ask("http://public.example/x")) for _ in range(2)]
            return outcomes, proxy.heads

    outcomes, heads = run(main())
    assert [outcome.capture.body for outcome in outcomes] == [b"by the proxy"] * 2
    for head in heads:
        assert head.startswith("GET http://public.example/")
        assert "\r\nHost: public.example\r\n" in head
        assert "\r\nProxy-Authorization: Basic YW5uOmh1c2g=\r\n" in head
    assert "hush" not in repr(outcomes)


def test_a_proxy_that_is_not_there_is_a_failed_connection():
    async def main():
        async with door(proxy="http://ann:hush@127.0.0.1:1") as fetcher:
            return await fetcher.fetch(ask("http://public.example/"))

    outcome = run(main())
    assert label(outcome) == "Failed: connect"
    assert "hush" not in repr(outcome)
