"""The address guard: literals, names, and the peer that was really reached."""

import asyncio
import socket

import pytest
from aiohttp import ClientSession, ClientTimeout
from aiohttp.abc import AbstractResolver

from helpers.faults.door import ask, door, label, run
from helpers.faults.server import FaultServer, response
from holdfast.adapters.http.connections import AddressRefusedError, GuardedResolver, PeerConnector

pytestmark = pytest.mark.spec("SEC-1")

OK = (response(b"ok"),)


class ScriptedResolver(AbstractResolver):
    """Answers by script, one list of addresses a question, the last for ever."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = 0

    async def resolve(self, host, port=0, family=socket.AF_INET):  # noqa: ARG002 - the library's signature
        self.asked += 1
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET6 if ":" in address else socket.AF_INET,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in addresses
        ]

    async def close(self):
        pass


def test_what_the_user_did_not_name_cannot_be_private_and_is_not_asked():
    async def main():
        async with FaultServer({"/": OK, "/robots.txt": OK}) as server, door() as fetcher:
            literal = await fetcher.fetch(ask(f"{server.base}/"))
            name = await fetcher.fetch(ask(f"http://localhost:{server.port}/", obey_robots=True))
            return literal, name, server.connections

    literal, name, connections = run(main())
    assert label(literal) == "Denied: address"
    assert literal.detail == "127.0.0.1 is loopback"
    assert label(name) == "Denied: address", "and not for want of a robots.txt"
    assert name.detail == "127.0.0.1 is loopback"
    assert connections == 0


@pytest.mark.parametrize("how", ["named", "named_by_user", "allow_private"])
def test_an_origin_that_the_user_named_may_be_private(how):
    async def main():
        async with FaultServer({"/": OK}) as server:
            named = [server.base] if how == "named" else []
            async with door(*named, allow_private=how == "allow_private") as fetcher:
                request = ask(f"{server.base}/", named_by_user=how == "named_by_user")
                return label(await fetcher.fetch(request))

    assert run(main()) == "Fetched"


def test_naming_one_port_does_not_name_another():
    async def main():
        async with FaultServer({"/": OK}) as other:
            away = (response(b"", "302 Found", f"Location: {other.base}/"),)
            async with FaultServer({"/": away}) as server, door() as fetcher:
                outcome = await fetcher.fetch(ask(f"{server.base}/", named_by_user=True))
                return label(outcome), other.connections

    assert run(main()) == ("Denied: address", 0)


def test_a_name_that_answers_public_first_and_private_later_does_not_get_through():
    async def main():
        resolver = GuardedResolver(ScriptedResolver(["93.184.216.34"], ["127.0.0.1"]))
        first = await resolver.resolve("rebind.example", 80)
        with pytest.raises(AddressRefusedError, match=r"127\.0\.0\.1 is loopback"):
            await resolver.resolve("rebind.example", 80)
        return [answer["host"] for answer in first]

    assert run(main()) == ["93.184.216.34"]


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "64:ff9b::a00:1"]
)
def test_a_name_for_a_private_address_is_refused_with_the_address(address):
    async def main():
        async with door(resolver=ScriptedResolver([address])) as fetcher:
            return await fetcher.fetch(ask("http://rebind.example/"))

    outcome = run(main())
    assert label(outcome) == "Denied: address"
    assert outcome.detail.startswith(f"{address} is ")
    assert outcome.trail.requests == 0


def test_private_addresses_among_public_ones_are_left_out():
    async def main():
        resolver = GuardedResolver(ScriptedResolver(["10.0.0.1", "93.184.216.34", "::1"]))
        return [answer["host"] for answer in await resolver.resolve("mixed.example", 80)]

    assert run(main()) == ["93.184.216.34"]


def test_the_connected_peer_is_checked_before_anything_is_sent():
    """A resolver that lies to the guard stands for whatever may change between the question and the call."""

    async def main():
        async with FaultServer({"/": OK}) as server:
            connector = PeerConnector(guarded=True)
            connector._resolver = ScriptedResolver(["127.0.0.1"])
            async with ClientSession(connector=connector, timeout=ClientTimeout(total=2)) as session:
                with pytest.raises(OSError, match="is loopback"):
                    await session.get(f"http://rebind.example:{server.port}/")
            await asyncio.sleep(0.02)
            return server.connections, server.requests.total()

    assert run(main()) == (1, 0)


def test_a_connection_made_for_a_named_origin_is_not_lent_to_others():
    """Guarded and open connections are in two pools, though host and port are the same."""

    async def main():
        async with FaultServer({"/": OK}) as server, door() as fetcher:
            named = await fetcher.fetch(ask(f"http://localhost:{server.port}/", named_by_user=True))
            found = await fetcher.fetch(ask(f"http://localhost:{server.port}/"))
            return label(named), label(found), server.requests.total()

    assert run(main()) == ("Fetched", "Denied: address", 1)


def test_behind_a_proxy_the_proxy_may_be_private_and_literals_are_still_refused():
    async def main():
        async with FaultServer({"http://public.example/x": OK}) as proxy:
            async with door(proxy=proxy.base) as fetcher:
                through = await fetcher.fetch(ask("http://public.example/x"))
                literal = await fetcher.fetch(ask("http://10.0.0.1/x"))
            return label(through), label(literal), list(proxy.requests)

    assert run(main()) == ("Fetched", "Denied: address", ["http://public.example/x"])
