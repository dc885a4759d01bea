"""The address guard where connections are made (SEC-1).

1. The resolver leaves out addresses that are not public; a name with no other is refused, with the
   address that was the reason.
2. The peer of every new connection is checked again before anything is sent: whatever a name answered
   earlier or to somebody else, what counts is where we are.
3. Literal addresses in URLs do not pass a resolver; the fetcher asks `core.addresses` about them first.
4. Guarded and open connections live in two pools, so one can never be reused as the other.
"""

from __future__ import annotations

import resource
import socket
from asyncio import AbstractEventLoop
from functools import partial
from typing import Any, Final

from aiohttp import ClientPayloadError, ClientRequest, ClientTimeout, TCPConnector, ThreadedResolver
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.tracing import Trace

from holdfast.core.addresses import AddressKind, classify

__all__ = ["AddressRefusedError", "GuardedResolver", "PeerConnector"]


_MANY_PEERS: Final = 4096


class AddressRefusedError(OSError):
    """A name leads to, or a connection ended at, an address that must not be reached."""

    def __init__(self, address: str, kind: AddressKind) -> None:
        super().__init__(f"{address} is {kind}")
        self.address = address
        self.kind = kind


class GuardedResolver(AbstractResolver):
    """A resolver that answers with public addresses only."""

    def __init__(self, resolver: AbstractResolver | None = None) -> None:
        self._resolver = resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The public addresses of a name."""
        answers = await self._resolver.resolve(host, port, family)
        public = [answer for answer in answers if classify(answer["host"]) is AddressKind.PUBLIC]
        if answers and not public:
            address = answers[0]["host"]
            raise AddressRefusedError(address, classify(address))
        return public

    async def close(self) -> None:
        """Close the resolver."""
        await self._resolver.close()


class _Handler(ResponseHandler):
    """A connection that does not take its own violent death for the end of a body.

    A body without a length ends with the connection. aiohttp takes any end for that end, a reset too, and
    would hand out half a page as a whole one.
    """

    def connection_lost(self, exc: BaseException | None) -> None:
        if exc is not None and self._payload is not None and not self._payload.is_eof():
            lost = ClientPayloadError("the connection was lost in the body")
            lost.__cause__ = exc
            self._payload.set_exception(lost, exc)
        super().connection_lost(exc)


def _most_idle_hosts() -> int:
    """To how many hosts connections are kept: a quarter of the descriptors, at most a thousand.

    Who asks more hosts in turn than are kept finds none of them kept.
    """
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1_000 if descriptors == resource.RLIM_INFINITY else min(1_000, descriptors // 4)


def _make_handler(loop: AbstractEventLoop) -> ResponseHandler:
    return _Handler(loop=loop)


class PeerConnector(TCPConnector):
    """Connections that know their peer, and are not made to a forbidden one while `guarded`."""

    def __init__(self, *, guarded: bool, resolver: AbstractResolver | None = None, **options: Any) -> None:
        resolver = GuardedResolver(resolver) if guarded else resolver or ThreadedResolver()
        super().__init__(resolver=resolver, limit=0, **options)
        self._factory = partial(_make_handler, loop=self._loop)
        self._guarded = guarded
        self._most_idle_hosts = _most_idle_hosts()
        self._peers: dict[tuple[str | None, int | None], str] = {}

    def peer_of(self, host: str | None, port: int | None) -> str | None:
        """The address last connected to for a host and port."""
        return self._peers.get((host, port))

    async def _create_connection(
        self,
        req: ClientRequest,
        traces: list[Trace],
        timeout: ClientTimeout,  # noqa: ASYNC109 - the signature is the library's
    ) -> ResponseHandler:
        self._make_room()
        protocol = await super()._create_connection(req, traces, timeout)
        peername = protocol.transport.get_extra_info("peername") if protocol.transport else None
        address = str(peername[0]) if peername else "an unknown address"
        if self._guarded and (kind := classify(address)) is not AddressKind.PUBLIC:
            protocol.abort()
            raise AddressRefusedError(address, kind)
        if len(self._peers) > _MANY_PEERS:
            self._peers.clear()
        self._peers[req.url.raw_host, req.url.port] = address
        return protocol

    def _make_room(self) -> None:
        """Close what the longest idle hosts keep: aiohttp bounds idle connections in time, not in number, and
        a list of many hosts would use up the descriptors within that time.
        """
        while len(self._conns) > self._most_idle_hosts:
            for protocol, _ in self._conns.pop(next(iter(self._conns))):
                protocol.close()
