"""Names that fail once and then work are never dead: a real door, a name server on loopback."""

from __future__ import annotations

import pytest

from helpers.faults.door import door, run
from helpers.faults.names import LoopbackResolver, NameServer
from helpers.faults.server import FaultServer, response
from helpers.ledger_cases import memory_ledger, session_of
from helpers.web_standard import WEB_STANDARD
from holdfast.adapters.fake_documents import MemoryDocuments
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.links.after_look import standing
from holdfast.core.links.link_state import Standing
from holdfast.core.web.pace import HostManner
from holdfast.jobs.check.asking_run import TrackRun
from holdfast.jobs.check.check import Tracker
from holdfast.jobs.check.options import AskOptions, LookOptions, Pacing, TrackOptions

PAGE = (response(b"<title>t</title><p>here it is</p>", "200 OK", "Content-Type: text/html"),)
FAILURES = {"steady.example": 0, "once.example": 1, "twice.example": 2}


def looks(count):
    """The states and standings of all names at each of some looks, and how often each was asked for."""

    async def main():
        async with NameServer(FAILURES) as names, FaultServer({"/": PAGE}) as server:
            hosts = [*FAILURES, "never.example"]
            text = "".join(f"<http://{host}:{server.port}/>\n" for host in hosts).encode()
            clock = MemoryClock()
            ledger = memory_ledger()
            tracker = Tracker(
                MemoryDocuments({"a.md": text}),
                session_of(ledger, clock=clock),
                WEB_STANDARD,
                TrackOptions(
                    asking=AskOptions(pacing=Pacing(manner=HostManner(0.0, adapts=False))),
                    manifests=False,
                    looks=LookOptions(force=True),
                ),
            )
            seen = []
            for _ in range(count):
                async with door(resolver=LoopbackResolver(names), allow_private=True, clock=clock) as web:
                    result = await TrackRun(tracker, web).run()
                places = [entry.node for entry in result.cited]
                hosts = [place.place.host.partition(":")[0] for place in places]
                stands = [(place.state, standing(place)) for place in places]
                seen.append(dict(zip(hosts, stands, strict=True)))
            return seen, names.asked

    return run(main())


@pytest.mark.spec("TRK-6")
def test_a_name_that_fails_and_then_works_is_never_dead():
    seen, asked = looks(4)
    assert asked["once.example"] > 1
    for states in seen:
        assert Standing.DEAD not in {stands for name, (_, stands) in states.items() if name in FAILURES}
    assert seen[0]["steady.example"] == ("ok", Standing.ALIVE)
    assert {name: state for name, (state, _) in seen[-1].items()} == {
        **dict.fromkeys(FAILURES, "ok"),
        "never.example": "dns_error",
    }


@pytest.mark.spec("TRK-6")
def test_a_name_that_never_works_is_only_suspected_before_two_days_have_passed():
    seen, _ = looks(3)
    assert [states["never.example"] for states in seen] == [("dns_error", Standing.SUSPECT)] * 3
