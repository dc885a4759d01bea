"""`holdfast url probe`: what a person sees when a page surprises them."""

import asyncio
import re
import threading

import pytest

from helpers.faults.server import FaultServer, response
from helpers.trusting import trust
from holdfast.core.url.url import Refused
from holdfast.core.web.capture import Fetched
from holdfast.faces.library import fetch

PAGE = (response(b"<p>hello</p>", "200 OK", "Content-Type: text/html; charset=utf-8", 'ETag: "1"'),)
SITE = {
    "/robots.txt": (response(b"User-agent: *\nDisallow: /private"),),
    "/page": PAGE,
    "/old": (response(b"", "301 Moved", "Location: /page?token=hush"),),
    "/away": (response(b"", "302 Found", "Location: http://10.0.0.1/"),),
    "/busy": (response(b"", "429 Too Many Requests", "Retry-After: 3600"),),
    "/guarded": (response(b"", "401 Unauthorized"),),
}


@pytest.fixture(scope="module")
def server():
    """A site in a thread of its own, since the command runs its own loop."""
    site = FaultServer(dict(SITE))
    ready, over = threading.Event(), asyncio.Event()
    loops = []

    async def serve():
        async with site:
            loops.append(asyncio.get_running_loop())
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(5)
    yield site
    loops[0].call_soon_threadsafe(over.set)
    thread.join(5)


@pytest.fixture
def ask(holdfast, server):
    def run(path, *words):
        return holdfast("url", "probe", f"{server.base}{path}", "--content-rate-limit", "0", *words)

    return run


@pytest.mark.spec("STA-2", "STA-3")
def test_json_is_one_document_with_hops_rule_headers_size_and_outcome(ask, server):
    ran = ask("/old", "--json")
    assert ran.status == 0
    assert ran.err == ""
    document = ran.json
    assert document["schema"] == "holdfast.url-probe/1"
    assert document["outcome"] == "fetched"
    assert document["robots_rule"] == "allowed by robots.txt"
    assert document["hops"] == [
        {"url": f"{server.base}/old", "status": 301, "location": f"{server.base}/page?token=[redacted]"}
    ]
    assert document["requests"] == 2
    assert document["address"] == "127.0.0.1"
    assert document["response"]["bytes"] == 12
    assert ["ETag", '"1"'] in document["response"]["headers"]


def test_for_a_person_it_is_lines_in_the_order_in_which_things_happened(ask):
    ran = ask("/old")
    words = [line.split()[0] for line in ran.lines]
    assert words[:3] == ["url", "robots", "hop"]
    assert words[-2:] == ["body", "outcome"]
    assert ran.lines[-1] == "outcome   fetched"


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/nowhere", "outcome   gone"),
        ("/private/x", "outcome   refused (robots): Disallow: /private"),
        ("/away", "outcome   refused (address): 10.0.0.1 is private"),
        ("/guarded", "outcome   failed (status): status 401"),
    ],
)
def test_what_could_not_be_fetched_is_a_finding(ask, path, last):
    ran = ask(path)
    assert ran.status == 1
    assert ran.lines[-1].startswith(last)


@pytest.mark.spec("MIR-4")
def test_a_host_that_asks_for_an_hour_is_not_waited_for(ask):
    ran = ask("/busy", "--json")
    assert ran.status == 1
    assert ran.json["outcome"] == "deferred"
    assert ran.json["until"]


@pytest.mark.spec("MIR-3")
def test_waits_are_shown(holdfast, server):
    ran = holdfast("url", "probe", f"{server.base}/page", "--content-rate-limit", "3")
    assert re.search(r"^waited +0\.\d+ s \(delay\)$", ran.out, re.MULTILINE)


def test_a_conditional_request_for_what_is_known_is_a_success(ask, server):
    server.scripts["/same"] = (b'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n',)
    ran = ask("/same", "--etag", '"1"', "--json")
    assert ran.status == 0
    assert ran.json["outcome"] == "not_modified"


@pytest.mark.spec("SEC-3")
def test_credentials_from_the_url_and_the_settings_file_are_sent_and_never_shown(
    holdfast, server, tmp_path, monkeypatch
):
    monkeypatch.setenv("SITE_KEY", "hush-key")
    table = f'[origin."{server.base}"]\nheaders_env = {{ "X-Key" = "SITE_KEY" }}\n'
    (tmp_path / "holdfast.toml").write_text(table)
    trust(tmp_path)
    secret = server.base.replace("http://", "http://ann:hush-pw@")
    for words in ((), ("--json",)):
        ran = holdfast("url", "probe", f"{secret}/page", "--content-rate-limit", "0", *words)
        assert ran.status == 0
        assert "hush" not in ran.out + ran.err
    head = server.heads[-1]
    assert "X-Key: hush-key" in head
    assert "Authorization: Basic YW5uOmh1c2gtcHc=" in head


@pytest.mark.spec("STA-2")
def test_a_variable_that_is_not_set_is_a_usage_error_that_names_it(holdfast, server, tmp_path):
    (tmp_path / "holdfast.toml").write_text('[origin."https://example.com"]\nbearer_env = "NOT_THERE"\n')
    trust(tmp_path)
    ran = holdfast("url", "probe", f"{server.base}/page")
    assert ran.status == 2
    assert "NOT_THERE is not set" in ran.err
    assert "hint: export NOT_THERE" in ran.err


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize("text", ["example.com", "ftp://example.com/", "http://u:hush@[::1"])
def test_what_is_no_url_is_a_usage_error_that_repeats_no_secret(holdfast, text):
    ran = holdfast("url", "probe", text)
    assert ran.status == 2
    assert "not a URL that can be asked for" in ran.err
    assert "hush" not in ran.err


@pytest.mark.spec("STA-2")
def test_a_setting_that_makes_no_sense_is_a_usage_error(holdfast, server):
    assert holdfast("url", "probe", f"{server.base}/page", "--timeout", "-1").status == 2
    assert holdfast("url", "probe", f"{server.base}/page", "--proxy", "nonsense").status == 2
    assert holdfast("url", "probe", f"{server.base}/page", "--ca-file", "missing.pem").status == 2
    assert holdfast("url", "probe", f"{server.base}/page", "--contact", "a\nb").status == 2


def test_a_host_that_is_not_there_is_told_in_plain_words(holdfast):
    ran = holdfast("url", "probe", "http://127.0.0.1:1/", "--no-robots")
    assert ran.status == 1
    assert ran.lines[-1] == "outcome   failed (connect): Connection refused"


def test_the_library_does_what_the_command_does(server):
    outcome = fetch(f"{server.base}/old", content_rate_limit=0)
    assert isinstance(outcome, Fetched)
    assert outcome.capture.body == b"<p>hello</p>"
    assert isinstance(fetch("no url"), Refused)
