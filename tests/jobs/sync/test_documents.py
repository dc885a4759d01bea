"""Looking at documents and asking in the background, on a virtual clock."""

from __future__ import annotations

import asyncio

import pytest

from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.base.errors import LockedError
from holdfast.core.findings.report import Report, ReportFinding
from holdfast.core.findings.rule_codes import RuleCode
from holdfast.jobs.sync.watching import ASK_AGAIN, QUIET, DocumentWatch

pytestmark = pytest.mark.spec("TRK-10")


def finding(name):
    return ReportFinding(RuleCode.NOT_FOUND, "a.md", name, name)


class Desk:
    """What is known, and what the web would answer after a while."""

    def __init__(self, asking=10.0):
        self.clock, self.asking, self.busy = MemoryClock(), asking, 0
        self.known, self.answers = (), ()
        self.log, self.told, self.trouble = [], [], None

    async def look(self):
        return await self._use("look", 0.0, lambda: self.known)

    async def ask(self):
        return await self._use("ask", self.asking, self._answer)

    async def _use(self, what, seconds, then):
        assert not self.busy, "one at a time"
        self.busy += 1
        try:
            self.log.append((what, self.clock.monotonic()))
            await self.clock.sleep(seconds)
            if self.trouble:
                raise LockedError(self.trouble)
            return Report(tuple(map(finding, then())), {})
        finally:
            self.busy -= 1

    def _answer(self):
        self.known = self.answers
        return self.known

    def notice(self, event):
        facts = dict(event.facts)
        if event.name == "findings":
            self.told += [f"+{each.message}" for each in facts["came"]]
            self.told += [f"-{each.message}" for each in facts["went"]]
        else:
            self.told.append(f"{event.name}: {facts['text']}")

    def watch(self, changes, until, *, consent=True):
        """Watch until a moment; `changes` are when files change, and what is wrong then."""

        async def batches():
            for moment, known in changes:
                await self.clock.sleep(moment - self.clock.monotonic())
                self.known = known
                yield ("a.md",)
            await self.clock.sleep(until - self.clock.monotonic())

        watch = DocumentWatch(self.look, self.ask if consent else None, self.clock, self)
        asyncio.run(watch.run(batches()))
        return [what for what, _ in self.log]


def test_without_consent_nothing_is_asked():
    desk = Desk()
    assert desk.watch([(5, ("x",)), (9, ())], 4000, consent=False) == ["look"] * 3
    assert desk.told == ["+x", "-x"]


def test_a_change_is_told_at_once_and_what_it_cites_asked_after_a_moment_of_quiet():
    desk = Desk()
    desk.answers = ("local", "dead")
    assert desk.watch([(100, ("local",))], 150) == ["look", "ask", "look", "ask"]
    assert desk.log[2:] == [("look", 100.0), ("ask", 100.0 + QUIET)]
    assert desk.told == ["+local", "+dead", "-dead", "+dead"]


def test_a_change_while_something_is_asked_is_told_at_once():
    desk = Desk(asking=60)
    desk.watch([(10, ("x",))], 200)
    assert desk.log[:4] == [("look", 0.0), ("ask", QUIET), ("look", 10.0), ("ask", 10.0 + QUIET)]
    assert desk.told[0] == "+x"


def test_many_saves_ask_once():
    desk = Desk()
    desk.watch([(second / 2, ()) for second in range(1, 20)], 60)
    assert [what for what, _ in desk.log].count("ask") == 1


def test_what_becomes_due_is_asked_from_time_to_time():
    desk = Desk(asking=0.0)
    asked = desk.watch([], 10 * ASK_AGAIN + 10).count("ask")
    assert asked in (10, 11)


def test_a_folder_that_is_in_use_is_no_end():
    desk = Desk()
    desk.trouble = "in use"
    desk.watch([(5, ())], 6, consent=False)
    assert desk.told == ["trouble: in use"] * 2


def test_a_job_has_its_turn_and_then_documents_are_looked_at_again():
    desk = Desk(asking=60)

    async def some():
        watch = DocumentWatch(desk.look, desk.ask, desk.clock, desk)

        async def batches():
            await desk.clock.sleep(300)
            yield ()

        task = asyncio.create_task(watch.run(batches()))
        await desk.clock.sleep(20)
        async with watch.turn():
            desk.busy += 1
            await desk.clock.sleep(100)
            desk.busy -= 1
        await task

    asyncio.run(some())
    assert [what for what, _ in desk.log][:4] == ["look", "ask", "look", "ask"]
    assert desk.log[2] == ("look", 120.0)
