"""A small site on loopback that answers by script and remembers what it was asked.

    site = Site({"/": page("Home", links=["/a"]), "/a": page("A")})
    with site.serve() as origin:
        ...

An answer is a `Reply`, a list of them (given in turn, the last for ever), or a function of the number of
requests so far. A path without an answer is a 404.
"""

from __future__ import annotations

import asyncio
import html
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reply:
    body: bytes = b""
    status: int = 200
    type: str | None = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    before: bytes = b""
    delay: float = 0.0
    hang_up: bool = False


Answer = Reply | list[Reply] | Callable[[str, int], Reply]


def page(title, *, links=(), text="", canonical=None, head=""):
    """An HTML page with a title, a paragraph and a list of links."""
    canonical_link = f'<link rel="canonical" href="{html.escape(canonical)}">' if canonical else ""
    items = "".join(f'<li><a href="{html.escape(link)}">{html.escape(link)}</a></li>' for link in links)
    body = text or f"This is the page called {title}. It has words of its own: {title * 3}."
    return Reply(
        f"<!doctype html><html><head><title>{title}</title>{canonical_link}{head}</head>"
        f"<body><main><h1>{title}</h1><p>{body}</p><ul>{items}</ul></main></body></html>".encode()
    )


def sitemap(urls, lastmod=None):
    date = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    rows = "".join(f"<url><loc>{html.escape(url)}</loc>{date}</url>" for url in urls)
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    return Reply(body.encode(), type="application/xml")


def redirect(location, status=301):
    return Reply(status=status, headers=(("Location", location),))


@dataclass
class Site:
    answers: dict[str, Answer]
    host: str = "127.0.0.1"
    requests: list[str] = field(default_factory=list)
    fallback: Callable[[str], Reply | None] | None = None
    open: set = field(default_factory=set)

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.requests)

    @contextmanager
    def serve(self, port: int = 0) -> Iterator[str]:
        """Serve in a thread; gives the origin."""
        loop = asyncio.new_event_loop()
        started = threading.Event()
        servers: list[asyncio.Server] = []

        async def main() -> None:
            servers.append(await loop.create_server(lambda: _Talk(self), self.host, port, backlog=256))
            started.set()

        def run() -> None:
            loop.run_until_complete(main())
            loop.run_forever()
            servers[0].close()
            for talk in list(self.open):
                talk.transport.abort()
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        started.wait(5)
        host = f"[{self.host}]" if ":" in self.host else self.host
        try:
            yield f"http://{host}:{servers[0].sockets[0].getsockname()[1]}"
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)

    def reply(self, target: str) -> Reply:
        self.requests.append(target)
        answer = self.answers.get(target)
        number = self.requests.count(target) if isinstance(answer, list) or callable(answer) else 1
        if answer is None and self.fallback:
            answer = self.fallback(target)
        if answer is None:
            return Reply(b"<h1>Not found</h1>", status=404)
        if isinstance(answer, list):
            return answer[min(number, len(answer)) - 1]
        return answer(target, number) if callable(answer) else answer


class _Talk(asyncio.Protocol):
    """One connection: requests in, scripted answers out, one after the other."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._buffer = b""
        self._busy = False

    def connection_made(self, transport) -> None:
        self.transport = transport
        self._site.open.add(self)

    def connection_lost(self, _error) -> None:
        self._site.open.discard(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._next()

    def _next(self) -> None:
        if self._busy or b"\r\n\r\n" not in self._buffer:
            return
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        reply = self._site.reply(head.split(b" ", 2)[1].decode("latin-1"))
        self._busy = True
        if reply.delay:
            asyncio.get_running_loop().call_later(reply.delay, self._send, reply)
        else:
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        self._busy = False
        if reply.hang_up:
            self.transport.abort()
            return
        fields = [f"HTTP/1.1 {reply.status} X", f"Content-Length: {len(reply.body)}"]
        fields += [f"Content-Type: {reply.type}"] if reply.type else []
        fields += [f"{name}: {value}" for name, value in reply.headers]
        self.transport.write(reply.before + "\r\n".join([*fields, "", ""]).encode() + reply.body)
        self._next()
