"""The pace of one host, on a clock of its own: seconds of asking in microseconds."""

import pytest

from holdfast.core.web.pace import HostManner, HostPace

pytestmark = pytest.mark.spec("TRK-12")


def ask(pace, times, *, took=0.01, now=0.0):
    """Ask one after the other, each as soon as it may; when each began."""
    begun = []
    for _ in range(times):
        now += pace.wait(now)
        begun.append(now)
        pace.begin(now)
        pace.end(now + took, took)
    return begun


def test_a_host_is_asked_fifty_milliseconds_apart_two_at_a_time():
    pace = HostPace(HostManner())
    assert pace.wait(0.0) == 0
    pace.begin(0.0)
    assert pace.wait(0.0) == pytest.approx(0.05)
    pace.begin(0.05)
    assert pace.wait(9.0) == float("inf")
    pace.end(9.0, 9.0)
    assert pace.wait(9.0) == 0


def test_three_thousand_urls_of_one_host_take_minutes_not_an_hour():
    begun = ask(HostPace(HostManner()), 3_051)
    assert begun[-1] == pytest.approx(3_050 * 0.05)


def test_a_429_doubles_the_pause_and_ten_good_answers_give_it_back():
    pace = HostPace(HostManner())
    pace.begin(0.0)
    pace.slow_down(0.1, 2.0)
    assert (pace.pause, pace.width) == (0.2, 1)
    assert pace.wait(0.1) == pytest.approx(2.0)
    ask(pace, 10, now=2.1)
    assert (pace.pause, pace.width) == (0.1, 1)
    ask(pace, 10, now=10.0)
    assert (pace.pause, pace.width) == (0.05, 2)


def test_two_that_ran_side_by_side_are_one_wish_to_slow_down():
    pace = HostPace(HostManner())
    pace.begin(0.0)
    pace.begin(0.05)
    pace.slow_down(0.1, 5.0)
    pace.slow_down(0.12, 6.0)
    assert pace.pause == 0.2
    assert pace.held_for(0.12) == pytest.approx(6.0)


def test_without_a_time_the_hold_grows_by_itself():
    pace, now, holds = HostPace(HostManner()), 0.0, []
    for _ in range(4):
        now += pace.wait(now)
        pace.begin(now)
        pace.slow_down(now, None)
        holds.append(pace.held_for(now))
    assert holds == [1, 2, 4, 8]


def test_latency_that_grows_slows_the_pace_and_an_even_one_does_not():
    even, growing = HostPace(HostManner()), HostPace(HostManner())
    ask(even, 50, took=0.9)
    assert even.pause == 0.05
    for n in range(30):
        ask(growing, 1, took=0.1 * (n + 1), now=n * 100.0)
    assert growing.pause > 0.1
    assert growing.width == 1


@pytest.mark.parametrize(("asked", "later"), [(60, False), (61, True), (86_400, True)])
def test_a_retry_after_within_the_patience_is_waited_for(asked, later):
    pace = HostPace(HostManner(patience=60))
    pace.begin(0.0)
    pace.slow_down(0.0, asked)
    assert pace.is_left_for_later(0.0) is later
    assert pace.held_for(0.0) == asked


def test_a_host_that_asks_for_a_minute_again_and_again_is_left_for_a_later_run():
    pace, now = HostPace(HostManner(patience=60, patience_sum=180)), 0.0
    rounds = 0
    while not pace.is_left_for_later(now):
        now += pace.wait(now)
        pace.begin(now)
        pace.slow_down(now, 60.0)
        rounds += 1
    assert rounds == 4


def test_a_rate_that_the_user_named_is_kept_from_the_end_of_each_response_and_never_gets_faster():
    pace = HostPace(HostManner(pause=1.0, width=8, adapts=False))
    assert ask(pace, 30, took=0.5)[-1] == pytest.approx(29 * 1.5)
    assert (pace.pause, pace.width) == (1.0, 1)
    assert pace.seconds_for(10, 1e9) == pytest.approx(15.0)


def test_the_outlook_knows_the_pace_and_the_hold():
    pace = HostPace(HostManner())
    assert pace.seconds_for(3_000, 0.0) == pytest.approx(150)
    pace.begin(0.0)
    pace.slow_down(0.0, 30.0)
    assert pace.seconds_for(100, 0.0) == pytest.approx(30 + 100 * 0.2)
