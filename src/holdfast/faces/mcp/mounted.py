"""The same tools over HTTP, for `holdfast serve` to put under `/mcp`.

Each request is whole in itself: it has a server of its own and leaves nothing behind. Whoever starts `serve`
and never asks by this protocol does not pay for its library. Who may ask was decided before
(`faces.web.guard`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast.wiring.serving import ServedState

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["MountedServer"]

_Scope = dict[str, Any]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]


class MountedServer:
    """An ASGI application that answers agents."""

    def __init__(self, sources: Sequence[ServedState]) -> None:
        self._sources = tuple(sources)

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer one request."""
        app = await asyncio.to_thread(self._make)
        async with app.router.lifespan_context(app):
            await app({**scope, "path": "/mcp", "root_path": ""}, receive, send)

    def _make(self) -> Starlette:
        from mcp.server.transport_security import (  # noqa: PLC0415 # lazy: a second to import
            TransportSecuritySettings,
        )

        from holdfast.faces.mcp.server import make_server  # noqa: PLC0415 # lazy: as above

        checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        return make_server(self._sources).streamable_http_app(
            stateless_http=True, json_response=True, transport_security=checked_before
        )
