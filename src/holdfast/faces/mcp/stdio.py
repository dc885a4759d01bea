"""A connection that ends only when everything that was asked has its answer.

A client may write its requests and close. The SDK drops what it is about to answer as soon as its stream of
requests ends, so the end is kept from it until then. What the client called off has no answer, nor has the
wish to be told what happens from now on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

_ENDLESS: Final = "subscriptions/listen"
_CALLED_OFF: Final = "notifications/cancelled"


class _Owed:
    """The requests that have no answer yet, by their ids."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._all_answered = anyio.Event()
        self._is_over = False

    def asked(self, item: SessionMessage | Exception) -> None:
        """Something came from the client."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest) and message.method != _ENDLESS:
            self._ids.append(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == _CALLED_OFF:
            self._settle((message.params or {}).get("requestId"))

    def answered(self, item: SessionMessage) -> None:
        """Something was handed to the client."""
        if isinstance(item.message, (JSONRPCResponse, JSONRPCError)):
            self._settle(item.message.id)

    async def all_answered(self) -> None:
        """Nothing more is asked: wait until nothing is owed."""
        self._is_over = True
        if self._ids:
            await self._all_answered.wait()

    def _settle(self, request_id: object) -> None:
        if str(request_id) in self._ids:
            self._ids.remove(str(request_id))
        if self._is_over and not self._ids:
            self._all_answered.set()


async def answer_all(
    serve: Callable[[Any, Any], Awaitable[None]],
    asked: ObjectReceiveStream[SessionMessage | Exception],
    answers: ObjectSendStream[SessionMessage],
) -> None:
    """Serve one connection, by what reads one stream and writes another, until all that came is answered."""
    to_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outbox, from_server = anyio.create_memory_object_stream[SessionMessage]()
    owed = _Owed()

    async def bring() -> None:
        async with asked, to_server:
            async for item in asked:
                owed.asked(item)
                await to_server.send(item)
            await owed.all_answered()

    async def take() -> None:
        async with from_server, answers:
            async for item in from_server:
                await answers.send(item)
                owed.answered(item)

    async with anyio.create_task_group() as both:
        both.start_soon(bring)
        both.start_soon(take)
        await serve(inbox, outbox)
