"""Lines follow once files are durable, beside the crawl; a failure ends it."""

import asyncio
import threading

import pytest

from holdfast.adapters.fake_folder import MemoryMirror
from holdfast.core.base.errors import NoSpaceError
from holdfast.core.lineage.batch import Effect
from holdfast.core.mirror.checkpoint import FAILED_LOG, PROCESSED
from holdfast.jobs.mirror.effects import Acknowledging, put_files

pytestmark = pytest.mark.spec("MIR-5", "SEC-6")


def effect(name, log=""):
    return Effect(files=((f"{name}.md", name.encode()),), processed=(f"https://e.com/{name}",), log=log)


class Disk(MemoryMirror):
    """A folder that says in which order things happen, and waits when told to."""

    def __init__(self):
        super().__init__()
        self.happened = []
        self.may_settle = threading.Event()
        self.may_settle.set()

    def put_all(self, files, times=None):
        self.happened.append(f"put {' '.join(files)}")
        return super().put_all(files, times)

    def settle(self):
        self.may_settle.wait(10)
        self.happened.append("settle")

    def append(self, path, data):
        self.happened.append(f"append {path}")
        super().append(path, data)


def acknowledged(disk):
    return disk.files.get(PROCESSED, b"").decode().splitlines()


def test_a_line_follows_its_file_once_that_is_durable_and_is_durable_itself():
    disk = Disk()

    async def run():
        acknowledging = Acknowledging(disk)
        acknowledging.add([effect("a", log="a log\n")], put_files(disk, [effect("a")]))
        await acknowledging.flush()

    asyncio.run(run())
    assert disk.happened == ["put a.md", "settle", f"append {FAILED_LOG}", f"append {PROCESSED}", "settle"]


def test_what_gathers_while_the_disk_is_busy_is_acknowledged_together_and_nobody_waits():
    disk = Disk()

    async def run():
        disk.may_settle.clear()
        acknowledging = Acknowledging(disk)
        for name in "abc":
            acknowledging.add([effect(name)], put_files(disk, [effect(name)]))
            await asyncio.sleep(0)
        assert disk.happened == ["put a.md", "put b.md", "put c.md"]
        assert acknowledged(disk) == []
        disk.may_settle.set()
        await acknowledging.flush()

    asyncio.run(run())
    assert acknowledged(disk) == [f"https://e.com/{name}" for name in "abc"]
    assert disk.happened.count(f"append {PROCESSED}") == 2


def test_a_page_whose_file_was_refused_is_not_acknowledged():
    disk = Disk()

    async def run():
        acknowledging = Acknowledging(disk)
        acknowledging.add([effect("a"), effect("b")], {"a.md": "a symlink stands in the way"})
        await acknowledging.flush()

    asyncio.run(run())
    assert acknowledged(disk) == ["https://e.com/b"]


def test_a_disk_that_fails_acknowledges_nothing_more_and_ends_the_crawl():
    class Full(Disk):
        def settle(self):
            raise NoSpaceError("there is no room left")

    disk = Full()

    async def run():
        acknowledging = Acknowledging(disk)
        acknowledging.add([effect("a")], {})
        await acknowledging.rest()
        with pytest.raises(NoSpaceError):
            acknowledging.check()
        acknowledging.add([effect("b")], {})
        with pytest.raises(NoSpaceError):
            await acknowledging.flush()

    asyncio.run(run())
    assert acknowledged(disk) == []
