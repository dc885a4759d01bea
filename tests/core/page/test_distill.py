"""Capture + Recipe → Page: total, pure, and by the recipe alone."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import content_hash
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.page import LinkKind, PageKind, PageWarning
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture

TEXT = Recipe.parse("http_snapshot_url_v1_text_v1")
BODY = Recipe.parse("http_snapshot_url_v1_body_v1")
URL = parse_url("https://docs.example/guide/page.html?x=1")


def capture(body, content_type="text/html"):
    headers = (("Content-Type", content_type),) if content_type else ()
    return Capture(URL, URL, 200, headers, body, datetime(2026, 1, 1, tzinfo=UTC))


PAGE = b"""<!doctype html><html lang="en-GB"><head><title> The  title </title><link rel=canonical href="/c">
<link rel=alternate type=text/markdown href="page.md"><meta name=robots content="noindex, nofollow">
<meta http-equiv=refresh content="5; url=/next"><base href="/v2/"></head>
<body><nav><a href="/home" rel=nofollow>Home</a></nav><main>
<h1 id=top>T<a class=headerlink href="#top">\xc2\xb6</a></h1>
<p>See <a href="a.html#f">this page</a>. <img src=i.png alt=pic></p><section id=s><h2>S</h2></section></main>
<iframe src="/frame"></iframe></body></html>"""


@pytest.mark.spec("TXT-1", "TXT-2")
def test_a_page_is_read_once_and_whole():
    page = distill(capture(PAGE), TEXT)

    assert page.kind is PageKind.PAGE
    assert page.title == "The title"
    assert page.head.language == "en-GB"
    assert str(page.head.canonical_link) == "https://docs.example/c"
    assert str(page.head.markdown_alternate) == "https://docs.example/v2/page.md"
    assert str(page.head.refresh) == "https://docs.example/next"
    assert (page.head.noindex, page.head.nofollow) == (True, True)
    assert page.text == "T¶ See this page. S"
    assert page.content_sha256 == content_hash(page.text)
    assert page.structure.anchors == {"top", "s"}
    assert [(h.level, h.text, h.anchor) for h in page.structure.headings] == [(1, "T", "top"), (2, "S", "s")]
    assert page.markdown == (
        "# T\n\nSee [this page](https://docs.example/v2/a.html#f). ![pic](https://docs.example/v2/i.png)\n\n"
        "## S\n"
    )
    assert [(str(link.target), link.text, link.kind, link.nofollow) for link in page.links] == [
        ("https://docs.example/home", "Home", LinkKind.ANCHOR, True),
        ("https://docs.example/v2/#top", "¶", LinkKind.ANCHOR, False),
        ("https://docs.example/v2/a.html#f", "this page", LinkKind.ANCHOR, False),
        ("https://docs.example/v2/i.png", "pic", LinkKind.IMAGE, False),
        ("https://docs.example/frame", "", LinkKind.FRAME, False),
    ]


@pytest.mark.spec("TXT-2")
def test_the_recipe_chooses_what_is_hashed():
    first, second = capture(b"<main>a</main><!-- 1 -->"), capture(b"<main>a</main><!-- 2 -->")

    assert distill(first, TEXT).content_sha256 == distill(second, TEXT).content_sha256 == content_hash("a")
    assert distill(first, BODY).content_sha256 == content_hash("<main>a</main><!-- 1 -->")
    assert distill(second, BODY).content_sha256 != distill(first, BODY).content_sha256


VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "body_v1.json").read_text(encoding="utf-8"))


@pytest.mark.spec("TXT-2", "TXT-3", "TXT-4")
@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row["fact"])
def test_bodies_have_the_hash_they_were_frozen_with(row):
    page = distill(capture(bytes.fromhex(row["body_hex"]), row["content_type"]), BODY)

    assert page.content_sha256 == row["content_sha256"] == content_hash(row["text"])


def test_a_recipe_without_a_known_content_component_is_refused():
    with pytest.raises(UsageError, match="asks for a content hash"):
        distill(capture(b"x"), Recipe.parse("http_snapshot_url_v1_text_v2"))


@pytest.mark.spec("MIR-2", "TXT-2")
@pytest.mark.parametrize(
    ("content_type", "body", "kind", "text"),
    [
        ("text/html; charset=utf-8", b"<p>a", PageKind.PAGE, "a"),
        ("application/xhtml+xml", b"<p>a</p>", PageKind.PAGE, "a"),
        ("", b"\n<!-- x --><!DOCTYPE html><p>a", PageKind.PAGE, "a"),
        ("application/octet-stream", b"<html><body>a", PageKind.PAGE, "a"),
        ("text/markdown", b"# A\r\n\r\nb\r", PageKind.TEXT, "# A\n\nb\n"),
        ("text/plain", b"a\r\nb", PageKind.TEXT, "a\nb"),
        ("application/json", b'{"a": 1}', PageKind.OTHER, '{"a": 1}'),
        ("application/ld+json", b"{}", PageKind.OTHER, "{}"),
        ("application/atom+xml", b"<a/>", PageKind.OTHER, "<a/>"),
    ],
)
def test_each_type_has_its_text(content_type, body, kind, text):
    page = distill(capture(body, content_type), TEXT)

    assert (page.kind, page.text) == (kind, text)
    assert page.content_sha256 == content_hash(text)


@pytest.mark.spec("MIR-2", "TXT-2")
@pytest.mark.parametrize(
    ("content_type", "body"), [("image/png", b"\x89PNG"), ("", b"\x00\x01"), ("text/css", b"a{}")]
)
def test_other_types_are_their_bytes(content_type, body):
    page = distill(capture(body, content_type), TEXT)

    assert (page.kind, page.markdown, page.text) == (PageKind.OTHER, "", "")
    assert page.content_sha256 == content_hash(body)


def test_a_markdown_file_is_kept_as_it_is():
    page = distill(capture(b"# A *b*\n\n\n\nc  \n", "text/markdown; charset=utf-8"), TEXT)

    assert page.markdown == "# A *b*\n\n\n\nc  \n"
    assert page.title == "A *b*"


@pytest.mark.spec("SEC-2")
def test_a_body_over_the_limit_is_flagged_not_parsed():
    page = distill(capture(b"<p>" + b"a" * 100), TEXT, DistillOptions(max_bytes=50))

    assert (page.kind, page.warnings) == (PageKind.OTHER, (PageWarning.TOO_LARGE,))


def test_the_full_page_keeps_its_navigation_out_of_main():
    body = b"<div>around</div><main>the main content</main>"

    assert distill(capture(body), TEXT).markdown == "the main content\n"
    assert distill(capture(body), TEXT, DistillOptions(full=True)).markdown == "around\n\nthe main content\n"


@pytest.mark.spec("TXT-3")
def test_malformed_bytes_are_a_warning():
    assert distill(capture(b"<p>a\xff", "text/html; charset=utf-8"), TEXT).warnings == (PageWarning.DECODING,)


WALLS = [
    (PageWarning.EMPTY_SHELL, b"<title>App</title><div id=root></div><script src=/app.js></script>"),
    (PageWarning.EMPTY_SHELL, b"<p>You need to enable JavaScript to run this app.</p><script>x</script>"),
    (PageWarning.SOFT_404, b"<title>Page not found</title><main><h1>Oops</h1><p>Try the search.</main>"),
    (PageWarning.SOFT_404, b"<title>Docs</title><h1>404</h1><p>This page does not exist."),
    (PageWarning.LOGIN_WALL, b"<title>Sign in</title><form><input name=u><input type=password></form>"),
    (
        PageWarning.CONSENT_WALL,
        b"<title>Before</title><p>We and partners use cookies. Cookies need consent.<button>Accept</button>",
    ),
]


@pytest.mark.spec("TXT-6")
@pytest.mark.parametrize(("warning", "body"), WALLS)
def test_pages_that_are_no_content_are_flagged(warning, body):
    assert warning in distill(capture(body), TEXT).warnings


@pytest.mark.spec("TXT-6")
@pytest.mark.parametrize(
    "body",
    [
        b"<title>HTTP status codes</title><main><h1>Status codes</h1><p>" + b"A 404 means not found. " * 100,
        b"<title>Cookies</title><main><p>" + b"Set a cookie with consent; accept cookies. " * 80,
        b"<title>Log in to the API</title><main><p>"
        + b"To log in, send a token. " * 80
        + b"<input type=password>",
        b"<title>Tiny</title><main><p>A short page of no script at all.</main>",
    ],
)
def test_pages_about_such_things_are_not_flagged(body):
    assert distill(capture(body), TEXT).warnings == ()


@pytest.mark.spec("TXT-5")
def test_equal_captures_give_equal_pages():
    assert distill(capture(PAGE), TEXT) == distill(capture(PAGE), TEXT)
