"""What a person sees in a real browser: every page, by keyboard alone, narrow, dark, without JavaScript."""

from __future__ import annotations

import json
import urllib.request

import pytest

from browser.conftest import follow
from faces.web.conftest import at

pytestmark = pytest.mark.spec("WEB-1")


def pages(server, kept):
    with urllib.request.urlopen(f"{server}/s/mirror/runs.json", timeout=30) as answer:
        run = json.load(answer)["parts"][0]["runs"][0]["run_id"]
    return {
        "home": "/",
        "help": "/help",
        "pages": "/s/mirror/pages",
        "page": at("s", "mirror", "page", url=kept.page),
        "old page": at("s", "mirror", "page", url=kept.page, version=1),
        "hostile page": at("s", "mirror", "page", url=f"{kept.origin}/hostile"),
        "diff": at("s", "mirror", "diff", url=kept.page),
        "history": at("s", "mirror", "history", url=kept.page),
        "search": "/s/mirror/search?q=items",
        "runs": "/s/mirror/runs",
        "run": f"/s/mirror/runs/{run}",
        "read": f"/s/mirror/runs/{run}/read",
        "changes": "/s/mirror/changes",
        "links": "/s/notes/links",
        "link": at("s", "notes", "link", url=f"{kept.origin}/nowhere"),
        "documents": "/s/notes/documents",
        "document": at("s", "notes", "document", path="notes.md"),
        "graph": at("s", "notes", "graph", node="notes.md"),
        "not found": "/nothing",
    }


@pytest.fixture
def tab(chromium):
    context = chromium()
    yield context.pages[0]
    context.close()


def test_every_page_is_without_serious_faults_for_those_who_cannot_see(tab, server, kept, axe):
    found = {}
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        for name, address in pages(server, kept).items():
            tab.goto(server + address)
            tab.evaluate(axe)
            result = tab.evaluate("axe.run({resultTypes: ['violations'], iframes: false})")
            serious = [
                (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
                for one in result["violations"]
                if one["impact"] in ("serious", "critical")
            ]
            if serious:
                found[f"{name}, {scheme}"] = serious
    assert found == {}


def test_no_page_is_wider_than_a_small_screen(tab, server, kept):
    tab.set_viewport_size({"width": 360, "height": 740})
    for name, address in pages(server, kept).items():
        tab.goto(server + address)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360, name


def test_dark_is_dark_and_light_is_light(tab, server):
    shades = {}
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto(server + "/")
        shades[scheme] = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert shades == {"light": "rgb(253, 252, 249)", "dark": "rgb(23, 24, 26)"}


def test_no_page_asks_for_anything_from_elsewhere_or_breaks_its_own_policy(tab, server, kept):
    asked, complaints = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on("dialog", lambda dialog: complaints.append(dialog.message))
    for name, address in pages(server, kept).items():
        if name != "not found":
            tab.goto(server + address)
    assert [url for url in asked if not url.startswith(server + "/")] == []
    assert complaints == []


@pytest.mark.spec("SEC-5")
def test_a_hostile_page_changes_nothing_around_it_and_runs_nothing(tab, server, kept):
    said = []
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(server + at("s", "mirror", "page", url=f"{kept.origin}/hostile"))
    tab.locator("summary", has_text="the response as it came").click()
    tab.wait_for_load_state("networkidle")
    frame = tab.frames[1]
    assert "handler" in frame.locator("body").inner_text()
    assert frame.evaluate("document.title") != "owned"
    assert "Hostile" in tab.title()
    assert tab.locator("header.top").is_visible()
    assert said == []


def test_the_morning_is_read_with_the_keyboard_alone(tab, server, kept):
    tab.goto(server + "/")
    tab.keyboard.press("n")
    tab.wait_for_url("**/read")
    assert tab.locator("ins").first.inner_text() == "250"
    tab.keyboard.press("n")
    tab.wait_for_url("**/runs/*")
    tab.keyboard.press("j")
    assert tab.evaluate("document.activeElement.closest('.item') !== null")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/diff?*")
    tab.keyboard.press("?")
    tab.wait_for_url("**/help")


def test_focus_is_seen(tab, server):
    tab.goto(server + "/")
    for _ in range(3):
        tab.keyboard.press("Tab")
        style = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style != "none"


def test_everything_works_without_javascript(chromium, server, kept):
    context = chromium(java_script_enabled=False)
    try:
        tab = context.pages[0]
        tab.goto(server + "/")
        follow(tab, "text=read what changed")
        assert tab.locator("ins").first.inner_text() == "250"
        tab.goto(server + at("s", "mirror", "page", url=kept.page))
        follow(tab, ".time a >> nth=0")
        assert "at most 100" in tab.locator("article").inner_text()
        follow(tab, "text=what changed since")
        assert tab.locator("del").first.inner_text() == "100"
        tab.fill(".as-of input[type=date]", "2020-05-04")
        follow(tab, ".as-of button")
        assert "As of 4 May 2020" in tab.locator("main").inner_text()
        tab.goto(server + "/s/notes/links")
        follow(tab, "text=/suspect 1/")
        assert tab.locator("tbody .item").count() == 1
    finally:
        context.close()
