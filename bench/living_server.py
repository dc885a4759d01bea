"""A folder of HTML with ETags, on loopback, in a process of its own: 304 to whoever knows the tag.

python bench/living_server.py FOLDER      prints the port, then serves until it is killed

`/dated.xml` lists every page with an old `lastmod`, `/undated.xml` without one, `/asked` says how many pages
were asked for.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import uvloop


class Living(asyncio.Protocol):
    pages: ClassVar[dict[bytes, tuple[bytes, bytes, bytes]]] = {}
    asked = 0
    port = 0

    def connection_made(self, transport):
        self.transport, self.data = transport, b""

    def data_received(self, data):
        self.data += data
        while b"\r\n\r\n" in self.data:
            head, _, self.data = self.data.partition(b"\r\n\r\n")
            self.transport.write(self.answer(head))

    def answer(self, head):
        target = head.split(b" ", 2)[1]
        if target in (b"/dated.xml", b"/undated.xml"):
            body = self.sitemap(dated=target == b"/dated.xml")
            return (
                b"HTTP/1.1 200 X\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n" % len(body)
                + body
            )
        if target == b"/asked":
            body = b"%d" % Living.asked
            return (
                b"HTTP/1.1 200 X\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
        if target not in self.pages:
            return b"HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"
        Living.asked += 1
        etag, same, whole = self.pages[target]
        return same if etag in head else whole

    def sitemap(self, *, dated):
        date = "<lastmod>2020-01-01</lastmod>" if dated else ""
        rows = (
            f"<url><loc>http://127.0.0.1:{self.port}{page.decode()}</loc>{date}</url>" for page in self.pages
        )
        return (
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'.encode()
        )


def load(folder):
    for file in sorted(folder.rglob("*.html")):
        body = file.read_bytes()
        etag = b'"%s"' % hashlib.sha256(body).hexdigest()[:16].encode()
        head = b"ETag: %s\r\nContent-Type: text/html; charset=utf-8\r\n" % etag
        whole = b"HTTP/1.1 200 X\r\n%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body)
        same = b"HTTP/1.1 304 X\r\nETag: %s\r\n\r\n" % etag
        Living.pages[b"/" + quote(file.relative_to(folder).as_posix()).encode()] = (etag, same, whole)


async def main():
    load(Path(sys.argv[1]))
    server = await asyncio.get_running_loop().create_server(Living, "127.0.0.1", 0, backlog=512)
    Living.port = server.sockets[0].getsockname()[1]
    print(Living.port, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
