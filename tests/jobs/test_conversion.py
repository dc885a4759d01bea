"""Captures are converted many at a time and handed out in order, within bounds."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from holdfast.core.base.errors import ArchiveError
from holdfast.core.crawl.harvest import Unreadable
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture
from holdfast.jobs import converting
from holdfast.jobs.converting import converted

pytestmark = pytest.mark.spec("MIR-12")
URL = parse_url("https://example.com/")


class Bench:
    """A session: an archive of bodies by their number, and a worker that is slow with the first."""

    def __init__(self, sizes, ahead):
        self.sizes = sizes
        self.asked = []
        self.slow = asyncio.Event()
        self.ahead = ahead

    def read(self, number):
        if self.sizes[number] is None:
            raise ArchiveError("damaged")
        body = b"x" * self.sizes[number]
        return Capture(URL, URL, 200, (("number", str(number)),), body, datetime(2026, 1, 1, tzinfo=UTC))

    async def refine(self, capture, rules):
        number = int(capture.header("number"))
        self.asked.append(number)
        if number == 0:
            await self.slow.wait()
        return Unreadable(f"{rules} {number}")

    async def go(self):
        records = [(number, SimpleNamespace(ref=number)) for number in range(len(self.sizes))]
        pages = converted(iter(records), self, lambda number: f"rules of {number}:")
        return [page async for page in pages]

    def behind_a_slow_one(self):
        """Which captures are asked for while the first is not done; then all results."""

        async def watch():
            going = asyncio.create_task(self.go())
            for _ in range(50):
                await asyncio.sleep(0)
            asked = list(self.asked)
            self.slow.set()
            return asked, await going

        return asyncio.run(watch())


def test_pages_behind_a_slow_one_are_under_way_and_come_in_order():
    asked, pages = Bench([10] * 30, ahead=20).behind_a_slow_one()

    assert asked == list(range(20))
    assert [page.asked for page in pages] == list(range(30))
    assert pages[7].flaw == "rules of 7: 7"


def test_captures_under_way_are_bounded_by_their_bytes(monkeypatch):
    monkeypatch.setattr(converting, "MOST_BYTES", 1_000)
    asked, pages = Bench([300] * 10 + [5_000], ahead=20).behind_a_slow_one()

    assert asked == [0, 1, 2, 3], "the last of them is more than may be held: no other is read"
    assert len(pages) == 11


def test_what_cannot_be_read_has_its_place_among_the_others():
    _, pages = Bench([1, None, 1], ahead=2).behind_a_slow_one()

    assert [page.flaw for page in pages] == ["rules of 0: 0", "damaged", "rules of 2: 2"]
