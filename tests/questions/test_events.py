"""Events: one value for whatever happened, made of the ledger alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdfast.core.base.hashing import url_key
from holdfast.core.events.happenings import diff_lines, facts_of, headline
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.lineage import Job, RunStatus, RunTally
from holdfast.core.page.section import SectionChange
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.questions.log.log import log
from holdfast.questions.log.mirror_log import events_of_run, with_diff
from questions.world import PAGE, World, day, html

DOCS = CommandTarget(TargetKind.MIRROR, "docs")

OTHER = "https://example.com/other"


def happened(world, run_id):
    return list(events_of_run(world.ledger, world.ledger.runs.run(run_id)))


def end(world, run_id, number, **counts):
    world.ledger.runs.end_run(run_id, day(number), RunTally.of(counts))


@pytest.fixture
def world():
    world = World()
    world.begin("aaaa", 0)
    world.see("aaaa", PAGE, 0, html("At most ten."))
    world.see("aaaa", OTHER, 0.01, html("The other."))
    end(world, "aaaa", 0.1, pages=2)
    return world


@pytest.mark.spec("TRK-10")
def test_a_run_of_a_mirror_has_what_came_changed_and_went(world):
    assert {event.kind for event in happened(world, "aaaa")} == {EventKind.NEW}
    world.begin("bbbb", 1)
    world.see("bbbb", PAGE, 1.01, html("At most twenty."))
    world.ledger.pages.mark_gone("docs", [url_key(OTHER)], day(1.05))
    end(world, "bbbb", 1.1, pages=1)
    found = happened(world, "bbbb")
    assert [(event.kind, event.url) for event in found] == [
        (EventKind.CHANGED, PAGE),
        (EventKind.GONE, OTHER),
    ]
    assert {event.label for event in found} == {"docs"}
    listed = world.reader.ask(log, target=DOCS).changes
    assert [event.event_id for event in listed[:2]] == [found[1].event_id, found[0].event_id]
    whole = world.reader.ask(with_diff, event=found[0])
    assert "+At most twenty." in diff_lines(whole)
    assert [(each.anchor, each.change) for each in whole.page.sections] == [("limits", SectionChange.CHANGED)]
    assert 0 < whole.drift.amount < 1
    assert facts_of(whole) == f"drift {whole.drift.amount:g}"


@pytest.mark.spec("TRK-10")
def test_an_event_has_one_name_whoever_asks_and_whenever(world):
    names = [event.event_id for event in happened(world, "aaaa")]
    assert names == [event.event_id for event in happened(world, "aaaa")]
    assert len(set(names)) == 2
    assert {event.event_id for event in world.reader.ask(log, target=DOCS).changes} == set(names)


@pytest.mark.spec("TRK-10")
def test_a_mirror_that_goes_on_failing_failed_once(world):
    for number, run_id in enumerate(("bbbb", "cccc"), 1):
        world.begin(run_id, number)
        end(world, run_id, number + 0.1, failed=2, pages=0)
    (failed,) = happened(world, "bbbb")
    assert (failed.kind, headline(failed)) == (EventKind.FAILED, "Failed: mirror docs")
    assert facts_of(failed) == "everything failed: 2 pages"
    assert happened(world, "cccc") == []
    world.begin("dddd", 3)
    end(world, "dddd", 3.1, unchanged=2, failed=1)
    assert happened(world, "dddd") == [], "some pages that failed are not failed run"
    world.begin("eeee", 4)
    world.ledger.runs.update_run("eeee", RunStatus.FAILED, day(4.1))
    assert [event.kind for event in happened(world, "eeee")] == [EventKind.FAILED], "it had gone well between"


@pytest.mark.spec("TRK-10")
def test_a_run_of_tracking_has_what_happened_to_cited_urls(world):
    world.cite("notes.md", PAGE)
    world.begin("tttt", 5, Job.TRACK)
    world.change(PAGE, 5.01, 0.25)
    end(world, "tttt", 5.1)
    world.change(PAGE, 6, 0.5)
    (event,) = happened(world, "tttt")
    assert (event.kind, event.url, event.run_id) == (EventKind.CHANGED, PAGE, "tttt")
    assert [link.document for link in event.citations] == ["notes.md"]
    assert facts_of(event) == "drift 0.25"
    assert world.reader.changed().changes[0].event_id == event.event_id, "`changed` speaks of the same event"


@pytest.mark.spec("TRK-10")
def test_a_run_of_tracking_that_was_cut_off_keeps_its_events(world):
    world.cite("notes.md", PAGE)
    world.begin("tttt", 5, Job.TRACK)
    world.change(PAGE, 5.01, None)
    world.ledger.runs.update_run("tttt", RunStatus.INTERRUPTED, day(5) + timedelta(seconds=1))
    assert [event.kind for event in happened(world, "tttt")] == [EventKind.CHANGED]
