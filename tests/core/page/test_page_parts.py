"""What an agent finds, it can read: every section of a page by the name that search and changes give it."""

from datetime import UTC, datetime

import pytest

from holdfast.core.base.errors import NotKeptError
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.ledger_values import capture_record
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Place, parse_url
from holdfast.core.web.capture import Capture
from holdfast.questions.log.kept_page import section_meant
from holdfast.questions.log.page_as_of import PageAsOf
from holdfast.questions.rows.question import StoreAnswers, StorePart
from holdfast.questions.show import ShownTarget, show

# ruff: noqa: E501 - markup reads best unbroken

pytestmark = pytest.mark.spec("WEB-2")

URL = parse_url("https://docs.example/guide/page.html")
RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
SPHINX = (
    '<h1>API</h1><p>All of it.</p><section id="context"><h2>Context</h2><dl class="py class">'
    '<dt class="sig" id="click.Context"><span class="sig-prename">click.</span><span class="sig-name">Context</span></dt>'
    '<dd><p>The state.</p><dl class="py method"><dt class="sig" id="click.Context.scope">'
    '<span class="sig-name">scope</span>(cleanup=True)</dt><dd><p>Promotes it.</p></dd></dl></dd></dl></section>'
    '<section id="types"><h2>Types</h2><p>Others.</p></section>'
)
ASCIIDOCTOR = (
    '<div id="header"><h1>git-stash(1) Manual Page</h1></div><div id="content"><h2 id="_synopsis">SYNOPSIS</h2>'
    "<p>git stash list</p></div>"
)
TWICE = "<h1>Tools</h1><h2>One</h2><h3>Options</h3><p>First.</p><h2>Two</h2><h3>Options</h3><p>Second.</p>"
MARKDOWN = "# Notes\n\nFirst.\n\n## Limits\n\nSecond.\n"


def page(body, kind="text/html"):
    capture = Capture(
        URL, URL, 200, (("content-type", kind),), body.encode(), datetime(2026, 1, 1, tzinfo=UTC)
    )
    return distill(capture, RECIPE, DistillOptions(outline=True))


def page_part(read, name, offset):
    """What an agent gets of a page for `URL#name`."""
    capture = Capture(URL, URL, 200, (("content-type", "text/html"),), b"x", datetime(2026, 1, 1, tzinfo=UTC))
    place = Place(str(URL), url_key(str(URL)), url_key(str(URL)))
    copy = PageAsOf(capture_record("a" * 64, capture, place, None), capture, read, section_meant(read, name))
    answer = StoreAnswers("show", (StorePart(".", ShownTarget(copy)),))
    return show.agents.answer(answer, offset=offset)


@pytest.mark.parametrize(
    "read",
    [page(SPHINX), page(ASCIIDOCTOR), page(TWICE), page(MARKDOWN, "text/markdown")],
    ids=["sphinx", "asciidoctor", "twice", "markdown"],
)
def test_every_section_is_read_by_the_name_it_is_found_by(read):
    assert len(read.structure.outline) > 1
    for section in read.structure.outline:
        part = page_part(read, section.anchor, 0)
        assert part["anchor"] == section.anchor
        assert part["section"] == section.path[-1]
        assert part["text"].strip()


def test_a_section_comes_with_what_is_below_it_and_nothing_else():
    api = page(SPHINX)
    assert "Promotes it." in page_part(api, "click.Context", 0)["text"]
    entry = page_part(api, "click.Context.scope", 0)["text"]
    assert "Promotes it." in entry
    assert "The state." not in entry
    assert "Others." not in page_part(api, "context", 0)["text"]
    assert "Second." in page_part(page(TWICE), "two/options", 0)["text"]


@pytest.mark.parametrize(
    ("body", "name", "anchor"),
    [
        (ASCIIDOCTOR, "git-stash(1) Manual Page", "header"),
        (ASCIIDOCTOR, "git-stash1-manual-page", "header"),
        (SPHINX, "Context", "context"),
        (TWICE, "options", "one/options"),
    ],
)
def test_a_heading_or_what_generators_make_of_it_names_a_section_too(body, name, anchor):
    assert page_part(page(body), name, 0)["anchor"] == anchor


def test_what_is_not_there_is_told_with_what_is():
    with pytest.raises(NotKeptError, match="no section 'nope'") as told:
        page_part(page(ASCIIDOCTOR), "nope", 0)
    assert told.value.hint == "it has: header, _synopsis"
    with pytest.raises(NotKeptError, match="no section 'nope'") as told:
        page_part(page("<p>All of it.</p>"), "nope", 0)
    assert told.value.hint == "it has none; leave out what stands behind #"


def test_the_outline_of_a_long_page_goes_as_deep_as_it_can_be_read():
    entries = "".join(f'<dt id="e{n}">entry{n}</dt><dd>{"word " * 40}</dd>' for n in range(200))
    long = page(
        f"<h1>All</h1><h2 id=a>Some</h2><p>{'word ' * 3000}</p><h2 id=b>Others</h2><dl>{entries}</dl>"
    )
    outline = page_part(long, "", 0)["outline"]
    assert [row["section"] for row in outline] == ["all", "a", "b"]
    assert page_part(long, "e199", 0)["section"] == "entry199"
