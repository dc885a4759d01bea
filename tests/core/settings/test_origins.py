"""What is sent to one origin, and how its secrets stay secret."""

import base64

import pytest

from helpers.faults.door import url
from holdfast.core.base.errors import ConfigError
from holdfast.core.settings.origins import accesses_of, read_origin_rules
from holdfast.core.url.redaction import redacted
from holdfast.core.web.outcome import ChainCookies, cookie_field
from holdfast.core.web.robots import user_agent

pytestmark = pytest.mark.spec("SEC-3")

ORIGIN = "https://example.com"


def opened(table, environment=None, named=()):
    return accesses_of(read_origin_rules({ORIGIN: table}), environment or {}, named)[ORIGIN]


def test_secrets_come_from_the_environment_by_name():
    access = opened(
        {"headers_env": {"X-Key": "MY_KEY"}, "bearer_env": "MY_TOKEN"}, {"MY_KEY": "k", "MY_TOKEN": "t"}
    )
    assert access.headers == (("X-Key", "k"), ("Authorization", "Bearer t"))


def test_basic_credentials_are_encoded():
    access = opened({"basic_user": "ann", "basic_password_env": "PW"}, {"PW": "pässword:1"})
    assert base64.b64decode(dict(access.headers)["Authorization"].split()[1]).decode() == "ann:pässword:1"


def test_credentials_in_a_url_the_user_gave_are_sent_to_its_origin_and_join_its_table():
    access = opened({"headers": {"X-Team": "docs"}}, named=["https://ann:p%40ss@example.com/x"])
    assert dict(access.headers)["X-Team"] == "docs"
    assert base64.b64decode(dict(access.headers)["Authorization"].split()[1]) == b"ann:p@ss"


def test_nothing_prints_a_secret():
    table = {"headers": {"X-Key": "hush"}, "cookies": {"s": "hush"}, "proxy": "http://u:hush@proxy.example/"}
    rules = read_origin_rules({ORIGIN: table})
    assert "hush" not in repr(rules)
    assert "hush" not in repr(accesses_of(rules, {}, []))


@pytest.mark.parametrize(
    ("name", "table", "words"),
    [
        ("https://example.com/path", {}, "is not an origin"),
        ("example.com", {}, "is not an origin"),
        (ORIGIN, {"bearer_env": 5}, "expected a text"),
        (ORIGIN, {"headers": "X: y"}, "expected a table of texts"),
        (ORIGIN, {"headers": {"X Y": "z"}}, "cannot be sent"),
        (ORIGIN, {"headers": {"X": "a\r\nEvil: b"}}, "cannot be sent"),
        (ORIGIN, {"bearer_env": "A", "basic_user": "b"}, "one of them"),
        (ORIGIN, {"basic_password_env": "A"}, "without basic_user"),
        (ORIGIN, {"proxy": "socks5://u:hush@x"}, "proxy is not an http"),
    ],
)
def test_a_wrong_table_is_an_error_that_names_the_place_and_no_secret(name, table, words):
    with pytest.raises(ConfigError, match=words) as caught:
        read_origin_rules({name: table})
    assert "hush" not in str(caught.value)


def test_a_variable_that_is_not_set_is_named():
    with pytest.raises(ConfigError, match="MY_TOKEN is not set"):
        opened({"bearer_env": "MY_TOKEN"})


def test_a_secret_with_a_line_break_is_refused_without_being_shown():
    with pytest.raises(ConfigError, match="control character") as caught:
        opened({"bearer_env": "T"}, {"T": "hush\r\nEvil: 1"})
    assert "hush" not in str(caught.value)


def test_cookies_of_a_chain_go_back_to_the_origin_that_set_them_alone():
    cookies = ChainCookies()
    cookies.take(ORIGIN, ["a=1; Path=/; Domain=.example.com", "b=2; HttpOnly", "broken", "=x"])
    cookies.take(ORIGIN, ["b=; Max-Age=0"])
    assert cookies.of(ORIGIN) == (("a", "1"),)
    assert cookies.of("https://www.example.com") == ()
    assert cookie_field(cookies.of(ORIGIN)) == "a=1"


def test_cookies_are_bounded_in_number_and_size():
    cookies = ChainCookies()
    cookies.take(ORIGIN, [f"c{n}=x" for n in range(200)])
    assert len(cookies.of(ORIGIN)) == 50
    cookies.take("https://b.example", ["big=" + "x" * 9_000])
    assert cookies.of("https://b.example") == ()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("https://e.example/a?token=abc&x=1", "https://e.example/a?token=[redacted]&x=1"),
        ("https://e.example/a?X-Amz-Signature=abc", "https://e.example/a?X-Amz-Signature=[redacted]"),
        ("https://e.example/a?API_KEY=abc#part", "https://e.example/a?API_KEY=[redacted]"),
        ("https://e.example/a?tokens=3", "https://e.example/a?tokens=3"),
        ("https://e.example/a?token", "https://e.example/a?token"),
        ("https://e.example/a", "https://e.example/a"),
    ],
)
def test_secrets_in_queries_are_not_shown(given, shown):
    assert redacted(url(given)) == shown


@pytest.mark.spec("MIR-13")
def test_the_user_agent_tells_name_version_and_contact():
    assert user_agent("0.1.0", "") == "holdfast/0.1.0"
    assert user_agent("0.1.0", "https://example.com/bot") == "holdfast/0.1.0 (+https://example.com/bot)"
    assert user_agent("0.1.0", "ann@example.com") == "holdfast/0.1.0 (ann@example.com)"


@pytest.mark.parametrize("contact", ["a\r\nEvil: 1", "é", "a)b"])
def test_a_contact_that_cannot_be_sent_is_refused(contact):
    with pytest.raises(ConfigError, match="contact"):
        user_agent("0.1.0", contact)
