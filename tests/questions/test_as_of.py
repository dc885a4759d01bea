"""What a store held on a day, and what is new since yesterday."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.lineage.lineage import Job, RunTally
from holdfast.core.lineage.versions import yesterday
from holdfast.core.links.citation import LedgerEvent
from holdfast.core.links.link_state import Standing
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.url import Place
from holdfast.questions.log.log import log
from holdfast.questions.log.page_as_of import up_to
from holdfast.questions.status import RunsWanted
from questions.world import PAGE, day, html

DOCS = CommandTarget(TargetKind.MIRROR, "docs")

pytestmark = pytest.mark.spec("WEB-1")
OTHER, LATE = "https://example.com/other", "https://example.com/late"


@pytest.fixture
def reader(world):
    """Three runs: a page changes, another goes, a third comes."""
    world.begin("run-1", 0)
    world.see("run-1", PAGE, 0, html("at most 100"))
    world.see("run-1", OTHER, 0.1, html("other"))
    world.ledger.runs.end_run("run-1", day(0.2), RunTally.of({"page": 2}))
    world.begin("run-2", 5)
    world.see("run-2", PAGE, 5, html("at most 250"))
    world.ledger.pages.mark_gone("docs", [url_key(OTHER)], day(5.1))
    world.ledger.runs.end_run("run-2", day(5.2), RunTally.of({"page": 1}))
    world.begin("run-3", 9)
    world.see("run-3", LATE, 9, html("late"))
    world.ledger.runs.end_run("run-3", day(9.2), RunTally.of({"page": 1, "unchanged": 1}))
    return world.reader


def urls(part):
    return [page.url for page in part.pages]


def news(reader, number):
    return reader.parts.overview("here", now=day(number)).news[1:]


def test_yesterday_begins_at_midnight():
    assert yesterday(datetime(2026, 5, 4, 23, tzinfo=UTC)) == datetime(2026, 5, 3, tzinfo=UTC)


def test_news_are_what_changed_came_and_went_since_a_moment(reader):
    assert news(reader, 6) == (1, 1, 1, 0, "run-2")
    assert news(reader, 10) == (0, 1, 0, 0, None)
    assert news(reader, 20) == (0, 0, 0, 0, None)
    assert reader.parts.overview("here").news is None


def test_a_page_that_was_forgotten_between_runs_is_no_news(reader, world):
    world.ledger.pages.drop_pages("docs", [url_key(LATE)], day(9.5))
    assert news(reader, 10) == (0, 1, 0, 0, None)


def test_links_that_were_confirmed_as_dead_by_a_day_are_dead_on_it(world):
    place = Place(PAGE, url_key(PAGE), url_key(PAGE))
    world.begin("track-1", 1, Job.TRACK)
    world.ledger.runs.end_run("track-1", day(1.2), RunTally.of({"not_found": 2, "ok": 3}))
    died = LedgerEvent(day(3), EventKind.DIED, place, "not_found", "not_found")
    world.begin("track-2", 3, Job.TRACK)
    world.ledger.citations.put_places([], [died])
    world.ledger.runs.end_run("track-2", day(3.2), RunTally.of({"not_found": 2, "ok": 3}))
    world.begin("track-3", 6, Job.TRACK)
    world.ledger.citations.put_places([], [replace(died, at=day(6), kind=EventKind.REVIVED)])
    world.ledger.runs.end_run("track-3", day(6.2), RunTally.of({"not_found": 1, "ok": 4}))

    def counted(number):
        found = world.reader.parts.citations_at(day(number)).standings
        return found[Standing.ALIVE], found[Standing.SUSPECT], found[Standing.DEAD]

    assert [counted(2), counted(4), counted(7)] == [(3, 2, 0), (3, 1, 1), (4, 1, 0)]


def test_changes_are_counted_day_by_day(reader):
    days = reader.parts.overview("here", now=day(9)).by_day["docs"]
    assert (len(days), days[-10:]) == (30, (2, 0, 0, 0, 0, 1, 0, 0, 0, 1))
    assert reader.parts.overview_at("here", day(6)).by_day["docs"][-2:] == (1, 0)
    assert reader.parts.overview("here", now=day(50)).by_day == {}


def test_pages_are_listed_as_they_were_on_a_day(reader):
    assert urls(reader.parts.pages_at("docs", day(-1))) == []
    assert urls(reader.parts.pages_at("docs", day(1))) == [OTHER, PAGE]
    assert urls(reader.parts.pages_at("docs", day(6))) == [PAGE]
    assert urls(reader.parts.pages_at("docs", day(10))) == [LATE, PAGE]
    (now,) = [page for page in reader.parts.pages_at("docs", day(10)).pages if page.url == PAGE]
    (then,) = [page for page in reader.parts.pages_at("docs", day(1)).pages if page.url == PAGE]
    assert then.item_id != now.item_id
    first = reader.parts.pages_at("docs", day(1), limit=1)
    assert urls(reader.parts.pages_at("docs", day(1), after=first.next, limit=1)) == [PAGE]


def test_pages_that_are_gone_are_a_list_of_their_own(reader):
    assert urls(reader.parts.pages("docs", only_gone=True)) == [OTHER]


def test_runs_and_changes_are_listed_up_to_a_day(reader):
    assert [one.run.run_id for one in reader.parts.runs(RunsWanted(until=day(6))).runs] == ["run-2", "run-1"]
    assert {event.run_id for event in reader.ask(log, target=DOCS, until=up_to(day(1))).changes} == {"run-1"}


def test_an_overview_of_a_day_is_what_the_last_runs_left(reader):
    found = reader.parts.overview_at("here", day(6))
    assert [(one.pages, one.gone, one.brought) for one in found.mirrors] == [(1, 1, Brought(0, 1))]
    assert [run.run.run_id for run in found.runs] == ["run-2", "run-1"]
    assert found.news is None
    assert reader.parts.overview_at("here", day(-1)).mirrors == ()
