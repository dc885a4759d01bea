"""Two looks in a run, light looks, reasons, and refusals of our own, against a real server."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helpers.faults.server import response
from helpers.served import serving
from holdfast.core.links import link_state

FAST = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--timeout", "1.5")
GONE = (response(b"", "404 Not Found"),)
PAGE = "<html><head><title>{}</title></head><body><main><h1 id=here>T</h1><p>{}</p></main></body></html>"
LOGIN = (
    "<html><head><title>Sign in</title></head><body><h1>Sign in</h1><form>Log in with your name"
    "<input name=u><input type=password name=p></form></body></html>"
)


def page(text, title="Title"):
    return (response(PAGE.format(title, text).encode(), "200 OK", "Content-Type: text/html"),)


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """Second looks come at once: how long they wait is asked of the pure function elsewhere."""
    for name in ("SOON", "RECOVERED"):
        monkeypatch.setattr(link_state, name, link_state.SOON * 0)


def cite(folder, *urls):
    (folder / "a.md").write_text("".join(f"- [x]({url})\n" for url in urls))


def states(ran):
    return {url["url"].rpartition("/")[2]: (url["state"], url["standing"]) for url in ran.json["urls"]}


@pytest.mark.spec("TRK-13")
def test_confirm_fails_a_new_404_in_its_first_run_and_nothing_else(holdfast, tmp_path):
    scripts = {"/gone": GONE, "/ok": page("hello"), "/busy": (response(b"", "500 Oh"),)}
    with serving(scripts) as server:
        cite(tmp_path, f"{server.base}/gone", f"{server.base}/ok", f"{server.base}/busy")
        ran = holdfast("check", *FAST, "--confirm", "--json")
        asked = dict(server.requests)
    assert ran.status == 1
    assert states(ran) == {
        "gone": ("not_found", "dead"),
        "ok": ("ok", "alive"),
        "busy": ("server_error", "suspect"),
    }
    assert asked == {"/gone": 2, "/ok": 1, "/busy": 2}


@pytest.mark.spec("TRK-13")
def test_confirm_clears_what_answers_at_the_second_look(holdfast, tmp_path):
    with serving({"/shy": [GONE, page("hello")]}) as server:
        cite(tmp_path, f"{server.base}/shy")
        ran = holdfast("check", *FAST, "--confirm", "--json")
    assert ran.status == 0
    assert states(ran) == {"shy": ("ok", "alive")}


@pytest.mark.spec("TRK-13")
def test_a_light_check_keeps_states_and_sections_and_no_copies(holdfast, tmp_path):
    scripts = {"/ok": page("hello"), "/gone": GONE, "/moved": (response(b"", "301 M", "Location: /ok"),)}
    with serving(scripts) as server:
        cite(tmp_path, *(f"{server.base}/{name}" for name in ("ok#here", "ok#nope", "gone", "moved")))
        ran = holdfast("check", *FAST, "--light", "--format", "json")
        known = holdfast("check", "--offline", "--json").json["urls"]
        shown = holdfast("show", f"{server.base}/ok")
        whole = holdfast("check", *FAST, "--json")
    report = ran.json
    assert {"HF011", "HF012", "HF008"} <= set(report["rules_off"])
    assert "HF010" in {finding["code"] for finding in report["findings"]}
    by_name = {url["url"].rpartition("/")[2]: url for url in known}
    assert {name: url["state"] for name, url in by_name.items()} == {
        "ok": "ok", "gone": "not_found", "moved": "moved_permanent",
    }  # fmt: skip
    assert all(url["content_hash"] is None for url in known)
    assert shown.status != 0
    read = {url["url"].rpartition("/")[2] for url in whole.json["urls"] if url["content_hash"]}
    assert read == {"ok", "moved"}


@pytest.mark.spec("TRK-13")
def test_a_light_check_leaves_what_is_known_of_content_alone(holdfast, tmp_path):
    scripts = {"/ok": page("first words")}
    with serving(scripts) as server:
        cite(tmp_path, f"{server.base}/ok")
        before = holdfast("check", *FAST, "--json").json["urls"][0]
        scripts["/ok"] = page("other words entirely")
        light = holdfast("check", *FAST, "--light", "--force-refetch", "--json").json["urls"][0]
        after = holdfast("check", *FAST, "--eager", "--json").json
    assert light["content_hash"] == before["content_hash"]
    assert light["state"] == "ok"
    assert after["urls"][0]["content_hash"] != before["content_hash"]
    assert len(after["changed"]) == 1


@pytest.mark.spec("TRK-14")
def test_a_refusal_of_our_own_is_not_remembered_as_an_answer(holdfast, tmp_path):
    with serving({"/ok": page("hello")}) as server:
        cite(tmp_path, f"{server.base}/ok")
        first = holdfast("check", "--fetch-urls")
        second = holdfast("check", *FAST, "--json")
        third = holdfast("check", "--fetch-urls", "--force-refetch", "--json")
    assert "127.0.0.1 is loopback; --allow-private asks it" in first.out
    assert "a.md:1:7: note: HF033" in first.out
    assert states(second) == {"ok": ("ok", "alive")}
    assert states(third) == {"ok": ("ok", "alive")}  # what was known stays


@pytest.mark.spec("TRK-14")
def test_pages_that_are_not_what_was_cited_have_rules_and_places(holdfast, tmp_path):
    scripts = {
        "/soft": page("Sorry, the page you asked for was not found.", "404 Page not found"),
        "/login": (response(LOGIN.encode(), "200 OK", "Content-Type: text/html"),),
    }
    with serving(scripts) as server:
        cite(tmp_path, f"{server.base}/soft", f"{server.base}/login")
        ran = holdfast("check", *FAST)
        fails = holdfast("check", "--offline", "--fail-on", "HF008")
    assert "a.md:1:7: warning: HF008" in ran.out
    assert "a.md:2:7: note: HF037" in ran.out
    assert fails.status == 1


@pytest.mark.spec("TRK-14")
def test_reports_say_what_happened(holdfast, tmp_path):
    scripts = {
        "/loop": (response(b"", "302 Found", "Location: /loop"),),
        "/nowhere": (response(b"", "301 Moved"),),
        "/forbidden": (response(b"", "403 Forbidden"),),
        "/gzip": (response(b"junk", "200 OK", "Content-Encoding: gzip"),),
    }
    with serving(scripts) as server:
        cite(tmp_path, *(f"{server.base}{path}" for path in scripts))
        ran = holdfast("check", *FAST)
    loop, nowhere, gzip = (line for line in ran.out.splitlines() if "warning" in line)
    assert "redirect loop: back at" in loop
    assert "leads nowhere" in nowhere
    assert "could not be decompressed" in gzip
    assert "403 to programs" in ran.out


@pytest.mark.spec("TRK-12")
def test_a_host_that_is_left_for_later_changes_nothing_that_was_known(holdfast, tmp_path):
    busy = (response(b"", "429 Too Many Requests", "Retry-After: 3600"),)
    scripts = {f"/{n}": page("hello") for n in range(6)}
    with serving(scripts) as server:
        cite(tmp_path, *(f"{server.base}/{n}" for n in range(6)))
        holdfast("check", *FAST)
        scripts.update(dict.fromkeys(scripts, busy))
        ran = holdfast("check", *FAST, "--force-refetch", "--per-host", "1", "--json")
        asked = server.requests.total()
    counted = [state for state, _ in states(ran).values()]
    assert counted.count("ok") == 5
    assert counted.count("rate_limited") == 1
    assert asked == 7


@pytest.mark.spec("TRK-6")
def test_an_accepted_status_is_alive_and_keeps_no_copy(holdfast, tmp_path):
    with serving({"/wall": (response(b"no", "403 Forbidden"),)}) as server:
        cite(tmp_path, f"{server.base}/wall")
        ran = holdfast("check", *FAST, "--accept", "403", "--json")
        assert holdfast("check", *FAST, "--accept", "never").status == 2
    assert states(ran) == {"wall": ("ok", "alive")}
    assert ran.json["urls"][0]["content_hash"] is None
    assert ran.json["urls"][0]["evidence"]["rule"] == "accepted-status"


@pytest.mark.spec("TRK-4")
def test_a_remapped_url_is_asked_elsewhere_and_stays_what_it_is(holdfast, tmp_path):
    with serving({"/guide": page("hello")}) as server:
        cite(tmp_path, "https://docs.holdfast.test/guide")
        rule = f"https://docs.holdfast.test {server.base}"
        ran = holdfast("check", *FAST, "--include-reserved", "--remap", rule, "--json")
        assert server.requests == {"/guide": 1}
    (url,) = ran.json["urls"]
    assert (url["url"], url["state"]) == ("https://docs.holdfast.test/guide", "ok")


@pytest.mark.spec("TRK-4")
def test_what_lychee_knew_is_taken_as_a_light_look(holdfast, tmp_path):
    now = int(datetime.now(UTC).timestamp())
    with serving({name: page("hello") for name in ("/known", "/aged", "/failed", "/new")}) as server:
        cite(tmp_path, *(f"{server.base}/{name}" for name in ("known", "aged", "failed", "new")))
        rows = [
            ("known", 200, now),
            ("aged", 200, now - 9 * 86_400),
            ("failed", 404, now),
            ("gone", 200, now),
        ]
        lines = [f"{server.base}/{name},{status},{at}" for name, status, at in rows]
        (tmp_path / "cache").write_text("\n".join([*lines, "https://x.example/,Excluded,1"]))
        holdfast("check", *FAST, "--light", "--lychee-cache", "cache")
        asked = dict(server.requests)
        ran = holdfast("check", *FAST, "--json")
    assert asked == {"/aged": 1, "/failed": 1, "/new": 1}
    assert {state for state, _ in states(ran).values()} == {"ok"}
    assert all(url["content_hash"] for url in ran.json["urls"])
