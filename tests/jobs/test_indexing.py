"""The search index follows the ledger: never ahead, whole after a crash, without what was forgotten."""

from __future__ import annotations

import pytest

from helpers.ledger_cases import session_of
from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.lineage import Job
from holdfast.jobs import indexing
from holdfast.jobs.indexing import catch_up
from holdfast.jobs.upkeep.forget import forget
from questions.world import PAGE, World, day, html, sections

pytestmark = pytest.mark.spec("SRC-1")


@pytest.fixture
def world():
    made = World()
    made.begin("run-1", 0)
    made.see("run-1", PAGE, 1, html("At most nine."))
    made.see("run-1", PAGE + "2", 1, html("Another page."))
    made.end("run-1", 2)
    return made


def hits(world, text, **options):
    return [(hit.page_url, hit.anchor) for hit in world.reader.search(text, **options).hits]


def test_a_search_finds_what_was_seen_a_moment_ago(world):
    assert hits(world, "nine") == [(PAGE, "limits")]
    world.see("run-1", PAGE, 3, html("At most ten."))
    world.end("run-1", 4)
    assert hits(world, "ten") == [(PAGE, "limits")]
    assert hits(world, "nine") == []
    assert hits(world, "nine", at=day(2)) == [(PAGE, "limits")]


def test_what_is_up_to_date_is_not_read_again(world):
    world.fresh()
    read = catch_up(world.ledger, world.archive, world.index, sections)
    assert read == 0
    world.see("run-1", PAGE, 3, html("At most nine."))
    assert catch_up(world.ledger, world.archive, world.index, sections) == 0


def test_a_build_that_was_cut_off_goes_on_where_it_was(world, monkeypatch):
    monkeypatch.setattr(indexing, "GROUP", 1)
    read = []

    def until_the_second(capture):
        read.append(capture)
        if len(read) == 2:
            raise KeyboardInterrupt
        return sections(capture)

    with pytest.raises(KeyboardInterrupt):
        catch_up(world.ledger, world.archive, world.index, until_the_second)
    assert world.index.mark().observed < world.ledger.sections.mark().observed
    assert catch_up(world.ledger, world.archive, world.index, sections) == 1
    assert hits(world, "another") == [(PAGE + "2", "limits")]


@pytest.mark.spec("STA-4")
def test_forgetting_reaches_the_index_and_leaves_it_up_to_date(world):
    assert hits(world, "nine")
    places = world.ledger.forgetting.places_at(world.ledger.pages.page("docs", url_key(PAGE)).place.web_key)
    forget(session_of(world.ledger, world.archive, clock=MemoryClock()), places, world.index)
    assert catch_up(world.ledger, world.archive, world.index, sections) == 0
    assert hits(world, "nine") == []
    assert hits(world, "nine", at=day(2)) == []
    assert hits(world, "another") == [(PAGE + "2", "limits")]


@pytest.mark.spec("STA-4")
def test_an_index_that_missed_a_forgetting_is_built_anew(world):
    world.fresh()
    places = world.ledger.forgetting.places_at(url_key(PAGE))
    forget(session_of(world.ledger, world.archive, clock=MemoryClock()), places)
    assert hits(world, "nine") == []
    assert hits(world, "another") == [(PAGE + "2", "limits")]


def test_a_page_that_its_mirror_has_no_more_is_gone(world):
    world.fresh()
    world.ledger.pages.mark_gone("docs", [url_key(PAGE)], day(5))
    world.end("run-1", 5)
    assert hits(world, "nine") == []
    assert hits(world, "nine", at=day(4)) == [(PAGE, "limits")]
    world.ledger.pages.drop_pages("docs", [url_key(PAGE + "2")], day(6))
    world.end("run-1", 6)
    assert hits(world, "another") == []


def test_cited_pages_are_found_without_a_mirror(world):
    world.begin("run-2", 6, Job.TRACK)
    world.see("run-2", "https://cited.example/", 7, html("Quoted words."))
    world.end("run-2", 8)
    assert hits(world, "quoted") == [("https://cited.example/", "limits")]


def test_a_section_has_its_id_its_headings_and_its_passage(world):
    [hit] = world.reader.search("nine").hits
    assert hit.id == f"{url_key(PAGE)}#limits"
    assert hit.url == PAGE + "#limits"
    assert (hit.headings, hit.title, hit.kind) == (("Page", "Limits"), "Limits", "prose")
    assert hit.snippet.text == "Limits At most nine."


def test_nobody_asks_for_less_than_one_section(world):
    with pytest.raises(UsageError, match="at least one"):
        world.reader.search("nine", limit=0)


def test_what_was_seen_later_already_does_not_end_a_group(world):
    world.fresh()
    world.see("run-1", PAGE, 0.5, html("At most eight."), is_brought=True)
    world.see("run-1", PAGE + "3", 1, html("At most seven."))
    assert hits(world, "nine") == [(PAGE, "limits")]
    assert hits(world, "seven") == [(PAGE + "3", "limits")]


@pytest.mark.spec("LIN-10")
@pytest.mark.parametrize("wrong", [400, -400])
def test_a_search_finds_what_was_written_last_whatever_its_stamp_says(world, wrong):
    world.see("run-1", PAGE, wrong, html("At most ten."))
    assert hits(world, "ten") == [(PAGE, "limits")]
    world.see("run-1", PAGE, 3, html("At most eleven."))
    assert hits(world, "eleven") == [(PAGE, "limits")]
    assert hits(world, "ten") == hits(world, "nine") == []


@pytest.mark.spec("LIN-10")
def test_what_was_brought_is_found_only_where_it_stands_last(world):
    world.see("run-1", PAGE, 5, html("At most ten."))
    assert hits(world, "ten") == [(PAGE, "limits")]
    world.see("run-1", PAGE, 3, html("At most eight."), is_brought=True)
    assert hits(world, "ten") == [(PAGE, "limits")]
    assert hits(world, "eight") == []
    world.see("run-1", PAGE, 7, html("At most twelve."), is_brought=True)
    assert hits(world, "twelve") == [(PAGE, "limits")]
    assert hits(world, "ten") == []
