"""A name server on loopback, and a resolver for the door that asks it over UDP.

The system's resolver cannot be pointed at a port, and would ask the world. This one speaks the same protocol
to 127.0.0.1 and raises what the system's raises: the `OSError` of `getaddrinfo`.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import Counter

from aiohttp.abc import AbstractResolver

_HEADER = struct.Struct("!6H")
_SERVFAIL, _NXDOMAIN = 2, 3


class NameServer(asyncio.DatagramProtocol):
    """Answers 127.0.0.1 for each of its names, after so many failures; other names do not exist."""

    def __init__(self, failures):
        self.left = dict(failures)
        self.asked = Counter()
        self.port = 0

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=("127.0.0.1", 0))
        self.port = self.transport.get_extra_info("sockname")[1]
        return self

    async def __aexit__(self, *_):
        self.transport.close()

    def connection_made(self, transport):
        pass

    def datagram_received(self, data, addr):
        number, *_ = _HEADER.unpack_from(data)
        name = _name(data, _HEADER.size)
        self.asked[name] += 1
        code = _NXDOMAIN if name not in self.left else _SERVFAIL if self.left[name] else 0
        if code == _SERVFAIL:
            self.left[name] -= 1
        answer = b"" if code else b"\xc0\x0c" + struct.pack("!2HIH", 1, 1, 0, 4) + bytes((127, 0, 0, 1))
        head = _HEADER.pack(number, 0x8180 | code, 1, 1 if answer else 0, 0, 0)
        self.transport.sendto(head + data[_HEADER.size :] + answer, addr)


class LoopbackResolver(AbstractResolver):
    """The door's resolver, asking a `NameServer`."""

    def __init__(self, server):
        self._server = server

    async def resolve(self, host, port=0, family=socket.AF_INET):  # noqa: ARG002 - the signature is the library's
        loop = asyncio.get_running_loop()
        labels = b"".join(bytes((len(label),)) + label.encode() for label in host.split("."))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.setblocking(False)
            await loop.sock_connect(asking, ("127.0.0.1", self._server.port))
            question = _HEADER.pack(7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)
            await loop.sock_sendall(asking, question)
            reply = await asyncio.wait_for(loop.sock_recv(asking, 512), 5)
        _, flags, _, answers, _, _ = _HEADER.unpack_from(reply)
        if flags & 0xF:
            failed = socket.EAI_AGAIN if flags & 0xF == _SERVFAIL else socket.EAI_NONAME
            raise socket.gaierror(failed, "the name server failed")
        assert answers == 1
        address = socket.inet_ntoa(reply[-4:])
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET,
                "proto": 0,
                "flags": 0,
            }
        ]

    async def close(self):
        pass


def _name(data, at):
    labels = []
    while length := data[at]:
        labels.append(data[at + 1 : at + 1 + length].decode())
        at += 1 + length
    return ".".join(labels)
