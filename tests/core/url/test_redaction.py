"""Secrets, taken out of what is shown or kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.url.redaction import HIDDEN, SECRET_KEYS, redact_fields, redact_url, shown

pytestmark = pytest.mark.spec("SEC-3")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a/?token=x&b=1", f"https://a/?token={HIDDEN}&b=1"),
        ("https://a/?%74oken=x", f"https://a/?%74oken={HIDDEN}"),
        ("https://a/?X-Amz-Signature=ab=cd", f"https://a/?X-Amz-Signature={HIDDEN}"),
        ("https://a/p#access_token=x&y=1", f"https://a/p#access_token={HIDDEN}&y=1"),
        ("https://a/?page=2&tokens=3&token", "https://a/?page=2&tokens=3&token"),
        ("https://a/path/token=x", "https://a/path/token=x"),
        ("https://a/?", "https://a/?"),
        ("https://a/#section", "https://a/#section"),
    ],
)
def test_a_secret_parameter_loses_its_value_and_nothing_else_changes(url, shown):
    assert redact_url(url) == shown


@given(st.sampled_from(sorted(SECRET_KEYS)), st.text("abc123%+", min_size=4), st.booleans())
def test_no_secret_value_survives_in_any_case_of_the_key(key, secret, upper):
    name = key.upper() if upper else key
    assert redact_url(f"/p?a=1&{name}={secret}&b=2") == f"/p?a=1&{name}={HIDDEN}&b=2"


def test_credentials_in_fields_go_whatever_their_case():
    fields = (
        ("AUTHORIZATION", "Bearer x"),
        ("cookie", "a=b"),
        ("Accept", "*/*"),
        ("Referer", "https://a/?sig=x"),
    )
    shown = redact_fields(fields)
    assert [name for name, _ in shown] == [name for name, _ in fields]
    assert dict(shown)["AUTHORIZATION"] == dict(shown)["cookie"] == HIDDEN
    assert dict(shown)["Accept"] == "*/*"
    assert dict(shown)["Referer"] == f"https://a/?sig={HIDDEN}"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://a.example/?page=2#part", "https://a.example/?page=2#part"),
        ("HTTPS://A.example/?page=2", "HTTPS://A.example/?page=2"),
        ("https://a.example/?to\nken=x#part", f"https://a.example/?token={HIDDEN}#part"),
        ("https://me:word@a.example/", "https://a.example/"),
        ("https://a.example/#access_token=x", f"https://a.example/#access_token={HIDDEN}"),
        ("/relative?token=x", f"/relative?token={HIDDEN}"),
        ("list of URLs.txt", "list of URLs.txt"),
    ],
)
def test_what_hides_nothing_is_told_as_it_was_written_and_the_rest_as_what_it_means(text, told):
    assert shown(text) == told
