"""A glance at a page says what the whole page says, without its looks."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

URL = parse_url("https://e.org/page")
PIECES = (
    "<main> </main> <article> <nav> </nav> <p> <h1> </h1> </a> words <title>T</title> <script>x</script>"
    " <pre> &amp; é"
).split()
PIECES += ["404 not found ", "<p id=a>", "<h1 id='b'>", "<a name=c href=x>", "<table><td>", "<!-- c -->", " "]


@pytest.mark.spec("TRK-7", "TXT-2")
@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=15).map("".join), st.sampled_from(["text_v1", "body_v1"]))
def test_hash_title_anchors_and_warnings_are_those_of_the_page(html, content):
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    capture = Capture(URL, URL, 200, headers, html.encode(), datetime(2026, 1, 1, tzinfo=UTC))
    recipe = Recipe.parse(f"http_snapshot_url_v1_{content}")
    page, glance = distill(capture, recipe), distill(capture, recipe, DistillOptions(glance=True))
    assert (glance.content_sha256, glance.title, glance.text) == (page.content_sha256, page.title, page.text)
    assert (glance.structure.anchors, glance.warnings) == (page.structure.anchors, page.warnings)
    assert (glance.markdown, glance.links) == ("", ())
    linked = distill(capture, recipe, DistillOptions(glance=True, links=True))
    bare = replace(page, markdown="", head=page.head._replace(generator=None))
    assert linked == replace(bare, structure=page.structure._replace(headings=()))
