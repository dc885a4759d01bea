"""Lists a part at a time, two versions beside each other, the neighbourhood of a node."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from holdfast.core.base.errors import UsageError
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Brought
from holdfast.core.links.citation import CitedOrder
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.section import SectionChange
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.questions.log.log import log
from holdfast.questions.log.page_diffs import versions_compared
from holdfast.questions.status import CitedFilter
from questions.world import PAGE, html

pytestmark = pytest.mark.spec("WEB-1")
OTHER = "https://example.com/other"
NOW = datetime(2026, 11, 16, tzinfo=UTC)


@pytest.fixture
def reader(world):
    world.begin("run-1", 0)
    world.see("run-1", PAGE, 0, html("at most 100"))
    world.see("run-1", OTHER, 0.1, html("other"))
    world.begin("run-2", 1)
    world.see("run-2", PAGE, 1, html("at most 250"))
    world.see("run-2", OTHER, 1.1, html("other"))
    world.cite("a.md", PAGE, OTHER)
    world.cite("b.md", PAGE)
    world.judge(OTHER, LinkState.NOT_FOUND, failures=2)
    return world.reader


def brought(reader, name, **part):
    return reader.ask(log, target=CommandTarget(TargetKind.RUN, name), **part)


def test_what_a_run_brought_is_counted_and_read_in_parts(reader):
    first = brought(reader, "run-1", limit=1)
    assert first.brought == Brought(new=2, changed=0)
    assert [change.url for change in first.changes] == [PAGE]
    second = brought(reader, "run-1", from_=first.next, limit=1)
    assert [change.url for change in second.changes] == [OTHER]
    assert second.next is None
    assert brought(reader, "run-2").brought == Brought(new=0, changed=1)


def test_changes_follow_each_other_until_there_is_none(reader):
    change = reader.parts.next_change("run-2")
    assert (change.kind, change.url) == (EventKind.CHANGED, PAGE)
    assert reader.parts.next_change("run-2", change.now.capture.capture_id) is None
    assert reader.parts.next_change("run-1") is None


def test_a_place_in_a_list_that_is_none_is_an_error(reader):
    with pytest.raises(UsageError):
        brought(reader, "run-1", from_="nonsense")


def test_pages_are_read_in_parts(reader):
    first = reader.parts.pages("docs", limit=1)
    second = reader.parts.pages("docs", after=first.next, limit=1)
    assert [page.url for page in (*first.pages, *second.pages)] == [OTHER, PAGE]
    assert second.next is None


def test_cited_urls_are_told_by_standing_state_host_and_document(reader):
    def urls(**wanted):
        return [one.url for one in reader.parts.cited(CitedFilter(**wanted), NOW).urls]

    assert urls() == [OTHER, PAGE]
    assert urls(standing=Standing.DEAD) == [OTHER]
    assert urls(standing=Standing.SUSPECT) == []
    assert urls(states=(LinkState.UNCHECKED,)) == [PAGE]
    assert urls(document="b.md") == [PAGE]
    assert urls(host="example.com", document="a.md") == [OTHER, PAGE]
    assert urls(host="none.example") == []
    part = reader.parts.cited(CitedFilter(), NOW, limit=1)
    assert [one.url for one in reader.parts.cited(CitedFilter(), NOW, part.next, 1).urls] == [PAGE]
    assert reader.citation_counts().states == {LinkState.NOT_FOUND: 1, LinkState.UNCHECKED: 1}


def test_two_versions_stand_beside_each_other_by_section(reader):
    found = reader.ask(versions_compared, url=PAGE)
    changes = {section.headings: section.change for section in found.compared}
    assert changes == {("Page",): None, ("Page", "Limits"): SectionChange.CHANGED}
    rows = [row for section in found.compared for row in section.rows if row.is_changed]
    assert [piece.text for row in rows for piece in row.old if piece.is_changed] == ["100"]
    assert [piece.text for row in rows for piece in row.new if piece.is_changed] == ["250"]


def test_nothing_is_compared_where_nothing_is_known(reader):
    assert reader.ask(versions_compared, url="https://example.com/never") is None
    assert reader.links_out("https://example.com/never").links == ()


def test_a_node_has_its_neighbours(reader):
    around = reader.parts.neighbourhood(PAGE)
    assert [document.path for document in around.documents] == ["a.md", "b.md"]
    assert [node.url for node in around.urls] == [PAGE]
    around = reader.parts.neighbourhood("a.md")
    assert sorted(node.url for node in around.urls) == [OTHER, PAGE]


def test_an_overview_has_mirrors_citations_and_runs(reader):
    found = reader.parts.overview("here")
    assert [(mirror.label, mirror.pages, mirror.brought) for mirror in found.mirrors] == [
        ("docs", 2, Brought(0, 1))
    ]
    assert found.citations.standings[Standing.DEAD] == 1
    assert [run.run.run_id for run in found.runs] == ["run-2", "run-1"]


def test_cited_urls_come_by_age_and_by_their_last_look(world, reader):
    third = "https://example.com/third"
    world.cite("c.md", third)
    world.judge(third, LinkState.TIMEOUT, failures=1)

    def urls(**wanted):
        return [one.url for one in reader.parts.cited(CitedFilter(**wanted), NOW).urls]

    failing = urls(order=CitedOrder.AGE)
    assert sorted(failing) == [OTHER, third]
    assert urls(order=CitedOrder.AGE_DOWN) == failing[::-1]
    assert urls(order=CitedOrder.URL_DOWN) == [third, PAGE, OTHER]
    assert urls(order=CitedOrder.AGE_DOWN, host="example.com") == failing[::-1]
    assert urls(days=36500) == []


def test_places_that_nobody_cites_are_not_listed(world, reader):
    world.cite("gone.md", *(f"https://a.example/{number:03}" for number in range(300)))
    world.ledger.citations.drop_documents(["gone.md"])
    assert [one.url for one in reader.parts.cited(CitedFilter(), NOW, limit=1).urls] == [OTHER]
