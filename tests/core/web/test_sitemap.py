"""Lists of URLs: every published form, broken ones too."""

import gzip
from collections import deque

import pytest

from helpers.growth import least_memory
from holdfast.core.web.sitemap import Flaw, Listed, Nested, parse_lastmod, read_sitemap

pytestmark = pytest.mark.spec("MIR-1")

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def read(body):
    return list(read_sitemap(body.encode() if isinstance(body, str) else body))


def url(loc):
    return f"<url><loc>{loc}</loc></url>"


def test_a_sitemap_gives_its_pages_in_order_with_their_dates():
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
    <urlset {NS}><url><loc> https://e.com/a </loc><lastmod>2024-05-01</lastmod></url>
    <url><loc>https://e.com/b?x=1&amp;y=2</loc></url></urlset>"""
    assert read(body) == [Listed("https://e.com/a", "2024-05-01"), Listed("https://e.com/b?x=1&y=2")]


def test_an_index_gives_nested_lists():
    body = f"<sitemapindex {NS}><sitemap><loc>https://e.com/s1.xml.gz</loc></sitemap></sitemapindex>"
    assert read(body) == [Nested("https://e.com/s1.xml.gz")]


def test_gzip_is_known_by_its_magic_not_by_its_name():
    body = f"<urlset {NS}>{url('https://e.com/a')}</urlset>".encode()
    assert read(gzip.compress(body)) == [Listed("https://e.com/a")]
    assert read(gzip.compress(body[:30]) + gzip.compress(body[30:])) == [Listed("https://e.com/a")]


def test_a_cut_gzip_gives_what_was_readable_and_a_flaw():
    entries = "".join(url(f"https://e.com/{n:06}") for n in range(20_000))
    whole = gzip.compress(f"<urlset {NS}>{entries}</urlset>".encode())
    *pages, flaw = read(whole[: len(whole) // 2])
    assert len(pages) > 5_000
    assert pages == [Listed(f"https://e.com/{n:06}") for n in range(len(pages))]
    assert flaw == Flaw("the gzip data ends too early")


def test_text_sitemaps_skip_comments_and_count_what_is_no_url():
    assert read("\ufeffhttps://e.com/a\r\n# note\n\nhttps://e.com/b\nrubbish") == [
        Listed("https://e.com/a"),
        Listed("https://e.com/b"),
        Flaw("one line of the text sitemap is not a URL"),
    ]


def test_rss_is_a_list_of_pages():
    rss = """<rss version="2.0"><channel><link>https://e.com/</link>
      <item><link>https://e.com/post</link><pubDate>Mon, 06 May 2024 10:00:00 GMT</pubDate></item>
      <item><guid isPermaLink="false">urn:1</guid></item><item><guid>https://e.com/two</guid></item>
      </channel></rss>"""
    assert read(rss) == [
        Listed("https://e.com/post", "Mon, 06 May 2024 10:00:00 GMT"),
        Listed("https://e.com/two"),
    ]


def test_atom_is_a_list_of_pages():
    atom = """<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://e.com/"/>
      <entry><link rel="self" href="https://e.com/api/1"/><link href="https://e.com/one"/>
      <updated>2024-05-01T00:00:00Z</updated></entry></feed>"""
    assert read(atom) == [Listed("https://e.com/one", "2024-05-01T00:00:00Z")]


def test_the_address_of_an_image_inside_an_entry_is_not_the_entrys():
    body = f"""<urlset {NS} xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url>
      <i:image><i:loc>https://e.com/i.png</i:loc></i:image><loc>https://e.com/a</loc></url></urlset>"""
    assert read(body) == [Listed("https://e.com/a")]


def test_broken_xml_gives_what_was_readable_and_says_where_it_broke():
    body = (
        f"<urlset {NS}>\n{url('https://e.com/a')}\n{url('https://e.com/b & c')}\n<url><loc>https://e.com/cu"
    )
    *pages, flaw = read(body)
    assert pages[:2] == [Listed("https://e.com/a"), Listed("https://e.com/b & c")]
    assert Listed("https://e.com/cu") not in pages
    assert isinstance(flaw, Flaw)
    assert "line 4" in flaw.what


@pytest.mark.spec("SEC-2")
def test_entities_are_not_resolved():
    bomb = '<!DOCTYPE z [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    pages = url("https://e.com/&b;") + url("&f;") + url("https://e.com/x")
    *pages, flaw = read(f"{bomb}<urlset {NS}>{pages}</urlset>")
    assert pages == [Listed("https://e.com/x")]
    assert "entity" in flaw.what


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "empty"),
        (b"<!doctype html><html><body>Not found</body></html>", "HTML"),
        (b"<urlset></urlset>", "names no page"),
        (b"\x1f\x8bnonsense", "gzip"),
        (b"\x00\x01\x02\xff", "not a URL"),
        (b"<", "broken"),
    ],
)
def test_what_is_no_list_gives_a_flaw_and_never_raises(body, word):
    [flaw] = read(body)
    assert isinstance(flaw, Flaw)
    assert word in flaw.what


def test_utf_16_is_read():
    body = f'<?xml version="1.0"?><urlset {NS}>{url("https://e.com/ü")}</urlset>'
    assert read(body.encode("utf-16")) == [Listed("https://e.com/ü")]


def test_fifty_thousand_entries_need_no_more_memory_than_two_thousand():
    def peak(count):
        body = f"<urlset {NS}>{url('https://example.com/page') * count}</urlset>".encode()
        return least_memory(lambda: deque(read_sitemap(body), maxlen=0))

    assert peak(50_000) < peak(2_000) + 500_000


@pytest.mark.spec("MIR-11")
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-01T10:00:00Z", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00.25+02:00", "2024-05-01T08:00:00.250000+00:00"),
        ("2024-05-01", "2024-05-01T23:59:59+00:00"),
        ("2024-02", "2024-02-29T23:59:59+00:00"),
        ("2024", "2024-12-31T23:59:59+00:00"),
        ("Mon, 06 May 2024 10:00:00 GMT", "2024-05-06T10:00:00+00:00"),
        ("2024-13-01", None),
        ("yesterday", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_of_every_published_form_are_read_and_others_are_none(text, moment):
    read = parse_lastmod(text)
    assert (read.isoformat() if read else None) == moment
