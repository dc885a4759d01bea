"""Scope: origin, folder, globs, depth, other hosts."""

import pytest

from holdfast.core.base.errors import UsageError
from holdfast.core.url.scope import OutOfScope, Root, Scope, check_pattern, matches
from holdfast.core.url.url import parse_url

pytestmark = pytest.mark.spec("MIR-1")


def scope(start, **rules):
    return Scope((Root.of(parse_url(start)),), **rules)


@pytest.mark.parametrize(
    ("start", "url", "refusal"),
    [
        ("https://e.com/docs/", "https://e.com/docs/a/b", None),
        ("https://e.com/docs/intro", "https://e.com/docs/other", None),
        ("https://e.com/docs", "https://e.com/blog", None),
        ("https://e.com/docs/", "https://e.com/docs", OutOfScope.PATH),
        ("https://e.com/docs/", "https://e.com/docsother/", OutOfScope.PATH),
        ("https://e.com/docs/", "https://e.com/docs/../blog", OutOfScope.PATH),
        ("https://e.com/docs/", "https://e.com/docs/%2e%2e/blog", OutOfScope.PATH),
        ("https://e.com/", "http://e.com/a", None),
        ("https://e.com/", "https://E.COM:443/a", None),
        ("https://e.com/", "https://e.com:8443/a", OutOfScope.HOST),
        ("https://e.com/", "https://www.e.com/a", OutOfScope.HOST),
        ("https://e.com/", "https://e.com.evil.org/", OutOfScope.HOST),
        ("https://e.com/", "https://e.com@evil.org/", OutOfScope.HOST),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/x", None),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/x", OutOfScope.HOST),
        ("http://[::1]:8000/", "http://[::1]:8000/x", None),
    ],
)
def test_the_host_and_folder_of_the_start_are_in_and_nothing_else(start, url, refusal):
    assert scope(start).refusal(parse_url(url)) == refusal


@pytest.mark.parametrize(
    ("pattern", "url", "allowed"),
    [
        ("cdn.e.com", "https://cdn.e.com/x", True),
        ("cdn.e.com", "https://cdn.e.com:8443/x", True),
        ("cdn.e.com:8443", "https://cdn.e.com:8443/x", True),
        ("cdn.e.com:8443", "https://cdn.e.com/x", False),
        ("*.e.com", "https://a.b.e.com/x", True),
        ("*.e.com", "https://e.com.org/x", False),
        ("*.e.com", "https://fake-e.com/x", False),
        ("[::1]:80", "http://[::1]/x", True),
        ("[::1]", "http://[::1]:99/x", True),
    ],
)
def test_other_hosts_are_in_when_they_are_named(pattern, url, allowed):
    rules = scope("https://start.org/docs/", allow_host=(pattern,))
    assert (rules.refusal(parse_url(url)) is None) == allowed


@pytest.mark.parametrize(
    ("pattern", "url", "match"),
    [
        ("/guide/*", "https://e.com/guide/a/b", True),
        ("/guide/*", "https://e.com/guide", False),
        ("*/print/*", "https://e.com/a/print/b", True),
        ("*?print=1", "https://e.com/a?print=1", True),
        ("*?print=1", "https://e.com/aprint=1", False),
        ("/a", "https://e.com/a", True),
        ("/a", "https://e.com/ab", False),
        ("/a*b*c", "https://e.com/abbc", True),
        ("/a*bc*bc", "https://e.com/abc", False),
        ("https://e.com/*", "https://e.com/x", True),
        ("http://*", "https://e.com/x", False),
        ("*", "https://e.com/", True),
    ],
)
def test_a_glob_matches_the_whole_of_path_and_query(pattern, url, match):
    assert matches(pattern, parse_url(url)) == match


def test_exclude_beats_include_and_a_named_start_needs_no_include():
    rules = scope("https://e.com/", include=("/guide/*",), exclude=("*.pdf",))
    assert rules.refusal(parse_url("https://e.com/guide/a")) is None
    assert rules.refusal(parse_url("https://e.com/guide/a.pdf")) is OutOfScope.EXCLUDED
    assert rules.refusal(parse_url("https://e.com/blog")) is OutOfScope.NOT_INCLUDED
    assert rules.refusal(parse_url("https://e.com/"), named=True) is None


def test_depth_is_counted_in_links():
    rules = scope("https://e.com/", max_depth=1)
    assert rules.refusal(parse_url("https://e.com/a"), depth=1) is None
    assert rules.refusal(parse_url("https://e.com/a"), depth=2) is OutOfScope.DEPTH


def test_a_pattern_that_can_match_nothing_is_an_error_with_the_way_out():
    with pytest.raises(UsageError) as caught:
        check_pattern("guide/*")
    assert "'/guide/*'" in caught.value.hint
