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

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.requests)

    @contextmanager
    def serve(self, port: int = 0) -> Iterator[str]:
        """Serve in a thread; gives the origin."""
        loop = asyncio.new_event_loop()
        started = threading.Event()
        bound: list[int] = []

        async def main() -> None:
            server = await asyncio.start_server(self._talk, self.host, port, backlog=256)
            bound.append(server.sockets[0].getsockname()[1])
            started.set()

        def run() -> None:
            asyncio.set_event_loop(loop)
            loop.run_until_complete(main())
            loop.run_forever()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            loop.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        started.wait(5)
        host = f"[{self.host}]" if ":" in self.host else self.host
        try:
            yield f"http://{host}:{bound[0]}"
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)

    async def _talk(self, reader, writer) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target = head.split(b" ", 2)[1].decode("latin-1")
                if not await self._answer(target, writer):
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def _answer(self, target: str, writer) -> bool:
        self.requests.append(target)
        reply = self._reply(target)
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.hang_up:
            writer.transport.abort()
            return False
        fields = [f"HTTP/1.1 {reply.status} X", f"Content-Length: {len(reply.body)}"]
        fields += [f"Content-Type: {reply.type}"] if reply.type else []
        fields += [f"{name}: {value}" for name, value in reply.headers]
        writer.write("\r\n".join([*fields, "", ""]).encode() + reply.body)
        await writer.drain()
        return True

    def _reply(self, target: str) -> Reply:
        answer = self.answers.get(target)
        number = self.requests.count(target) if isinstance(answer, list) or callable(answer) else 1
        if answer is None and self.fallback:
            answer = self.fallback(target)
        if answer is None:
            return Reply(b"<h1>Not found</h1>", status=404)
        if isinstance(answer, list):
            return answer[min(number, len(answer)) - 1]
        return answer(target, number) if callable(answer) else answer
