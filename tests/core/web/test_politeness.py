"""Turns per host: a day of crawling in milliseconds."""

import itertools
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.web.pace import GO, IN_LINE, Lane, Pace, SentAway, Sleep

pytestmark = pytest.mark.spec("MIR-3")


def crawl(lane, durations, now=0.0):
    """One client after another; the times at which requests began and ended."""
    turns = []
    for ticket, duration in enumerate(durations):
        lane.join(ticket)
        while (turn := lane.turn(ticket, now)) != GO:
            assert isinstance(turn, Sleep)
            now += turn.seconds
        lane.begin(ticket)
        began, now = now, now + duration
        lane.end(now)
        turns.append((began, now))
    return turns


def test_a_day_of_crawling_never_asks_within_a_second_of_the_last_response():
    turns = crawl(Lane(Pace(pause=1.0)), [0.44] * 60_000)
    assert turns[-1][1] == pytest.approx(86_400, abs=1.5)
    assert all(began - ended >= 1.0 - 1e-6 for (_, ended), (began, _) in itertools.pairwise(turns))


@settings(deadline=None, max_examples=60)
@given(
    rate=st.sampled_from([0.1, 0.5, 1, 3, 20]),
    delay=st.sampled_from([0, 0.2, 5, 30]),
    durations=st.lists(st.floats(0, 100), min_size=2, max_size=40),
)
def test_the_pause_is_measured_from_the_end_and_the_longer_of_rate_and_crawl_delay(rate, delay, durations):
    lane = Lane(Pace.of_rate(rate, 8, 60))
    lane.slow_to(delay)
    wanted = max(1 / rate, delay)
    turns = crawl(lane, durations)
    for (_, ended), (began, _) in itertools.pairwise(turns):
        assert began - ended == pytest.approx(wanted, abs=1e-6)


def test_rate_one_half_is_two_seconds_and_zero_is_none():
    assert Pace.of_rate(0.5, 8, 60).pause == 2.0
    assert Pace.of_rate(0, 8, 60).pause == 0.0


def test_one_at_a_time_while_there_is_a_pause():
    lane = Lane(Pace(pause=1.0, width=8))
    lane.join("a")
    lane.join("b")
    assert lane.turn("b", 0.0) == IN_LINE
    lane.begin("a")
    assert lane.turn("b", 0.0) == IN_LINE
    assert lane.next_up is None
    lane.end(3.0)
    assert lane.next_up == "b"
    assert lane.turn("b", 3.0) == Sleep(1.0, "delay")


def test_as_many_as_the_width_while_the_limit_is_off_and_one_once_a_crawl_delay_is_known():
    lane = Lane(Pace(pause=0.0, width=3))
    for _ in range(3):
        assert lane.is_open(0.0)
        lane.begin()
    assert not lane.is_open(0.0)
    for _ in range(3):
        lane.end(1.0)
    lane.slow_to(5.0)
    assert lane.width == 1
    lane.join("a")
    assert lane.turn("a", 2.0) == Sleep(4.0, "crawl-delay")


@pytest.mark.spec("MIR-4")
def test_a_hold_stops_the_whole_lane_and_is_never_shortened():
    lane = Lane(Pace(pause=1.0))
    lane.hold(30.0, "retry-after")
    lane.hold(10.0, "backoff")
    assert not lane.is_open(20.0)
    lane.join("a")
    assert lane.turn("a", 20.0) == Sleep(10.0, "retry-after")
    assert lane.turn("a", 30.0) == GO


@pytest.mark.spec("MIR-4")
def test_a_hold_beyond_the_longest_wait_sends_everybody_away():
    lane = Lane(Pace(longest_wait=60.0))
    lane.hold(1_000.0, "retry-after")
    lane.join("a")
    assert lane.turn("a", 0.0) == SentAway(1_000.0)
    assert lane.turn("a", 950.0) == Sleep(50.0, "retry-after")


def test_a_crawl_delay_longer_than_the_longest_wait_is_honoured_not_sent_away():
    lane = Lane(Pace(longest_wait=60.0))
    lane.slow_to(300.0)
    lane.begin()
    lane.end(0.0)
    lane.join("a")
    assert lane.turn("a", 0.0) == Sleep(300.0, "crawl-delay")


@pytest.mark.parametrize("delay", [3_601.0, 1e308])
def test_a_crawl_delay_of_more_than_an_hour_is_not_slept_through(delay):
    lane = Lane(Pace(longest_wait=60.0))
    lane.slow_to(delay)
    lane.begin()
    lane.end(0.0)
    lane.join("a")
    assert lane.turn("a", 0.0) == SentAway(delay)


def test_a_lane_is_forgettable_only_when_a_new_one_would_do_the_same():
    lane = Lane(Pace(pause=1.0))
    assert lane.is_forgettable(0.0)
    lane.begin()
    assert not lane.is_forgettable(0.0)
    lane.end(5.0)
    assert not lane.is_forgettable(5.5)
    assert lane.is_forgettable(6.0)
    lane.join("a")
    assert not lane.is_forgettable(6.0)
    lane.leave("a")
    assert lane.is_forgettable(6.0)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["join", "serve", "leave", "hold"]), max_size=60), st.integers(1, 4))
def test_turns_are_given_in_the_order_of_arrival_and_never_more_than_the_width(events, width):
    lane = Lane(Pace(pause=0.0, width=width))
    line, running, now, number = deque(), 0, 0.0, 0
    for event in events:
        now += 1
        if event == "join":
            number += 1
            lane.join(number)
            line.append(number)
        elif event == "leave" and line:
            lane.leave(line.pop())
        elif event == "hold":
            lane.hold(now + 2, "backoff")
        elif event == "serve" and running:
            lane.end(now)
            running -= 1
        for ticket in list(line):
            if lane.turn(ticket, now) == GO:
                assert ticket == line[0]
                lane.begin(line.popleft())
                running += 1
        assert running <= width
