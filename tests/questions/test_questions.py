"""Each question is a function of ledger and archive; its value holds all that faces show."""

import pytest
from jsonschema import Draft202012Validator

from holdfast.core.base.errors import NotKeptError, UsageError
from holdfast.core.lineage.event_kind import SectionVerdict
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.page.section import SectionChange
from holdfast.core.targets.bound import Bound, BoundKind
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.questions.kept_here import status
from holdfast.questions.log import diff as diff_row
from holdfast.questions.log.items import items
from holdfast.questions.log.log import log
from holdfast.questions.log.mirror_log import with_diff
from holdfast.questions.log.page_as_of import page_as_of, up_to
from holdfast.questions.log.page_log import history
from holdfast.questions.log.run_list import runs
from holdfast.questions.rows.question import StoreAnswers, StorePart
from holdfast.questions.rows.table import schema_of
from questions.world import PAGE, RECIPE, day, html

pytestmark = pytest.mark.spec("LIB-1")


def published(name, value):
    """The value's JSON, which keeps to the schema that is made of the same definition."""
    schema = schema_of(name)
    document = schema.encode(value)
    Draft202012Validator(schema.json_schema()).validate(document)
    return document


def shown(found):
    """The log's JSON, which keeps to its schema."""
    return published("log", StoreAnswers("log", (StorePart(".", found),)))["parts"][0]


@pytest.fixture
def cited(world):
    world.cite("a.md", "https://dead.example/", "https://down.example/", "https://fine.example/#part")
    world.cite("b.md", "https://dead.example/", ignored=True)
    world.judge("https://dead.example/", LinkState.NOT_FOUND, failures=2)
    world.judge("https://down.example/", LinkState.TIMEOUT, failures=1)
    world.judge("https://fine.example/", LinkState.OK)
    return world


def test_broken_tells_the_dead_and_counts_the_suspects(cited):
    found = cited.reader.broken()
    assert [(url.url, url.standing, [c.document for c in url.citations]) for url in found.urls] == [
        ("https://dead.example/", Standing.DEAD, ["a.md"])
    ]
    assert found.dead == found.urls
    assert found.suspects == 1
    assert published("broken", found)["urls"][0]["state"] == "not_found"


def test_broken_with_suspects_and_eagerly(cited):
    assert [url.standing for url in cited.reader.broken(suspect=True).urls] == [
        Standing.DEAD,
        Standing.SUSPECT,
    ]
    assert [url.standing for url in cited.reader.broken(eager=True).urls] == [Standing.DEAD, Standing.DEAD]


def test_a_link_that_is_ignored_everywhere_is_not_broken(world):
    world.cite("b.md", "https://dead.example/", ignored=True)
    world.judge("https://dead.example/", LinkState.GONE, failures=2)
    assert world.reader.broken().urls == ()


def test_backlinks_of_a_url_know_what_else_is_known_of_it(cited):
    cited.begin("run-1", 0)
    cited.see("run-1", "https://dead.example/", 0, html("x"))
    found = cited.reader.backlinks("HTTPS://dead.example")
    assert found.is_url
    assert found.target == "https://dead.example/"
    assert found.node.state is LinkState.NOT_FOUND
    assert [link.document for link in found.citations] == ["a.md", "b.md"]
    assert len(found.mirrored_as) == 1
    assert published("backlinks", found)["node"]["standing"] == "dead"


def test_backlinks_of_a_url_that_nobody_cites_say_so(cited):
    found = cited.reader.backlinks("https://other.example/")
    assert (found.node, found.citations) == (None, ())
    assert published("backlinks", found)["node"] is None


@pytest.mark.parametrize(("target", "count"), [("dead.example", 2), ("*.example/*", 4), ("no.example", 0)])
def test_backlinks_of_hosts_and_patterns(cited, target, count):
    found = cited.reader.backlinks(target)
    assert len(found.citations) == count
    assert tuple(cited.reader.citing(target)) == found.citations
    assert set(published("backlinks", found)) == {"schema", "target", "backlinks"}


def test_links_of_a_document(cited):
    found = cited.reader.links("a.md")
    assert [link.node.state for link in found.links] == [LinkState.NOT_FOUND, LinkState.TIMEOUT, LinkState.OK]
    assert published("links", found)["links"][2]["fragment"] == "part"


def test_links_of_a_document_that_is_not_tracked_name_the_nearest(cited):
    with pytest.raises(UsageError) as raised:
        cited.reader.links("a.mdx")
    assert raised.value.hint == "did you mean a.md? `holdfast check` reads new ones"


def test_changed_counts_from_a_moment_and_from_a_drift(cited):
    cited.change("https://fine.example/", 1, 0.1, part=SectionVerdict.SAME)
    cited.change("https://fine.example/", 3, None)
    cited.change("https://not-cited.example/", 3, 0.9)
    everything = cited.reader.changed()
    assert [change.at for change in everything.changes] == [day(1), day(3)]
    assert everything.changes[0].sections == {"part": SectionVerdict.SAME}
    assert [c.at for c in cited.reader.changed(since=day(2)).changes] == [day(3)]
    assert [c.at for c in cited.reader.changed(min_drift=0.5).changes] == [day(3)]
    assert published("changed", everything)["changes"][0]["drift"]["amount"] == 0.1


def test_the_graph_and_the_counts(cited):
    graph = cited.reader.graph()
    assert (len(graph.documents), len(graph.urls)) == (2, 3)
    assert len(graph.relations) == 4
    published("graph", graph)
    counts = cited.reader.citation_counts()
    assert (counts.documents, counts.urls, counts.standings[Standing.DEAD]) == (2, 3, 1)


@pytest.fixture
def mirrored(world):
    world.begin("a" * 64, 0)
    world.see("a" * 64, PAGE, 0, html("First."))
    world.end("a" * 64, 0)
    world.begin("b" * 64, 2)
    world.see("b" * 64, PAGE, 2, html("Second."))
    world.see("b" * 64, "https://example.com/other", 2.1, html("Other."))
    world.see("b" * 64, "https://example.com/lost", 2.2, b"lost", status=500)
    world.end("b" * 64, 3)
    return world


def test_the_history_of_a_page_has_captures_and_versions(mirrored):
    found = mirrored.reader.ask(history, url="https://EXAMPLE.com/page?utm_source=x")
    assert found.url == PAGE
    assert [version.number for version in found.versions] == [1, 2]
    assert found.recipe == RECIPE
    log_of_page = mirrored.reader.ask(log, target=CommandTarget(TargetKind.PAGE, PAGE))
    assert [(event.kind, event.version) for event in log_of_page.changes] == [("changed", 2), ("new", 1)]
    assert [row["new"] for row in shown(log_of_page)["page"]["captures"]] == [True, True]


def test_the_history_of_what_was_never_seen_is_empty(mirrored):
    found = mirrored.reader.ask(history, url="https://example.com/never")
    assert (found.observations, found.versions, found.recipe) == ((), (), None)


def test_the_lineage_of_a_page_and_of_an_item(mirrored):
    found = mirrored.reader.ask(items, target=CommandTarget(TargetKind.PAGE, PAGE))
    assert len(found.items) == 2
    new = found.items[-1]
    assert new.relations.outgoing[0].target == found.items[0].item.item_id
    named = CommandTarget(TargetKind.ITEM, new.item.item_id[:16])
    assert mirrored.reader.ask(items, target=named).items == (new,)
    assert mirrored.reader.ask(log, target=named).items == (new,)


def test_a_page_as_it_was_at_a_moment(mirrored):
    assert "First." in mirrored.reader.ask(page_as_of, url=PAGE, at=up_to(day(1))).markdown
    assert "Second." in mirrored.reader.ask(page_as_of, url=PAGE).markdown


def test_a_page_that_died_is_shown_as_it_was_while_it_lived(mirrored):
    mirrored.see("b" * 64, PAGE, 4, b"<h1>404</h1>", status=404)
    assert "Second." in mirrored.reader.ask(page_as_of, url=PAGE).markdown


def test_a_page_of_which_no_copy_is_so_old_says_since_when_there_is_one(mirrored):
    with pytest.raises(NotKeptError) as raised:
        mirrored.reader.ask(page_as_of, url=PAGE, at=up_to(day(-1)))
    assert raised.value.hint == "the first one is of 2026-05-01"


def diff(world, kind, value, *sides):
    return world.reader.ask(
        diff_row.diff, target=CommandTarget(kind, value), **dict(zip(("old", "new"), sides, strict=False))
    )


def test_a_difference_knows_its_sections(mirrored):
    found = diff(mirrored, TargetKind.PAGE, PAGE, up_to(day(1)))
    (page,) = found.pages
    assert (page.old.number, page.new.number, page.added, page.removed) == (1, 2, 1, 1)
    (section,) = page.touched
    assert (section.headings, section.change, section.anchor) == (
        ("Page", "Limits"),
        SectionChange.CHANGED,
        "limits",
    )
    published("diff", StoreAnswers("diff", (StorePart(".", found),)))


def test_equal_sides_have_no_difference_and_what_was_not_yet_there_is_new(mirrored):
    (same,) = diff(mirrored, TargetKind.PAGE, PAGE, up_to(day(0)), up_to(day(1))).pages
    assert (same.hunks, same.change, same.old) == ((), None, same.new)
    (new,) = diff(mirrored, TargetKind.PAGE, PAGE, up_to(day(-1)), up_to(day(1))).pages
    assert (new.change, new.old, new.new.number) == (SectionChange.NEW, None, 1)
    for url, sides in ((PAGE, (up_to(day(-2)), up_to(day(-1)))), ("https://example.com/never", ())):
        with pytest.raises(NotKeptError) as raised:
            diff(mirrored, TargetKind.PAGE, url, *sides)
        assert raised.value.knows_it == (url == PAGE)


def test_what_a_run_found(mirrored):
    found = diff(mirrored, TargetKind.RUN, "b" * 64)
    assert [(page.change, page.url) for page in found.pages] == [
        (SectionChange.CHANGED, PAGE),
        (SectionChange.NEW, "https://example.com/other"),
    ]
    assert found.pages[0].hunks
    assert [capture.status for capture in found.failed] == [500]
    answer = published("diff", StoreAnswers("diff", (StorePart(".", found),)))
    assert [page["change"] for page in answer["parts"][0]["pages"]] == ["changed", "new"]


def test_a_run_that_is_not_there(mirrored):
    with pytest.raises(NotKeptError):
        diff(mirrored, TargetKind.RUN, "c" * 64)


def test_what_is_new_in_a_mirror_the_latest_first(mirrored):
    docs = CommandTarget(TargetKind.MIRROR, "docs")
    found = mirrored.reader.ask(log, target=docs)
    assert [event.at for event in found.changes] == [day(2.1), day(2), day(0)]
    assert len(mirrored.reader.ask(log, target=docs, since=Bound(BoundKind.FROM, day(1))).changes) == 2
    assert len(mirrored.reader.ask(log, target=docs, limit=1).changes) == 1
    assert mirrored.reader.ask(with_diff, event=found.changes[1]).page.hunks
    assert mirrored.reader.ask(log, target=docs, differences=True).changes[1].page.hunks
    assert len(shown(found)["changes"]) == 3


def test_a_run_that_nobody_goes_on_with_was_interrupted(mirrored):
    assert {record.status for record in mirrored.reader.ask(runs).runs} == {RunStatus.INTERRUPTED}
    mirrored.is_idle = False
    assert {record.status for record in mirrored.reader.ask(runs).runs} == {RunStatus.RUNNING}
    assert len(mirrored.reader.ask(runs, limit=1).runs) == 1


def test_mirrors_and_their_pages(mirrored):
    (known,) = mirrored.reader.ask(status).mirrors
    assert (known.mirror, known.pages, known.gone) == ("docs", 2, 0)
    pages = list(mirrored.reader.pages("docs"))
    assert [page.url for page in pages] == ["https://example.com/other", PAGE]
    published("pages", pages[0])


def test_a_mirror_that_is_not_there_names_those_that_are(mirrored):
    with pytest.raises(UsageError) as raised:
        list(mirrored.reader.pages("other"))
    assert raised.value.hint == "it knows 'docs'"
