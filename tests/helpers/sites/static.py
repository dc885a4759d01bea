"""A folder of HTML as a site on loopback, with a sitemap, in a process of its own.

    python tests/helpers/sites/static.py FOLDER [PREFIX]      prints the port, then serves until it is killed

Everything is read into memory first, so that what is measured against it is the client.
"""

from __future__ import annotations

import asyncio
import mimetypes
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote


def load(folder: Path, prefix: str) -> dict[str, tuple[str, bytes]]:
    """Request targets to media type and body."""
    found = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            kind, coding = mimetypes.guess_type(file.name)
            kind = "application/gzip" if coding else kind or "application/octet-stream"
            kind += "; charset=utf-8" if kind == "text/html" else ""
            found[prefix + quote(file.relative_to(folder).as_posix())] = (kind, file.read_bytes())
            if file.name == "index.html":
                found[prefix + quote(file.relative_to(folder).as_posix()).removesuffix("index.html")] = found[
                    prefix + quote(file.relative_to(folder).as_posix())
                ]
    return found


class Static(asyncio.Protocol):
    """HTTP/1.1 with keep-alive, GET alone."""

    def __init__(self, pages: dict[str, tuple[str, bytes]]) -> None:
        self._pages = pages
        self._buffer = b""

    def connection_made(self, transport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode("latin-1")
            status, (kind, body) = 200, self._pages.get(target, ("text/plain", b""))
            if target not in self._pages:
                status, body = 404, b"not found"
            fields = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            self._transport.write(fields.encode() + body)


async def main(folder: Path, prefix: str) -> None:
    pages = load(folder, prefix)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Static(pages), "127.0.0.1", 0, backlog=512)
    port = server.sockets[0].getsockname()[1]
    urls = sorted(t for t, (kind, _) in pages.items() if kind.startswith("text/html") and not t.endswith("/"))
    rows = "".join(f"<url><loc>http://127.0.0.1:{port}{url}</loc></url>" for url in urls)
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</urlset>'
    pages["/pages.xml"] = ("application/xml", body.encode())
    print(port, flush=True)
    await server.serve_forever()


@contextmanager
def serve_folder(folder: Path, prefix: str = "/") -> Iterator[str]:
    """Serve a folder from another process; gives the origin."""
    command = [sys.executable, __file__, str(folder), prefix]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "/"))
