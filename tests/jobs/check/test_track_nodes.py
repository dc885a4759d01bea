"""When nodes are in the ledger: while a run goes on, and after one that was broken off."""

from __future__ import annotations

import asyncio

import pytest

from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock, MemoryFetcher, Reply
from holdfast.core.base.hashing import url_key
from holdfast.core.web.pace import HostManner
from holdfast.jobs.check.asking_run import TrackRun
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.options import AskOptions, Pacing, TrackOptions

URLS = [f"https://example.com/{number}" for number in range(5)]

pytestmark = pytest.mark.spec("TRK-3")


class Watched:
    """A web that calls somebody before it answers a URL."""

    def __init__(self, clock, url, call):
        self._web = MemoryFetcher({url: Reply(b"<p>here</p>") for url in URLS}, clock=clock)
        self._url, self._call = url, call

    async def fetch(self, request):
        if request.url.href == self._url:
            await self._call()
        return await self._web.fetch(request)


def track(ledger, url, call):
    clock = MemoryClock()
    tracker = Tracker(
        MemoryDocuments({"a.md": "".join(f"<{url}>\n" for url in URLS).encode()}),
        session_of(ledger, clock=clock),
        WEB_STANDARD,
        TrackOptions(asking=AskOptions(pacing=Pacing(manner=HostManner(0.6, adapts=False))), manifests=False),
    )
    return asyncio.run(TrackRun(tracker, Watched(clock, url, call)).run())


def states(ledger):
    return {place.place.url: place.state for place in ledger.citations.places()}


def test_answers_are_in_the_ledger_a_while_later_though_the_run_goes_on():
    ledger, seen = memory_ledger(), []

    async def look():
        for _ in range(1_000):
            if len(states(ledger)) == 4:
                break
            await asyncio.sleep(0.01)
        seen.append(states(ledger))

    track(ledger, URLS[4], look)

    assert seen == [dict.fromkeys(URLS[:4], "ok")]
    assert states(ledger) == dict.fromkeys(URLS, "ok")


def test_a_run_that_is_broken_off_leaves_a_node_for_what_it_did_not_ask():
    ledger = memory_ledger()

    async def fail():
        raise OSError("the network is gone")

    with pytest.raises(ExceptionGroup):
        track(ledger, URLS[2], fail)

    assert states(ledger) == dict.fromkeys(URLS[:2], "ok") | dict.fromkeys(URLS[2:], "unchecked")


@pytest.mark.spec("SCT-2")
def test_what_is_cited_has_its_sections_in_the_ledger():
    ledger = memory_ledger()

    async def nothing():
        return None

    track(ledger, URLS[0], nothing)
    item = ledger.history.current_item(ledger.runs.latest_first().__next__().run.recipe, url_key(URLS[0]))
    assert [section.anchor for section in ledger.sections.of_item(item.item_id)] == [""]
