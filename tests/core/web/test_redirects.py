"""Where a redirect leads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.faults.door import url
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Denial, Failure
from holdfast.core.web.outcome import BadHop, ForbiddenHop, next_hop

pytestmark = pytest.mark.spec("ID-9")

HERE = url("https://example.com/a/b?c#part")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/x", "https://example.com/x#part"),
        ("x", "https://example.com/a/x#part"),
        ("?y", "https://example.com/a/b?y#part"),
        ("#new", "https://example.com/a/b?c#new"),
        ("//other.example/x", "https://other.example/x#part"),
        ("http://example.com/x", "http://example.com/x#part"),
        ("https://user:pw@example.com/x", "https://example.com/x#part"),
        ("/caf\u00c3\u00a9", "https://example.com/caf%C3%A9#part"),  # the bytes of "é" in UTF-8, as latin-1
        ("/caf\u00e9", "https://example.com/caf%E9#part"),  # a byte that is not UTF-8 stays that byte
        (" /x ", "https://example.com/x#part"),
    ],
)
def test_location_is_read_as_browsers_do(location, target):
    assert str(next_hop(HERE, 302, location)) == target


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "ftp://example.com/", "javascript:1", "mailto:a@b"]
)
def test_other_schemes_are_forbidden(location):
    hop = next_hop(HERE, 302, location)
    assert isinstance(hop, ForbiddenHop)
    assert hop.denial is Denial.SCHEME


@pytest.mark.parametrize("location", [None, "", "http://", "http://[::1", "https://a..b/"])
def test_what_leads_nowhere_is_a_failure(location):
    hop = next_hop(HERE, 302, location)
    assert isinstance(hop, BadHop)
    assert hop.failure is Failure.BAD_REDIRECT


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_bytes_at_all_are_a_hop_or_a_refusal(location):
    assert isinstance(next_hop(HERE, 301, location), (Url, BadHop, ForbiddenHop))
