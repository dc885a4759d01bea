"""What a person does in a real browser: start a run, follow it, stop it, ignore a link, search as one types;
and what a page of another site cannot.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from browser.conftest import follow
from faces.web.conftest import at

pytestmark = pytest.mark.spec("WEB-1")


@pytest.fixture
def tab(chromium):
    context = chromium()
    yield context.pages[0]
    context.close()


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without"])
def opened(request, chromium, acting):
    """A tab that has the token, with and without JavaScript."""
    context = chromium(java_script_enabled=request.param)
    tab = context.pages[0]
    tab.goto(acting)
    tab.here = "{0.scheme}://{0.netloc}".format(urlsplit(acting))
    yield tab
    context.close()


def test_an_update_is_started_and_followed_to_its_end(opened, kept):
    opened.goto(f"{opened.here}/s/mirror/actions")
    opened.click("button:has-text('Update the mirror mirror')")
    opened.wait_for_url("**/actions/*")
    opened.locator("#run-state", has_text="finished").wait_for(timeout=60_000)
    assert "page" in opened.locator("#run-lines").inner_text()
    opened.click("text=see what it found")
    opened.wait_for_url("**/runs")


def test_a_link_is_ignored_with_a_reason(opened, kept):
    ignores = kept.root / "notes" / ".holdfastignore"
    opened.goto(opened.here + at("s", "notes", "link", url=f"{kept.origin}/nowhere"))
    opened.fill("input[name=reason]", "it was never there")
    opened.click("button:has-text('ignore this link')")
    opened.locator("main", has_text="it was never there").wait_for()
    assert ignores.read_text() == f"{kept.origin}/nowhere it was never there\n"
    ignores.unlink()


def test_the_pages_of_actions_are_for_everybody(tab, acting, axe):
    tab.goto(acting)
    here = "{0.scheme}://{0.netloc}".format(urlsplit(acting))
    tab.set_viewport_size({"width": 360, "height": 740})
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        tab.goto(f"{here}/s/notes/actions")
        tab.evaluate(axe)
        found = tab.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.goto(f"{here}/s/notes/actions")
    tab.keyboard.press("j")
    assert tab.evaluate("document.activeElement.closest('.item') !== null")


ATTACK = """<!doctype html><title>Attack</title><body><iframe name="frame"></iframe>
<form id="plain" method="post" action="{there}/s/mirror/actions/start" target="frame">
<input name="run" value="mirror"><input name="secret" value="{guess}"></form>
<form id="text" method="post" enctype="text/plain" action="{there}/s/notes/ignore" target="frame">
<input name="url" value="{there}"><input name="reason" value="x"></form>
<img src="{there}/s/mirror/actions" onload="document.title = 'seen'">
<script>
document.getElementById("plain").submit();
document.getElementById("text").submit();
const body = new URLSearchParams({{run: "mirror", secret: "{guess}"}});
const ways = [
  () => fetch("{there}/s/mirror/actions/start", {{method: "POST", body, credentials: "include"}}),
  () => fetch("{there}/s/mirror/actions/start", {{method: "POST", body, mode: "no-cors"}}),
  () => fetch("{there}/s/mirror/actions", {{credentials: "include"}}).then(answer => answer.text()),
  () => new Promise((done, fail) => {{
    const source = new EventSource("{there}/s/mirror/actions/1/events", {{withCredentials: true}});
    source.onmessage = () => done("heard"); source.onerror = () => fail(new Error("refused"));
  }}),
];
const told = answer => answer && answer.type || "read";
window.results = Promise.all(ways.map(way => way().then(told, () => "refused")));
</script>"""


@pytest.mark.spec("SEC-5")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_site_starts_nothing_and_sees_nothing(tab, acting, kept, host):
    tab.goto(acting)
    there = "{0.scheme}://{0.netloc}".format(urlsplit(acting))

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(ATTACK.format(there=there, guess="0" * 64).encode())

        def log_message(self, *_):
            pass

    def started():
        return tab.evaluate("fetch('/s/mirror/actions.json').then(answer => answer.json())")["started"]

    before = len(started())
    evil = ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    try:
        tab.goto(f"http://{host}:{evil.server_port}/")
        results = tab.evaluate("window.results")
        tab.wait_for_timeout(300)
        assert set(results) <= {"refused", "opaque"}
        assert tab.title() == "Attack"
    finally:
        evil.shutdown()
        evil.server_close()
    tab.goto(there)
    assert len(started()) == before
    assert not (kept.root / "notes" / ".holdfastignore").exists()


def complaints_of(tab):
    """What the page says is wrong. Questions that newer words replaced are not: htmx calls that an error."""
    found = []

    def note(message):
        if message.type == "error" and not message.text.startswith(("htmx:sendAbort", "htmx:afterRequest")):
            found.append(message.text)

    tab.on("console", note)
    tab.on("pageerror", lambda error: found.append(str(error)))
    return found


def test_newer_words_replace_a_question_that_is_not_answered_yet(tab, server, kept):
    complaints, held = complaints_of(tab), []
    tab.goto(f"{server}/s/mirror/search")
    tab.locator("#words:focus").wait_for()
    tab.route("**/search?q=zzzz*", lambda route: held.append(route))  # noqa: PLW0108 - it is wrapped
    with tab.expect_request("**/search?q=zzzz*") as asked:
        tab.keyboard.type("zzzz")
    with tab.expect_event("requestfailed", lambda request: request == asked.value):
        tab.fill("#words", "returns")
    tab.locator("#found[data-words=returns] .item").first.wait_for()
    assert held
    assert complaints == []


def test_search_finds_as_one_types_and_enter_opens_the_first(tab, server, kept):
    complaints = complaints_of(tab)
    tab.goto(f"{server}/s/mirror/search")
    tab.locator("#words:focus").wait_for()
    tab.keyboard.type("returns")
    tab.locator("#found .item").first.wait_for()
    tab.wait_for_url("**/search?q=returns*")
    assert tab.evaluate("document.activeElement.id") == "words"
    for _ in "returns":
        tab.keyboard.press("Backspace")
    tab.keyboard.type("zzzz")
    tab.locator("#found", has_text="Nothing says all").wait_for()
    for _ in "zzzz":
        tab.keyboard.press("Backspace")
    tab.keyboard.type("returns")
    tab.locator("#found[data-words=returns] .item").first.wait_for()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/page?*")
    assert complaints == []


def test_search_by_kind_and_date_is_an_address(chromium, server):
    context = chromium(java_script_enabled=False)
    try:
        tab = context.pages[0]
        tab.goto(f"{server}/s/mirror/search")
        tab.fill("#words", "items")
        tab.select_option("select[name=kind]", "prose")
        tab.fill("input[name=at]", "2099-01-01")
        follow(tab, "main button")
        assert "kind=prose" in tab.url
        assert tab.locator("#found .item").count() == 1
        tab.goto(tab.url.replace("2099", "2001"))
        assert tab.locator("#found .item").count() == 0
    finally:
        context.close()


def test_links_are_sorted_by_their_heads_with_the_keyboard(tab, server):
    tab.goto(f"{server}/s/notes/links")
    tab.locator("th a", has_text="URL").focus()
    tab.keyboard.press("Enter")
    tab.wait_for_url("**sort=-url*")
    assert tab.locator("th[aria-sort=descending]").inner_text().startswith("URL")
