"""Tabs keep their labels, each before what it shows, whoever built them."""

from datetime import UTC, datetime

import pytest

from holdfast.core.page.distill_options import distill
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

pytestmark = pytest.mark.spec("TXT-1")

URL = parse_url("https://docs.example/page")
RECIPE = Recipe.parse("http_snapshot_url_v1_text_v1")
TABS = {
    "Docusaurus": '<div class=tabs-container><ul role=tablist><li role=tab>A<li role=tab>B</ul><div>'
    '<div role=tabpanel><p>one</p></div><div role=tabpanel hidden><p>two</p></div></div></div>',
    "Starlight": '<starlight-tabs><div class=tablist-wrapper><ul role=tablist><li role=presentation>'
    '<a role=tab href="#p0">A</a><li role=presentation><a role=tab href="#p1">B</a></ul></div>'
    '<div role=tabpanel id=p0><p>one</p></div><div role=tabpanel id=p1 hidden><p>two</p></div>'
    "</starlight-tabs>",
    "VitePress": '<div class="vp-code-group"><div class=tabs><input type=radio checked><label>A</label>'
    "<input type=radio><label>B</label></div><div class=blocks><div class=active>one</div><div>two</div>"
    "</div></div>",
    "sphinx-tabs": '<div class="sphinx-tabs docutils"><div role=tablist><button role=tab>A</button>'
    '<button role=tab>B</button></div><div class=sphinx-tabs-panel role=tabpanel><p>one</p></div>'
    '<div class=sphinx-tabs-panel role=tabpanel hidden=true><p>two</p></div></div>',
    "sphinx-design": '<div class="sd-tab-set docutils"><input type=radio><label class=sd-tab-label>A</label>'
    '<div class=sd-tab-content><p>one</p></div><input type=radio><label class=sd-tab-label>B</label>'
    '<div class=sd-tab-content><p>two</p></div></div>',
    "Material for MkDocs": '<div class="tabbed-set tabbed-alternate"><input type=radio><input type=radio>'
    '<div class=tabbed-labels><label>A</label><label>B</label></div><div class=tabbed-content>'
    '<div class=tabbed-block><p>one</p></div><div class=tabbed-block><p>two</p></div></div></div>',
}  # fmt: skip


@pytest.mark.parametrize("tabs", TABS.values(), ids=TABS)
def test_each_label_stands_before_its_panel(tabs):
    body = f"<main><h1>T</h1>{tabs}</main>".encode()
    page = distill(
        Capture(URL, URL, 200, (("Content-Type", "text/html"),), body, datetime(2026, 1, 1, tzinfo=UTC)),
        RECIPE,
    )

    assert page.markdown == "# T\n\n**A**\n\none\n\n**B**\n\ntwo\n"
