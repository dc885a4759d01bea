"""The same tools over HTTP, for `holdfast serve` to put under `/mcp`.

Each request is whole in itself: it has a server of its own and leaves nothing behind. Whoever starts `serve`
and never asks by this protocol does not pay for its library. Who may ask was decided before
(`faces.web.guard`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from holdfast import faces, jobs

if TYPE_CHECKING:
    from starlette.applications import Starlette


_Scope = dict[str, Any]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]


class MountedServer:
    """An ASGI application that answers agents."""

    def __init__(
        self,
        sources: Sequence[jobs.served_stores.ServedState],
        runs: jobs.sync.acting.RunStarter | None = None,
    ) -> None:
        self._sources = tuple(sources)
        self._runs = runs

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        """Answer one request."""
        app = await asyncio.to_thread(self._make)
        async with app.router.lifespan_context(app):
            await app({**scope, "path": "/mcp", "root_path": ""}, receive, send)

    def _make(self) -> Starlette:
        return faces.mcp_server.make_app(self._sources, self._runs)
