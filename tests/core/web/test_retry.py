"""Whether to ask again, and when."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.web.retry import (
    AskAgain,
    Defer,
    GiveUp,
    RetryRules,
    Slowdown,
    backoff,
    decide,
    parse_retry_after,
    slowdown,
)

pytestmark = pytest.mark.spec("MIR-4")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RULES = RetryRules(attempts=4, base=1.0, longest_wait=60.0, longest_sum=100.0)
chances = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        (" 7 ", 7),
        ("Thu, 01 Jan 2026 00:01:30 GMT", 90),
        ("Thursday, 01-Jan-26 00:01:30 GMT", 90),
        ("Thu Jan  1 00:01:30 2026", 90),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Thu, 01 Jan 2099 00:00:00 GMT", 2_303_683_200),
        ("-5", 0),
        ("1.5", 1.5),
        ("1, 2", 2),
        ("30 seconds", 30),
        ("5s, soon", 5),
        ("soon", None),
        ("", None),
        ("9" * 30, None),
        ("٣", None),
        ("Thu, 99 Jan 2026 00:00:00 GMT", None),
        ("Thu, 01 Jan 99999 00:00:00 GMT", None),
    ],
)
def test_retry_after_is_read_leniently_and_what_is_neither_seconds_nor_a_date_is_ignored(value, seconds):
    assert parse_retry_after(value, NOW) == seconds


@given(st.text(max_size=40))
def test_no_retry_after_can_raise(value):
    seconds = parse_retry_after(value, NOW)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("status", "field", "met"),
    [
        (429, None, (True, None)),
        (429, "5", (True, 5)),
        (429, "soon", (True, None)),
        (503, "5", (True, 5)),
        (503, None, (False, None)),
        (503, "soon", (False, None)),
        (200, "5", (False, None)),
        (502, "5", (False, None)),
    ],
)
def test_only_429_and_503_with_a_time_ask_to_slow_down(status, field, met):
    assert slowdown(status, field, NOW) == met


@given(st.integers(0, 10_000), chances)
def test_backoff_is_a_share_of_a_doubling_step_under_the_ceiling(attempt, chance):
    step = min(60.0, 2.0**attempt) if attempt < 10 else 60.0
    assert backoff(RULES, attempt, chance) == pytest.approx(chance * step)


@given(st.floats(0, 60), st.integers(0, 3), chances)
def test_no_wait_is_shorter_than_retry_after(asked, attempt, chance):
    match decide(RULES, Slowdown(asked, attempt, 0.0), chance):
        case AskAgain(seconds):
            assert asked <= seconds <= 60
        case other:
            pytest.fail(str(other))


@given(st.one_of(st.none(), st.floats(0, 1e9)), st.integers(0, 9), st.floats(0, 100), chances)
def test_no_wait_and_no_sum_is_beyond_its_ceiling(asked, attempt, waited, chance):
    match decide(RULES, Slowdown(asked, attempt, waited), chance):
        case AskAgain(seconds):
            assert seconds <= RULES.longest_wait
            assert waited + seconds <= RULES.longest_sum
        case Defer(seconds):
            assert asked is not None
            assert seconds >= asked
        case GiveUp():
            assert attempt >= RULES.attempts or asked is None


def test_after_the_last_attempt_it_is_given_up_even_if_a_time_is_named():
    assert isinstance(decide(RULES, Slowdown(1.0, 4, 4.0), 0.5), GiveUp)


def test_the_reason_says_whose_wish_it_was():
    assert decide(RULES, Slowdown(None, 2, 0.0), 0.5) == AskAgain(2.0, "backoff")
    assert decide(RULES, Slowdown(9.0, 2, 0.0), 0.5) == AskAgain(9.0, "retry-after")
