"""The two pools of connections: guarded for what was found, open for what the user named.

They are made when first needed, inside the running loop, and closed together. An `OriginRoute` is how one
origin is reached in one of them, and how a request to it reads. aiohttp's connector finds, makes, checks and
keeps the connections; what is said on them is `exchange`'s. Its session is not used: what it does for every
request (cookies, redirects, retries, traces) is done elsewhere or must not be done, and costs more than all
that Holdfast does.

A line break in a field's value would forge a field: such a request is not sent.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from typing import Final

from aiohttp import ClientRequest, ClientTimeout, ConnectionTimeoutError, hdrs
from aiohttp.abc import AbstractResolver
from aiohttp.connector import Connection
from yarl import URL

from holdfast.adapters.http.deadlines import Deadlines
from holdfast.adapters.http.guard import PeerConnector
from holdfast.core.errors import ConfigError
from holdfast.core.settings.fetch import FetchSettings
from holdfast.core.url import Url

__all__ = ["OriginRoute", "Pools"]

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
