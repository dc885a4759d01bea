"""The two pools of connections: guarded for what was found, open for what the user named; and deadlines.

They are made when first needed, inside the running loop, and closed together. An `OriginRoute` is how one
origin is reached in one of them, and how a request to it reads. aiohttp's connector finds, makes, checks
and keeps the connections; what is said on them is `exchange`'s. Its session is not used: what it does for
every request (cookies, redirects, retries, traces) is done elsewhere or must not be done, and costs more
than all that Holdfast does.

A line break in a field's value would forge a field: such a request is not sent.

The address guard stands where connections are made (SEC-1):

1. The resolver leaves out addresses that are not public; a name with no other is refused, with the
   address that was the reason.
2. The peer of every new connection is checked again before anything is sent: whatever a name answered
   earlier or to somebody else, what counts is where we are.
3. Literal addresses in URLs do not pass a resolver; the fetcher asks `core/web/addresses` about them first.
4. Guarded and open connections live in two pools, so one can never be reused as the other.

So many seconds for each request are kept by one timer. `asyncio.timeout` sets a timer for every request and
cancels it, which costs 4 to 6 µs where nearly all of them end long before their time. Here requests that
have equally long stand in line, the oldest first, and the one timer waits for the oldest. A request that is
late is cancelled, and that cancellation becomes a `TimeoutError`; one that somebody else asked for stays
what it is.
"""

from __future__ import annotations

import asyncio
import re
import resource
import socket
import ssl
from asyncio import AbstractEventLoop
from collections.abc import Mapping
from functools import partial
from types import TracebackType
from typing import Any, Final

from aiohttp import (
    ClientPayloadError,
    ClientRequest,
    ClientTimeout,
    ConnectionTimeoutError,
    TCPConnector,
    ThreadedResolver,
    hdrs,
)
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.tracing import Trace
from yarl import URL

from holdfast.core.base.errors import ConfigError
from holdfast.core.settings.groups import FetchSettings
from holdfast.core.url.url import Url
from holdfast.core.web.addresses import AddressKind, classify

_MANY_ROUTES: Final = 4096
_BREAKS: Final = re.compile(r"[\r\n\0]")


class OriginRoute:
    """How one origin is reached: on which connections, through which proxy if any, and with which words."""

    __slots__ = ("_connector", "_host", "_opening", "_prefix", "_proxy_authorization", "_usual", "timeout")

    def __init__(
        self, connector: PeerConnector, timeout: ClientTimeout, origin: str, proxy: str | None
    ) -> None:
        url = URL(f"{origin}/", encoded=True)
        opening = ClientRequest(hdrs.METH_GET, url, proxy=URL(proxy) if proxy else None)
        self._connector, self._opening = connector, opening
        self.timeout = timeout
        self._host = opening.headers[hdrs.HOST]
        # A proxy is told the whole address, and who asks, unless it only passes on what is encrypted.
        self._prefix, self._proxy_authorization = "", None
        if opening.proxy and not opening.is_ssl():
            self._prefix = origin
            to_proxy = ClientRequest(hdrs.METH_GET, opening.proxy)
            self._proxy_authorization = to_proxy.headers.get(hdrs.AUTHORIZATION)
        self._usual: tuple[Mapping[str, str], bytes] = ({}, b"")

    async def connect(self) -> Connection:
        """A connection, kept or new."""
        try:
            return await self._connector.connect(self._opening, [], self.timeout)
        except TimeoutError as error:
            raise ConnectionTimeoutError("no connection in time") from error

    async def certificate(self) -> bytes | None:
        """The certificate that the origin shows, whether it can be trusted or not; nothing is sent to it."""
        if self._opening.proxy or not self._opening.is_ssl():
            return None
        looking = ClientRequest(hdrs.METH_GET, self._opening.url, ssl=False)
        connection = await self._connector.connect(looking, [], self.timeout)
        try:
            shown = connection.transport and connection.transport.get_extra_info("ssl_object")
            return shown.getpeercert(binary_form=True) if shown else None
        finally:
            connection.close()

    def head(self, target: str, headers: Mapping[str, str], secrets: Mapping[str, str]) -> bytes:
        """A request, whole. Most have the same headers as the one before: those are written once."""
        line = f"GET {self._prefix}{target} HTTP/1.1\r\n".encode()
        if secrets:
            return line + self._fields(headers, secrets)
        if self._usual[0] is not headers:
            self._usual = headers, self._fields(headers, secrets)
        return line + self._usual[1]

    def _fields(self, headers: Mapping[str, str], secrets: Mapping[str, str]) -> bytes:
        """All header fields; what the user set for the origin stands in place of ours."""
        theirs = {name.lower() for name in secrets}
        ours = {"Host": self._host, **headers}
        fields = {name: value for name, value in ours.items() if name.lower() not in theirs} | dict(secrets)
        if _BREAKS.search("".join((*fields, *fields.values()))):
            raise ValueError("a header field has a line break in it")
        if self._proxy_authorization:
            fields.setdefault("Proxy-Authorization", self._proxy_authorization)
        return ("".join([f"{name}: {value}\r\n" for name, value in fields.items()]) + "\r\n").encode()


class Pools:
    """Connections by whether the address guard is on."""

    def __init__(self, settings: FetchSettings, resolver: AbstractResolver | None = None) -> None:
        self.max_header_bytes = settings.limits.max_header_bytes
        self.deadlines = Deadlines(settings.limits.timeout)
        self._resolver = resolver
        self._tls = _tls(settings.ca_file)
        self._timeout = ClientTimeout(
            sock_connect=settings.limits.connect_timeout,
            sock_read=settings.limits.idle_timeout,
        )
        self._open: dict[bool, PeerConnector] = {}
        self._routes: dict[tuple[bool, str, str | None], OriginRoute] = {}

    def route(self, origin: str, proxy: str | None, *, guarded: bool) -> OriginRoute:
        """How to reach an origin; raises ValueError for one that has no host to connect to."""
        key = (guarded, origin, proxy)
        route = self._routes.get(key)
        if route is None:
            if len(self._routes) >= _MANY_ROUTES:
                self._routes.clear()
            route = self._routes[key] = OriginRoute(
                self._connector(guarded=guarded), self._timeout, origin, proxy
            )
        return route

    def peer_of(self, url: Url, *, guarded: bool) -> str | None:
        """The address that was last connected to for a URL's host and port."""
        return self._connector(guarded=guarded).peer_of(url.host.strip("[]"), url.effective_port)

    async def close(self) -> None:
        """Close every connection."""
        self._routes.clear()
        while self._open:
            _, connector = self._open.popitem()
            await connector.close()

    def _connector(self, *, guarded: bool) -> PeerConnector:
        connector = self._open.get(guarded)
        if connector is None:
            connector = PeerConnector(guarded=guarded, resolver=self._resolver, ssl=self._tls)
            self._open[guarded] = connector
        return connector


def _tls(ca_file: str | None) -> ssl.SSLContext | bool:
    """Whom to trust: the authorities in a file; or those of the system, which aiohttp read when it was
    imported: reading them once more would take 20 ms.
    """
    if ca_file is None:
        return True
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"ca_file {ca_file}: {error.strerror or error}") from error
    context.set_alpn_protocols(["http/1.1"])  # as aiohttp's own
    return context


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


class Deadlines:
    """The requests that are under way, each of which has `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.running: dict[_Deadline, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def one(self) -> _Deadline:
        """The time that one request has, from where its block is entered."""
        return _Deadline(self)

    def begin(self, deadline: _Deadline) -> float:
        """A request begins; when it has to be over."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # a timer of a loop that is over never rings
            self._loop, self._timer = loop, None
        at = loop.time() + self.seconds
        self.running[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(at, self._ring, loop)
        return at

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        for deadline in tuple(self.running):
            if deadline.at > now:
                self._timer = loop.call_at(deadline.at, self._ring, loop)
                return
            del self.running[deadline]
            deadline.expire()


class _Deadline:
    """One request's time, around what it awaits."""

    __slots__ = ("_cancelling", "_deadlines", "_is_expired", "_task", "at")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._is_expired = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline is a task's")
        self._task, self._cancelling = task, task.cancelling()
        self.at = self._deadlines.begin(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._is_expired:
            del self._deadlines.running[self]
        elif self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def expire(self) -> None:
        """The time is over."""
        self._is_expired = True
        self._task.cancel()
