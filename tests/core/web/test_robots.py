"""robots.txt: the verdict, and the line that spoke."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.web.robots_rules import RobotsRules

pytestmark = pytest.mark.spec("MIR-13")

FILE = """\
# a comment
User-agent: otherbot
Disallow: /

User-agent: *
Disallow: /private
Disallow: /private/deeper  # longer, so it speaks first
Allow: /private/but-this
Disallow: /*.pdf$
Disallow:
Crawl-delay: 3
Sitemap: https://example.com/one.xml
Sitemap: https://example.com/two.xml
Sitemap: https://example.com/one.xml
"""


def rules(text=FILE, agent="holdfast"):
    return RobotsRules(text, agent)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/private/x", "Disallow: /private"),
        ("/private/deeper/x", "Disallow: /private/deeper"),
        ("/a/report.pdf", "Disallow: /*.pdf$"),
    ],
)
def test_a_refusal_names_the_line_that_spoke(path, rule):
    verdict = rules().verdict(f"https://example.com{path}")
    assert not verdict.allowed
    assert verdict.rule == rule


@pytest.mark.parametrize("path", ["/", "/public", "/private/but-this", "/a/report.pdf?x", "/robots.txt"])
def test_the_longest_match_decides(path):
    assert rules().verdict(f"https://example.com{path}").allowed


def test_a_group_of_our_own_replaces_the_group_of_everybody():
    text = "User-agent: *\nDisallow: /\n\nUser-agent: x\nUser-agent: Holdfast\nDisallow: /ours\n"
    assert rules(text).verdict("https://example.com/anything").allowed
    assert rules(text).verdict("https://example.com/ours").rule == "Disallow: /ours"


def test_sitemaps_are_listed_once_and_delays_read():
    assert rules().sitemaps == ("https://example.com/one.xml", "https://example.com/two.xml")
    assert rules().crawl_delay == 3.0
    assert rules("User-agent: *\nCrawl-delay: soon").crawl_delay is None


def test_html_has_no_rules():
    page = b"<!doctype html><title>Not here</title><p>User-agent: *<p>Disallow: /"
    assert RobotsRules.of_bytes(page, "holdfast").verdict("https://example.com/x").allowed


def test_a_byte_order_mark_and_bad_bytes_spoil_nothing_else():
    body = b"\xef\xbb\xbfUser-agent: *\nDisallow: /\xff\nDisallow: /x\n"
    assert not RobotsRules.of_bytes(body, "holdfast").verdict("https://example.com/x").allowed


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=300), st.sampled_from(["/", "/a", "/a/b.html?c"]))
def test_any_bytes_at_all_give_a_verdict_and_a_rule(body, path):
    verdict = RobotsRules.of_bytes(b"User-agent: *\n" + body, "holdfast").verdict(
        f"https://example.com{path}"
    )
    assert verdict.rule


def test_a_file_with_more_lines_than_are_tried_still_decides():
    text = "User-agent: *\n" + "".join(f"Disallow: /{n}/\n" for n in range(20_000))
    verdict = rules(text).verdict("https://example.com/19999/x")
    assert not verdict.allowed
    assert verdict.rule == "a Disallow line"
