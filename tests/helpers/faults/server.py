"""A server of raw sockets. Each path has a script; what it says is what goes over the wire, byte for byte."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Endless:
    """These bytes again and again, until the other side hangs up."""

    piece: bytes
    pause: float = 0.0


RESET = "reset"
CLOSE = "close"

Step = bytes | Pause | Endless | str
Script = tuple[Step, ...]


def response(body: bytes = b"", status: str = "200 OK", *fields: str) -> bytes:
    """A proper response."""
    head = [f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body)}"]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body


NOT_FOUND: Script = (response(b"", "404 Not Found"),)


@dataclass
class FaultServer:
    """Scripts by path; a list of scripts is played one a request, the last for ever."""

    scripts: dict[str, Script | list[Script]]
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    forgetful: bool = False
    requests: Counter[str] = field(default_factory=Counter)
    heads: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    _came: dict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    async def was_asked(self, path: str) -> None:
        """Wait until a request for this path has come."""
        await self._came[path].wait()

    @property
    def base(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, self.host, 0, ssl=self.tls, limit=1 << 20)
        self.port = self._server.sockets[0].getsockname()[1]
        self._tasks: set[asyncio.Task[None]] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split()[1]
                if not self.forgetful:
                    self.requests[path] += 1
                    self.heads.append(head)
                    self._came[path].set()
                if not await self._play(self._script(path), writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def _script(self, path: str) -> Script:
        script = self.scripts.get(path.partition("?")[0], NOT_FOUND)
        if isinstance(script, list):
            return script.pop(0) if len(script) > 1 else script[0]
        return script

    async def _play(self, script: Script, writer: asyncio.StreamWriter) -> bool:
        for step in script:
            match step:
                case bytes():
                    writer.write(step.replace(b"{BASE}", self.base.encode()))
                    await writer.drain()
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Endless(piece, pause):
                    while True:
                        writer.write(piece)
                        await writer.drain()
                        await asyncio.sleep(pause)
                case "reset":
                    await asyncio.sleep(0.02)  # let what was written arrive before the reset overtakes it
                    linger = struct.pack("ii", 1, 0)
                    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    writer.transport.abort()
                    return False
                case "close":
                    return False
        return True
