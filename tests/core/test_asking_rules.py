"""Statuses that are fine, and addresses asked in place of others."""

import pytest

from holdfast.core.asking_rules import Remaps, header_fields, statuses
from holdfast.core.capture import Capture, Failed, Failure
from holdfast.core.errors import ConfigError
from holdfast.core.hosts import HostRules
from holdfast.core.link_evidence import sight
from holdfast.core.link_state import LinkState
from holdfast.core.url import parse_url


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["403"], {403}),
        (["403, 999"], {403, 999}),
        (["200..204"], {200, 201, 202, 203}),
        (["200..=202", "429"], {200, 201, 202, 429}),
        (["..102"], {100, 101}),
        ([], set()),
    ],
)
def test_statuses_are_numbers_and_ranges(words, found):
    assert statuses(words) == found


@pytest.mark.parametrize("word", ["fine", "20", "200-299", "200..=", "12345"])
def test_what_is_no_status_is_an_error(word):
    with pytest.raises(ConfigError):
        statuses([word])


def test_an_accepted_status_is_alive_and_says_by_which_rule():
    url = parse_url("https://a.example/")
    capture = Capture(url, url, 403, (), b"", None)
    outcome = Failed(Failure.STATUS, "403", transient=False, capture=capture)
    assert sight(outcome).state is LinkState.AUTH_REQUIRED
    accepted = sight(outcome, frozenset({403}))
    assert (accepted.state, accepted.evidence.rule) == (LinkState.OK, "accepted-status")


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ([], "https://docs.example/a/b"),
        (["https://docs.example http://127.0.0.1:8000"], "http://127.0.0.1:8000/a/b"),
        ([r"^https://docs\.example/(\w+)/(\w+)$ https://new.example/$2/$1"], "https://new.example/b/a"),
        ([r"(?P<rest>/a.*) /x${rest}"], "https://docs.example/x/a/b"),
        (["nothing https://x.example", "docs one", "docs two"], "https://one.example/a/b"),
    ],
)
def test_a_remap_changes_what_is_asked(rules, asked):
    assert Remaps(rules).address("https://docs.example/a/b") == asked


@pytest.mark.parametrize("rule", ["https://only-a-pattern", "( https://x", "a https://x/$1"])
def test_a_remap_that_means_nothing_is_an_error(rule):
    with pytest.raises(ConfigError):
        Remaps([rule])


def test_header_fields_are_names_and_values():
    fields = header_fields(["Accept-Language: de", "X-Team:docs: all"])
    assert fields == (("Accept-Language", "de"), ("X-Team", "docs: all"))


@pytest.mark.parametrize(
    "line",
    ["nothing", "A b: c", "Authorization: x", "cookie: a=b", "Host: h", "User-Agent: curl", "X: a\r\nB: c"],
)
def test_what_is_secret_or_ours_is_not_sent_to_everybody(line):
    with pytest.raises(ConfigError):
        header_fields([line])


def test_urls_that_are_asked_for_are_stronger_than_what_leaves_them_out():
    rules = HostRules(skip=["a.org"], skip_urls=["/private"], ask_urls=["a[.]org/yes"], skip_reserved=True)
    assert rules.refusal_of("https://a.org/yes", "a.org") is None
    assert rules.refusal_of("https://a.org/no", "a.org") == "skip_hosts has a.org"
    assert rules.refusal_of("https://b.org/", "b.org") is None
    alone = HostRules(ask_urls=["a[.]org/yes"])
    assert alone.refusal_of("https://b.org/", "b.org") == "ask_urls does not have it"
    with pytest.raises(ConfigError, match="ask_urls"):
        HostRules(ask_urls=["("])
