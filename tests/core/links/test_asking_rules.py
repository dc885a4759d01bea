"""Statuses that are fine, and addresses asked in place of others."""

import pytest

from holdfast.core.base.errors import ConfigError
from holdfast.core.links.evidence import sight
from holdfast.core.links.link_state import LinkState
from holdfast.core.settings.origins import header_fields, statuses
from holdfast.core.url.url import parse_url
from holdfast.core.web.capture import Capture, Failed, Failure


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
