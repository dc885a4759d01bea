"""From runs to messages, with everything in memory: nothing lost, nothing twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from helpers.ledger_cases import session_of
from holdfast.adapters.fake_web import MemoryClock, MemoryMessenger
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.lineage import Job, RunStatus, RunTally
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.settings.receivers import read_target
from holdfast.jobs.sync.notify import Notifier
from questions.world import PAGE, World, day, html

pytestmark = pytest.mark.spec("TRK-10")
OTHER = "https://example.com/other"


class Office:
    """A store, and somebody who tells what happened in it."""

    def __init__(self, **targets):
        self.world, self.messenger = World(), MemoryMessenger()
        self.targets = [read_target(name, {"command": "cat", **table}) for name, table in targets.items()]
        self.now = day(0)

    def run(self, run_id, number, pages, job=Job.MIRROR, *, ended=True):
        world = self.world
        world.begin(run_id, number, job, owed_to=[target.name for target in self.targets])
        for url, words in pages.items():
            world.see(run_id, url, number + 0.001, html(words))
        if ended:
            world.ledger.runs.end_run(run_id, day(number + 0.01), RunTally({"pages": len(pages)}))

    def tell(self, number, *, at_once=False):
        self.now = day(number)
        return self.notifier().run(self.targets, at_once=at_once).attempts

    def notifier(self):
        session = session_of(self.world.ledger, self.world.archive, clock=MemoryClock(self.now))
        return Notifier(session, self.messenger, DistillOptions())

    def told(self, name="team"):
        return [
            (event.kind, event.url) for target, message in self.messenger.taken if target == name
            for event in message.events
        ]  # fmt: skip


@pytest.fixture
def office():
    office = Office(team={})
    office.run("aaaa", 0, {PAGE: "At most ten.", OTHER: "The other."})
    office.tell(0.1)
    return office


def test_a_first_run_has_nothing_that_is_new(office):
    assert office.messenger.taken == []
    office.run("bbbb", 1, {PAGE: "At most ten.", "https://example.com/more": "More."})
    office.tell(1.1)
    assert office.told() == [(EventKind.NEW, "https://example.com/more")]


def test_a_change_is_told_once_with_its_difference(office):
    office.run("bbbb", 1, {PAGE: "At most twenty."})
    (attempt,) = office.tell(1.1)
    assert (attempt.target, attempt.events, attempt.trouble) == ("team", 1, "")
    assert office.told() == [(EventKind.CHANGED, PAGE)]
    (_, message), *_ = office.messenger.taken
    assert message.events[0].page.sections[0].anchor == "limits"
    assert message.events[0].title == "Page"
    assert office.tell(1.2) == ()
    office.run("cccc", 2, {PAGE: "At most twenty."})
    assert office.tell(2.1) == ()


def test_what_nobody_takes_is_kept_tried_with_patience_and_told_in_order(office):
    office.messenger.trouble = "no answer"
    office.run("bbbb", 1, {PAGE: "At most twenty."})
    (attempt,) = office.tell(1.1)
    assert attempt.trouble == "no answer"
    assert attempt.next_try == day(1.1) + timedelta(minutes=1)
    office.run("cccc", 2, {OTHER: "Another."})
    assert office.messenger.tries == 1
    office.tell(2.1)
    assert office.messenger.tries == 2, "the later one waits for the earlier"
    assert office.tell(2.1) == (), "and that one for its time"
    assert office.tell(2.1, at_once=True) != ()
    office.messenger.trouble = ""
    office.tell(9)
    assert office.told() == [(EventKind.CHANGED, PAGE), (EventKind.CHANGED, OTHER)]
    assert office.world.ledger.outbox.unsent() == ()


def test_a_notice_that_is_tried_again_is_the_same(office):
    office.run("bbbb", 1, {PAGE: "At most twenty."})
    office.messenger.trouble = "no answer"
    (first,) = office.tell(1.1)
    office.messenger.trouble = ""
    (second,) = office.tell(2)
    assert first.notice_id == second.notice_id == office.messenger.taken[0][1].notice_id


def test_a_run_that_was_cut_off_and_goes_on_tells_each_event_once(office):
    office.run("bbbb", 1, {PAGE: "At most twenty."}, ended=False)
    office.world.ledger.runs.update_run("bbbb", RunStatus.INTERRUPTED, day(1.01))
    office.tell(1.1)
    assert office.told() == [(EventKind.CHANGED, PAGE)]
    office.run("bbbb", 1, {OTHER: "Another."})
    office.tell(1.2)
    assert office.told() == [(EventKind.CHANGED, PAGE), (EventKind.CHANGED, OTHER)]


def test_a_target_that_came_later_is_told_nothing_of_before(office):
    office.targets.append(read_target("late", {"command": "cat"}))
    office.tell(0.5, at_once=True)
    office.run("bbbb", 1, {PAGE: "At most twenty."})
    office.tell(1.1)
    assert office.told("late") == [(EventKind.CHANGED, PAGE)]


def test_a_day_is_gathered_into_one_message():
    office = Office(team={"digest": "day", "at": "08:00"})
    office.run("aaaa", 0, {PAGE: "0", OTHER: "0"})
    office.tell(1, at_once=True)
    for number in range(1, 5):
        office.run(f"run{number}", 2 + number / 100, {PAGE: str(number)})
        assert office.tell(2 + number / 100 + 0.005) == ()
    office.tell(3)
    assert len(office.messenger.taken) == 1
    assert office.told() == [(EventKind.CHANGED, PAGE)] * 4


def test_only_the_section_that_is_wanted():
    office = Office(limits={"urls": [f"{PAGE}#limits"]}, begin={"urls": [f"{PAGE}#page"]})
    office.run("aaaa", 0, {PAGE: "At most ten."})
    office.run("bbbb", 1, {PAGE: "At most twenty."})
    office.tell(1.1)
    assert office.told("limits") == [(EventKind.CHANGED, PAGE)]
    assert office.told("begin") == []
    assert office.world.ledger.outbox.targets() == {}, "what is not wanted is not owed either"


def test_what_is_not_true_any_more_is_not_told(office):
    office.messenger.trouble = "no answer"
    office.run("bbbb", 1, {}, ended=False)
    office.world.ledger.runs.update_run("bbbb", RunStatus.FAILED, day(1.01), trouble="no space left")
    office.tell(1.1)
    office.messenger.trouble = ""
    office.run("bbbb", 1, {PAGE: "At most ten."})
    office.tell(2)
    assert office.told() == []
    assert office.world.ledger.outbox.unsent() == ()


def test_a_run_that_failed_says_why(office):
    office.run("bbbb", 1, {}, ended=False)
    office.world.ledger.runs.update_run("bbbb", RunStatus.FAILED, day(1.01), trouble="no space left")
    office.tell(1.1)
    assert [event.reason for _, message in office.messenger.taken for event in message.events] == [
        "no space left"
    ]


def test_cited_urls_are_told_with_who_cites_them(office):
    office.world.cite("notes.md", PAGE)
    office.run("tttt", 3, {}, Job.TRACK, ended=False)
    office.world.change(PAGE, 3.001, 0.4)
    office.world.ledger.runs.end_run("tttt", day(3.01), RunTally())
    office.tell(3.1)
    ((_, message),) = office.messenger.taken
    assert [link.document for link in message.events[0].citations] == ["notes.md"]
