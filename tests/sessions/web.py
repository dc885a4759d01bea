"""A web of its own on loopback: a proxy that answers for every host, so that documented commands run as they
are written. `https://docs.example.com/` in a guide is answered here; nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trustme

Page = tuple[int, dict[str, str], bytes]
Answer = Callable[[str, str], Page]


class ScriptedWeb:
    """Hosts and paths in, pages out; asked through `proxy`, trusted by `ca_file`."""

    def __init__(self, answer: Answer, folder) -> None:
        self._answer = answer
        self._ca = trustme.CA()
        self._contexts: dict[str, ssl.SSLContext] = {}
        self.ca_file = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(str(self.ca_file))
        self.proxy = ""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await _head(reader)
            if line[0] == "CONNECT":
                host = line[1].partition(":")[0]
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                await writer.drain()
                await writer.start_tls(self._context(host))
                line = await _head(reader)
            while line:
                await self._reply(writer, line)
                line = await _head(reader)
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, IndexError):
            pass
        finally:
            writer.close()

    async def _reply(self, writer: asyncio.StreamWriter, line: list[str]) -> None:
        target = line[1]
        if target.startswith("http://"):
            host, _, path = target.removeprefix("http://").partition("/")
            path = f"/{path}"
        else:
            host, path = line[-1], target
        status, headers, body = self._answer(host, path)
        head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()

    def _context(self, host: str) -> ssl.SSLContext:
        if host not in self._contexts:
            context = self._contexts[host] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._ca.issue_cert(host).configure_cert(context)
        return self._contexts[host]


async def _head(reader: asyncio.StreamReader) -> list[str]:
    """The words of a request line, and the host that the request names."""
    text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = text.split("\r\n")
    host = next((line.partition(":")[2].strip() for line in lines if line.lower().startswith("host:")), "")
    return [*lines[0].split(), host]


@contextmanager
def scripted_web(answer: Answer, folder) -> Iterator[ScriptedWeb]:
    """The web, served while the block runs."""
    web = ScriptedWeb(answer, folder)
    ready = threading.Event()
    stop: list[Callable[[], None]] = []

    async def main() -> None:
        server = await asyncio.start_server(web._serve, "127.0.0.1", 0)
        web.proxy = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        done = asyncio.Event()
        loop = asyncio.get_running_loop()
        stop.append(lambda: loop.call_soon_threadsafe(done.set))
        ready.set()
        await done.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield web
    finally:
        stop[0]()
        thread.join(10)
