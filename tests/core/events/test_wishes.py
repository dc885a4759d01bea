"""What somebody wants to be told, and when: pure."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.base.difference import Drift
from holdfast.core.base.errors import ConfigError
from holdfast.core.events.happenings import ChangedSection, Occurrence, PageChange
from holdfast.core.events.messages import (
    Message,
    digest_is_due,
    may_want,
    needs_reading,
    subject_of_message,
    text_of_message,
    wants,
    worst_first,
)
from holdfast.core.lineage.event_kind import EventKind, next_try
from holdfast.core.page.section import SectionChange
from holdfast.core.settings.receivers import Channel, Digest, read_target
from holdfast.core.settings.settings_file import read_settings_file

pytestmark = pytest.mark.spec("TRK-10")

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
PAGE = "https://example.com/api/limits"


def filter_of(**table):
    return read_target("t", {"command": "cat", **table}).wanted


def event(kind=EventKind.CHANGED, url=PAGE, **facts):
    return Occurrence(kind, NOW, url, "mark", **facts)


def changed(*anchors, amount=0.5):
    sections = tuple(
        ChangedSection((f"About {each}",), SectionChange.CHANGED, 1, 1, each) for each in anchors
    )
    return event(page=PageChange(EventKind.CHANGED, None, None, (), sections, Drift(amount)))


def test_what_is_new_or_worse_is_told_and_what_got_better_is_not():
    told = {kind for kind in EventKind if may_want(filter_of(), event(kind))}
    assert told == {EventKind.NEW, EventKind.CHANGED, EventKind.GONE, EventKind.DIED, EventKind.FAILED}
    assert may_want(filter_of(events=["revived"]), event(EventKind.REVIVED))


@pytest.mark.parametrize(
    ("urls", "is_wanted"),
    [
        (["https://example.com/*"], True),
        (["/api/*"], True),
        (["/blog/*", "/api/limits"], True),
        (["/blog/*"], False),
        (["https://example.com/api"], False),
    ],
)
def test_a_glob_chooses_pages(urls, is_wanted):
    assert wants(filter_of(urls=urls), changed("x")) is is_wanted


def test_what_is_left_out_is_left_out():
    assert not wants(filter_of(skip=["*/limits"]), changed("x"))
    assert wants(filter_of(skip="*/other"), changed("x"))


def test_small_changes_can_be_left_out_and_what_nobody_measured_counts_whole():
    wanted = filter_of(drift=0.3)
    assert wants(wanted, changed("x", amount=0.3))
    assert not wants(wanted, changed("x", amount=0.29))
    assert wants(wanted, event())
    assert wants(wanted, event(EventKind.GONE)), "only changes are measured"


def test_a_section_of_a_page():
    wanted = filter_of(urls=[f"{PAGE}#rates"])
    assert needs_reading(wanted, event())
    assert wants(wanted, changed("intro", "rates"))
    assert not wants(wanted, changed("intro"))
    assert wants(wanted, event(EventKind.GONE)), "with the page its sections went"
    assert not wants(wanted, event(EventKind.NEW))
    assert wants(filter_of(urls=[f"{PAGE}#About rates"]), changed("rates")), "or by its heading"


def test_a_run_that_failed_is_told_unless_pages_were_chosen():
    failed = event(EventKind.FAILED, url="")
    assert wants(filter_of(), failed)
    assert not wants(filter_of(urls=["/api/*"]), failed)
    assert wants(filter_of(urls=["/api/*"], events=["changed", "failed"]), failed)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, "exactly one of"),
        ({"command": "a", "webhook": "https://x"}, "exactly one of"),
        ({"webhook": "https://x", "webhook_env": "X"}, "exactly one of"),
        ({"command": "a", "urls": "api/*"}, "can match nothing"),
        ({"command": "a", "events": ["change"]}, "no event 'change'"),
        ({"command": "a", "drift": 2}, "from 0 to 1"),
        ({"command": "a", "digest": "week"}, "run or day"),
        ({"command": "a", "at": "08:00"}, "no day"),
        ({"command": "a", "digest": "day", "at": "8 o'clock"}, "time of day"),
        ({"command": "a", "secret_env": "X"}, "no key 'secret_env'"),
        ({"command": ""}, "expected a text"),
        ({"webhook": "https://x", "allow_private": "yes"}, "true or false"),
        ({"mail": []}, "a text or a list"),
        ({"mail": "a@example.com"}, "needs smtp and from"),
    ],
)
def test_a_target_that_cannot_be_obeyed_names_what_is_wrong(table, words):
    with pytest.raises(ConfigError) as raised:
        read_target("team", table)
    assert words in raised.value.message
    assert "[notify.team]" in raised.value.message


def test_targets_stand_in_the_settings_file():
    text = """
    [notify.team]
    webhook = "https://hooks.example.com/x"
    secret_env = "HOOK_SECRET"
    digest = "day"
    at = "07:30"
    """
    (target,) = read_settings_file(text, "holdfast.toml").targets
    assert (target.name, target.channel, target.digest, target.at) == (
        "team", Channel.WEBHOOK, Digest.DAY, time(7, 30),
    )  # fmt: skip
    with pytest.raises(ConfigError, match=r"holdfast.toml: \[notify.x\]"):
        read_settings_file("[notify.x]\ncommnd = 'a'", "holdfast.toml")


def test_by_day_is_told_once_that_time_of_day_came():
    target = read_target("t", {"command": "a", "digest": "day", "at": "08:00"})
    evening = NOW.replace(hour=20)
    morning = evening.replace(day=5, hour=8)
    assert not digest_is_due(target, NOW, evening)
    assert not digest_is_due(target, NOW, morning - timedelta(seconds=1))
    assert digest_is_due(target, NOW, morning)
    assert not digest_is_due(target, morning + timedelta(hours=1), morning + timedelta(hours=2))
    assert digest_is_due(read_target("t", {"command": "a"}), NOW, NOW)


@given(st.integers(1, 500))
def test_patience_grows_and_has_an_end(attempts):
    one, more = next_try(NOW, attempts), next_try(NOW, attempts + 1)
    assert timedelta(minutes=1) <= one - NOW <= more - NOW <= timedelta(hours=6)


def test_the_worst_comes_first_and_the_rest_is_counted():
    events = [
        event(kind, f"https://example.com/{n}") for n in range(80) for kind in (EventKind.NEW, EventKind.DIED)
    ]
    first = worst_first(events)
    assert len(first) == 100
    assert {each.kind for each in first[:80]} == {EventKind.DIED}
    message = Message("n", "t", NOW, {EventKind.DIED: 80, EventKind.NEW: 80}, tuple(first))
    assert message.more == 60
    assert subject_of_message(message) == "Holdfast: 80 dead, 80 new"
    assert "… and 60 more" in text_of_message(message)


def test_nothing_of_the_web_controls_a_terminal_or_a_header():
    evil = event(EventKind.GONE, title="x\x1b[2J\u202e\r\nBcc: all@example.com")
    message = Message("n", "t", NOW, {EventKind.GONE: 1}, (evil,))
    assert "\n" not in subject_of_message(message)
    assert not {"\x1b", "\u202e", "\r"} & set(subject_of_message(message) + text_of_message(message))


def test_secrets_in_addresses_are_not_told():
    event_with_secret = event(EventKind.DIED, url="https://example.com/x?token=abc123")
    message = Message("n", "t", NOW, {EventKind.DIED: 1}, (event_with_secret,))
    assert "abc123" not in subject_of_message(message) + text_of_message(message)
