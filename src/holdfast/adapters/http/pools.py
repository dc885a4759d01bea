"""The two pools of connections: guarded for what was found, open for what the user named.

They are made when first needed, inside the running loop, and closed together.
"""

from __future__ import annotations

import ssl

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar
from aiohttp.abc import AbstractResolver

from holdfast.adapters.http.guard import PeerConnector
from holdfast.core.errors import ConfigError
from holdfast.core.settings.fetch import FetchSettings

__all__ = ["Pools"]


class Pools:
    """Sessions by whether the address guard is on."""

    def __init__(self, settings: FetchSettings, resolver: AbstractResolver | None = None) -> None:
        self._settings = settings
        self._resolver = resolver
        self._tls = _tls(settings.ca_file)
        self._open: dict[bool, tuple[ClientSession, PeerConnector]] = {}

    def of(self, *, guarded: bool) -> tuple[ClientSession, PeerConnector]:
        """The session to ask with, and its connector, which knows the peers."""
        pool = self._open.get(guarded)
        if pool is None:
            pool = self._open[guarded] = self._make(guarded)
        return pool

    async def close(self) -> None:
        """Let go of every connection."""
        while self._open:
            _, (session, _) = self._open.popitem()
            await session.close()

    def _make(self, guarded: bool) -> tuple[ClientSession, PeerConnector]:  # noqa: FBT001 - the key of the table
        limits = self._settings
        connector = PeerConnector(guarded=guarded, resolver=self._resolver, ssl=self._tls)
        session = ClientSession(
            connector=connector,
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            timeout=ClientTimeout(
                total=limits.timeout, sock_connect=limits.connect_timeout, sock_read=limits.idle_timeout
            ),
            max_line_size=min(limits.max_header_bytes, 16 * 1024),
            max_field_size=limits.max_header_bytes,
            max_headers=1_000,
        )
        # aiohttp would quietly ask a second time when a connection dies under it. Every request counts and
        # takes its turn, so asking again is the fetcher's business.
        session._retry_connection = False  # noqa: SLF001 - it has no public name
        return session, connector


def _tls(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"ca_file {ca_file}: {error.strerror or error}") from error
