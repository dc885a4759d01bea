"""Bare aiohttp on uvloop: asks for `/page/0` … of so many addresses, reads the bodies, and throws them away.

python bench/bare_client.py URLS HOSTS PORT
"""

from __future__ import annotations

import asyncio
import sys

import aiohttp
import uvloop

AT_ONCE = 64


async def ask(urls: int, hosts: int, port: int) -> None:
    waiting = iter([f"http://127.0.0.{n % hosts + 1}:{port}/page/{n}" for n in range(urls)])
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=AT_ONCE)) as session:

        async def worker() -> None:
            for url in waiting:
                async with session.get(url) as answer:
                    await answer.read()

        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))


if __name__ == "__main__":
    uvloop.run(ask(*map(int, sys.argv[1:4])))
