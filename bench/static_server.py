"""A static server for benchmarks: one page, kept connections. Prints its port, runs until killed."""

import asyncio
import sys

import uvloop

PAGE = (
    b"<!doctype html><title>Page</title><main>"
    + b"<p>Some words of a page of usual size.</p>" * 250
    + b"</main>"
)
HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nETag: "1"\r\nContent-Length: %d\r\n\r\n'
RESPONSE = HEAD % len(PAGE) + PAGE
ROBOTS_BODY = b"User-agent: *\nDisallow: /private/\n"
ROBOTS = HEAD % len(ROBOTS_BODY) + ROBOTS_BODY


class Static(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.seen = b""

    def data_received(self, data):
        self.seen += data
        while (end := self.seen.find(b"\r\n\r\n")) >= 0:
            self.transport.write(ROBOTS if self.seen.startswith(b"GET /robots.txt ") else RESPONSE)
            self.seen = self.seen[end + 4 :]


async def main():
    server = await asyncio.get_running_loop().create_server(Static, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        uvloop.run(main())
    except KeyboardInterrupt:
        sys.exit(0)
