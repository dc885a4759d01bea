"""Who may ask, what an answer carries, and that a page of the outside can do nothing (SEC-5)."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from faces.web.conftest import at
from holdfast.faces.web.app import make_app
from holdfast.faces.web.guard import Access

pytestmark = pytest.mark.spec("SEC-5")
TOKEN = "a-token-of-some-length"


@pytest.mark.parametrize("host", ["127.0.0.1:8470", "localhost:8470", "[::1]:8470", "LOCALHOST"])
def test_this_machine_may_ask(client, host):
    assert client.get("/help", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "a b", "[::1"],
)
def test_a_foreign_host_is_refused(client, host):
    assert client.get("/help", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    ],
)
def test_a_page_of_another_site_cannot_ask(client, headers):
    assert client.get("/index.json", headers=headers).status_code == 403


def test_somebody_may_follow_a_link_to_here(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


def test_every_answer_forbids_what_a_page_does_not_need(client):
    for address in ("/", "/index.json", "/nothing", "/static/holdfast.css", "/metrics"):
        headers = client.get(address).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-frame-options"] == "DENY"


@pytest.fixture
def guarded(sources):
    access = Access("0.0.0.0", TOKEN)
    return TestClient(make_app(sources, access), base_url="http://192.0.2.1:80", follow_redirects=False)


def test_others_need_the_token_once_and_then_have_a_cookie(guarded):
    assert guarded.get("/help").status_code == 401
    assert guarded.get("/help?token=wrong").status_code == 401
    opened = guarded.get(f"/help?x=1&token={TOKEN}")
    assert (opened.status_code, opened.headers["location"]) == (303, "/help?x=1")
    assert "HttpOnly" in opened.headers["set-cookie"]
    assert guarded.get("/help").status_code == 200


def test_a_program_sends_the_token_as_a_bearer(guarded):
    assert guarded.get("/index.json", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert guarded.get("/index.json", headers={"Authorization": "Bearer nearly"}).status_code == 401
    assert guarded.get("/index.json", headers={"Cookie": b"holdfast_token=\xe9; ;;=\x01"}).status_code == 401


def test_the_token_does_not_send_anybody_elsewhere(guarded):
    assert (
        guarded.get(f"http://192.0.2.1:80//evil.example/?token={TOKEN}")
        .headers["location"]
        .startswith("/evil.example")
    )


def test_a_name_is_refused_where_others_may_ask(guarded):
    headers = {"Host": "rebound.example", "Authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/help", headers=headers).status_code == 421


def test_a_hostile_page_is_only_read(client, kept):
    text = client.get(at("s", "mirror", "page", url=f"{kept.origin}/hostile")).text
    article = text[text.index("<article") : text.index("</article>")]
    assert "<title>&lt;b&gt;Hostile" in text
    assert not re.search(r"<(script|style|iframe|img|object|form|link|meta|base)\b", article)
    assert not re.search(r"<[^>]*\s(on\w+|style|srcset|src|formaction)\s*=", article)
    assert not re.search(r'href="\s*(javascript|data|vbscript):', text, re.IGNORECASE)
    assert "\u202e" not in text
    assert "{{ 7 * 7 }}" in article
    assert 'id="s-main"' in article
    assert text.count('id="main"') == 1
    assert '"https://evil.example/x"' in article
    assert "a picture" in article


def test_the_raw_response_is_a_document_in_which_nothing_runs(client, kept):
    raw = client.get(at("s", "mirror", "raw", url=f"{kept.origin}/hostile"))
    policy = raw.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "allow-" not in policy
    assert "script-src" not in policy
    page = client.get(at("s", "mirror", "page", url=f"{kept.origin}/hostile")).text
    assert "<iframe sandbox " in page


def test_hostile_words_in_addresses_are_shown_as_words(client):
    for address in (
        "/<script>x</script>",
        "/s/<script>/pages",
        "/s/notes/link?url=http://x.example/<script>",
    ):
        assert "<script>" not in client.get(address).text.replace('<script src="/static', "")


def test_the_style_sheet_is_small_and_loads_nothing(client):
    sheet = client.get("/static/holdfast.css").text
    assert len(sheet) < 20_000
    assert "url(" not in sheet
    assert "@import" not in sheet


def test_files_beside_the_assets_are_not_served(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
        assert client.get(path).status_code == 404
