"""A quick server for link checkers: any path is a page; `/index.html?n=N&hosts=H` links to N pages
on H addresses.

It sends the header `LinkChecker`, without which linkchecker asks a host ten times a second at most, whatever
its settings say: with it, its limits are off like ours.
"""

from __future__ import annotations

import asyncio
import sys
from urllib.parse import parse_qs

import uvloop

WORDS = "Holdfast gives web content a fixed identity and keeps every version of every page. " * 12


class Pages(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, as little as it takes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, _, self.waiting = self.waiting.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("latin-1")
            body = self.body(path)
            head_only = head.startswith(b"HEAD")
            self.transport.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nLinkChecker: yes\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body) + (b"" if head_only else body)
            )

    def body(self, path: str) -> bytes:
        if path.startswith("/index.html"):
            asked = parse_qs(path.partition("?")[2])
            count, hosts = int(asked["n"][0]), int(asked["hosts"][0])
            port = self.transport.get_extra_info("sockname")[1]
            urls = (f"http://127.0.0.{n % hosts + 1}:{port}/page/{n}" for n in range(count))
            links = "".join(f'<li><a href="{url}">a page</a></li>\n' for url in urls)
            return f"<html><head><title>Index</title></head><body><ul>{links}</ul></body></html>".encode()
        main = f"<main><h1>{path}</h1><p>{WORDS}</p></main>"
        return f"<html><head><title>{path}</title></head><body>{main}</body></html>".encode()


async def serve(hosts: int, port: int) -> None:
    loop = asyncio.get_running_loop()
    for number in range(1, hosts + 1):
        await loop.create_server(Pages, f"127.0.0.{number}", port, backlog=1024)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2])))
