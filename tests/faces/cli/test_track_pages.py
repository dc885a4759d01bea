"""`holdfast check` on pages and sitemaps: read as a mirror reads them, what they cite is looked at."""

from __future__ import annotations

import pytest

from helpers.faults.server import response
from helpers.served import serving
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("TRK-2", "TRK-4")
FAST = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--eager")
HTML = "Content-Type: text/html"
XML = "Content-Type: application/xml"


def page(body, *fields):
    return (response(f"<html><body><h1 id=top>T</h1>{body}</body></html>".encode(), "200 OK", HTML, *fields),)


def listing(kind, inner, *paths):
    items = "".join(f"<{inner}><loc>{{BASE}}{path}</loc></{inner}>" for path in paths)
    text = f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</{kind}>'
    # the address of the server is put in while it is sent, so the length is that of the connection
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nConnection: close\r\n\r\n" + text.encode(),
        "close",
    )


def test_the_links_of_a_page_are_looked_at_where_they_stand(holdfast, tmp_path):
    links = '\n<a href="../fine#top">a</a> <a href="gone">b</a>\n<a href="#nowhere">c</a> <a href="tel:1">'
    scripts = {
        "/docs/page": page(links),
        "/fine": page("ok"),
        "/old": (response(b"", "301 M", "Location: /docs/page"),),
    }
    with serving(scripts) as server:
        ran = holdfast("check", f"{server.base}/old", *FAST, "--format", "json")
        assert server.requests["/robots.txt"] == 1
        assert server.requests["/docs/gone"] == 1
        name = f"{server.base}/old"
    found = {(f["code"], f["document"], f["span"]["line"], f["url"]) for f in ran.json["findings"]}
    assert (("HF001", name, 2, f"{server.base}/docs/gone")) in found
    assert (("HF010", name, 3, f"{server.base}/docs/page#nowhere")) in found
    assert ran.status == 1
    assert not list(tmp_path.glob(".url-manifest*"))
    assert holdfast("show", f"{server.base}/old").status == 0  # the page is in the archive
    assert holdfast("broken").status == 0  # the page was a document of that run alone


def test_a_sitemap_stands_for_its_pages(holdfast):
    scripts = {
        "/sitemap.xml": listing("sitemapindex", "sitemap", "/part.xml"),
        "/part.xml": listing("urlset", "url", "/one", "/two", "/missing"),
        "/one": page('<a href="/gone">x</a>'),
        "/two": page('<a href="/one">x</a> <a href="/gone">y</a>'),
    }
    with serving(scripts) as server:
        ran = holdfast("check", f"{server.base}/sitemap.xml", *FAST, "--format", "json")
        assert server.requests["/gone"] == 1
        base = server.base
    found = {(f["code"], f["document"].removeprefix(base)) for f in ran.json["findings"]}
    assert found == {("HF001", "/one"), ("HF001", "/two"), ("HF043", "/missing")}


def test_robots_and_consent_count_for_pages(holdfast):
    robots = (response(b"User-agent: *\nDisallow: /\n", "200 OK", "Content-Type: text/plain"),)
    with serving({"/robots.txt": robots, "/page": page("x")}) as server:
        ran = holdfast("check", f"{server.base}/page", *FAST)
        assert ran.status == 3
        assert "robots.txt" in ran.err
        assert holdfast("check", f"{server.base}/page").status == 4
        assert holdfast("check", f"{server.base}/page", "--fetch-urls", "--dry-run").status == 2
        assert "/page" not in server.requests


def test_the_dead_links_within_a_mirrored_site(holdfast, tmp_path):
    with LivingSite() as site:
        site.put("/page", 'See <a href="/gone">what is gone</a>, <a href="/other">the other</a>')
        site.put("/other", "Other words")
        site.put("/gone", "Gone", status=404)
        holdfast(
            "mirror", site.origin + "/", "--output", "m", "--content-rate-limit", "0", "--processes", "1"
        )
        ran = holdfast("broken", "--mirror", "m", "--json")
    (target,) = ran.json["urls"]
    assert (target["url"], target["reason"], target["is_dead"]) == (f"{site.origin}/gone", "404", True)
    assert [(page["path"], page["text"]) for page in target["pages"]] == [
        (f"{site.origin.removeprefix('http://').replace(':', '+')}/page/index.md", "what is gone")
    ]
    assert ran.status == 1
    assert "what is gone" in holdfast("broken", "--mirror", "m").out
