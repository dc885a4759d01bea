"""A thousand requests leave nothing behind. The long version is `make torture`."""

import asyncio

from faults.door import ask, door, run
from faults.leaks import footprint, soak
from faults.server import FaultServer, response
from faults.table import FAULTS


def test_no_connection_descriptor_or_task_is_left_and_memory_is_flat():
    before, early, after, connections = run(soak(1_000))
    assert after.descriptors <= before.descriptors
    assert after.tasks <= before.tasks
    assert after.kilobytes - early.kilobytes < 4_096
    assert connections <= 8 * 4, "connections are kept and reused"


def test_faults_leave_nothing_behind_either():
    """All faults side by side through one door, twice: the first time opens what stays open."""
    quick = [fault for fault in FAULTS if not callable(fault.script) and not fault.settings]

    async def suffer():
        scripts = {f"/{fault.name}": fault.play() for fault in quick}
        async with FaultServer(scripts) as server, door(server.base, per_host=16) as fetcher:
            await asyncio.gather(*(fetcher.fetch(ask(server.base + path)) for path in scripts))
        for _ in range(20):  # closed transports leave the loop one turn later, the server's another
            await asyncio.sleep(0.01)
        return footprint()

    async def main():
        return await suffer(), await suffer()

    first, second = run(main())
    assert second.descriptors <= first.descriptors
    assert second.tasks <= first.tasks


def test_idle_connections_are_bounded_over_many_hosts():
    async def main():
        hosts = [f"127.0.{a}.{b}" for a in range(1, 3) for b in range(1, 201)]
        async with FaultServer({"/": (response(b"ok"),)}, host="0.0.0.0", forgetful=True) as server:
            before = footprint()
            async with door(allow_private=True) as fetcher:
                for host in hosts:
                    await fetcher.fetch(ask(f"http://{host}:{server.port}/"))
                return footprint().descriptors - before.descriptors

    assert run(main()) <= 2 * 110, "both ends of each connection are in this process"
