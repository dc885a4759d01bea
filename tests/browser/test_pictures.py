"""The pictures of the documentation: the main pages with content like a manual's, in a real browser.

They are taken at every run, which shows that the pages have what the pictures show; `TAKE_PICTURES=1`
writes them to docs/pictures.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import holdfast
from faces.web.conftest import at, document
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("WEB-1")
PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
LIGHT_ENOUGH = 160_000

USERS = """<p>A user is whoever may sign in. This page says how users are made, listed and deleted.</p>
<h2 id="create">Create a user</h2><p>Send a name and an address. The name has to be free; the address is
asked for its consent by mail before anything else is sent there.</p>
<pre><code class="language-python">client.users.create(name="ada", mail="ada@example.com")</code></pre>
<h2 id="list">List users</h2><p>Lists come a part at a time: a part returns at most {most} users,
the newest {order}. Give <code>after</code> the last name of a part to have the next one.</p>
<table><tr><th>parameter</th><th>means</th></tr><tr><td>after</td><td>the name to go on after</td></tr>
<tr><td>limit</td><td>how many, up to {most}</td></tr></table>
<h2 id="delete">Delete a user</h2><p>A user that is deleted is gone after {days} days; until then it can be
brought back by whoever made it.</p><h2 id="see">See also</h2>
<p><a href="/limits">Limits</a>, <a href="/errors">Errors</a></p>"""
LIMITS = """<p>Every client has the same limits.</p><h2 id="rate">Rate</h2><p>{rate} requests a minute. Who
asks for more is answered 429, with the seconds to wait.</p>
<h2 id="size">Size</h2><p>A request has up to 1 MB.</p>"""
ERRORS = "<p>An error says what is wrong and what to do.</p><h2>400</h2><p>The request is wrong.</p>"


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """A manual that changed twice, and notes that cite it."""
    root = tmp_path_factory.mktemp("manual")
    before = os.getcwd()  # noqa: PTH109 - what `holdfast.mirror` looks at
    os.chdir(root)
    try:
        with LivingSite() as site:
            for number, (most, order, days, rate) in enumerate(
                [(100, "last", 30, 60), (250, "last", 30, 60), (250, "first", 14, 90)]
            ):
                users = USERS.format(most=most, order=order, days=days)
                site.put("/users", body=document("Users API", users))
                site.put("/limits", body=document("Limits", LIMITS.format(rate=rate)))
                site.put("/errors", body=document("Errors", ERRORS))
                site.put("/", links=["/users", "/limits", "/errors"])
                holdfast.mirror(
                    site.origin + "/", output="manual", content_rate_limit=0, processes=1, update=number > 0
                )
            site.redirect("/old-users", "/users")
            (root / "notes").mkdir()
            cited = ("users#list", "limits", "old-users", "no-such-page", "errors")
            lines = "\n\n".join(f"[{name}]({site.origin}/{name})" for name in cited)
            (root / "notes" / "a.md").write_text(f"# Notes\n\n{lines}\n")
            os.chdir(root / "notes")
            for _ in range(2):
                holdfast.check(
                    "a.md", fetch_urls=True, allow_private=True, content_rate_limit=0, force_refetch=True
                )
            os.chdir(root)
            words = [sys.executable, "-m", "holdfast", "serve", "manual", "notes", "--port", "0"]
            process = subprocess.Popen(words, cwd=root, stdout=subprocess.PIPE, text=True)
            try:
                here = process.stdout.readline().strip().rstrip("/")
                yield SimpleNamespace(here=here, origin=site.origin, users=f"{site.origin}/users")
            finally:
                process.terminate()
                process.wait(30)
                process.stdout.close()
    finally:
        os.chdir(before)


def test_the_main_pages_have_what_their_pictures_show(manual, tmp_path, chromium):
    shown = {
        "serve-home": ("/", "Since yesterday"),
        "serve-page": (at("s", "manual", "page", url=manual.users), "compare"),
        "serve-diff": (at("s", "manual", "diff", url=manual.users, a=1, b=3), "unchanged"),
        "serve-links": ("/s/notes/links?sort=-url", "failing since"),
        "serve-search": ("/s/manual/search?q=users", "the best first"),
    }
    folder = PICTURES if os.environ.get("TAKE_PICTURES") else tmp_path
    context = chromium(viewport={"width": 1180, "height": 700})
    try:
        tab = context.pages[0]
        for name, (address, words) in shown.items():
            tab.goto(manual.here + address)
            assert words in tab.locator("body").inner_text(), name
            picture = folder / f"{name}.png"
            tab.screenshot(path=picture)
            assert picture.stat().st_size < LIGHT_ENOUGH, name
        for scheme, width in (("dark", 1180), ("light", 360), ("dark", 360)):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 740})
            for name, (address, _) in shown.items():
                tab.goto(manual.here + address)
                assert tab.evaluate("document.documentElement.scrollWidth") <= width, name
                tab.screenshot(path=tmp_path / f"{name}-{scheme}-{width}.png")
    finally:
        context.close()
