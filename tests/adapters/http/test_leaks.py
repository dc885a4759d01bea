"""A thousand requests leave nothing behind. The long version is `make torture`."""

import asyncio
import resource

from helpers.faults.door import ask, door, run
from helpers.faults.leaks import footprint, soak
from helpers.faults.server import FaultServer, response
from helpers.faults.table import FAULTS


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


def descriptors_kept(hosts, rounds=1):
    """How many descriptors are open more after asking these hosts in turn, and how often one connected."""

    async def main():
        async with FaultServer({"/": (response(b"ok"),)}, host="0.0.0.0", forgetful=True) as server:
            before = footprint()
            async with door(allow_private=True) as fetcher:
                for host in hosts * rounds:
                    await fetcher.fetch(ask(f"http://{host}:{server.port}/"))
                return footprint().descriptors - before.descriptors, server.connections

    return run(main())


def test_idle_connections_to_many_hosts_leave_three_quarters_of_the_descriptors():
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1_024, limits[1]))
    try:
        kept, _ = descriptors_kept([f"127.0.{a}.{b}" for a in range(1, 3) for b in range(1, 201)])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert kept <= 2 * 266, "both ends of each connection are in this process"


def test_two_hundred_hosts_asked_in_turn_are_connected_to_once():
    _, connections = descriptors_kept([f"127.0.0.{n}" for n in range(1, 201)], rounds=2)
    assert connections == 200
