"""Schedules on a clock that costs nothing: a week, fifty jobs, restarts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.settings.schedule import JobRuns, Schedule, due_jobs, next_run, parse_schedule

START = datetime(2026, 3, 2, tzinfo=UTC)
WEEK = timedelta(days=7)
MINUTE = timedelta(minutes=1)


def live(jobs, lasting, offline=(0, 0)):
    """A week of one worker; the times at which each job began. Nothing runs between the two minutes of
    `offline`. What is remembered is only what a file would hold.
    """
    runs, begun, now = {}, {name: [] for name in jobs}, START
    first, last = (START + MINUTE * minutes for minutes in offline)
    while now < START + WEEK:
        if first <= now < last:
            now = last
        elif due := due_jobs(jobs, runs, now):
            begun[due[0]].append(now)
            runs[due[0]] = JobRuns(now, now + lasting)
            now += lasting
        else:
            now = min(next_run(name, each, runs.get(name, JobRuns()), now) for name, each in jobs.items())
    return begun


schedules = st.builds(
    Schedule,
    st.integers(6 * 60, 60 * 48).map(lambda minutes: timedelta(minutes=minutes)),
    st.integers(0, 45).map(lambda minutes: timedelta(minutes=minutes)),
)


@pytest.mark.spec("TRK-10")
@settings(max_examples=10)
@given(st.lists(schedules, min_size=50, max_size=50), st.integers(1, 50))
def test_in_a_week_every_due_run_happens_and_none_twice(given_schedules, seconds):
    jobs = {f"job{number}": schedule for number, schedule in enumerate(given_schedules)}
    lasting = timedelta(seconds=seconds)
    begun = live(jobs, lasting)
    backlog = lasting * len(jobs) + MINUTE
    for name, schedule in jobs.items():
        times = begun[name]
        assert times[0] - START <= backlog
        for one, next_one in pairwise(times):
            assert next_one - one >= schedule.every, "never twice for one due time"
            assert next_one - one <= schedule.every + schedule.jitter + backlog, "and never left out"
        assert START + WEEK - times[-1] <= schedule.every + schedule.jitter + backlog


@pytest.mark.spec("TRK-10")
@settings(max_examples=10)
@given(schedules, st.integers(0, 8000), st.integers(1, 3000))
def test_what_was_missed_is_made_up_for_once(schedule, first, length):
    (times,) = live({"job": schedule}, MINUTE, offline=(first, first + length)).values()
    for one, next_one in pairwise(times):
        assert next_one - one >= schedule.every
    back = START + MINUTE * (first + length)
    after = [each for each in times if each >= back]
    if after and (earlier := [each for each in times if each < back]):
        assert after[0] <= max(earlier[-1] + schedule.every + schedule.jitter, back) + 2 * MINUTE


@pytest.mark.spec("TRK-10")
def test_nothing_begins_in_the_quiet_hours():
    schedule = parse_schedule("1h", "10m", "22:00-06:30")
    (times,) = live({"job": schedule}, MINUTE).values()
    assert len(times) > 7 * 10
    assert all(6.5 <= each.hour + each.minute / 60 < 22 for each in times[1:])


@pytest.mark.spec("TRK-10")
def test_a_run_that_was_cut_off_goes_on_at_once():
    schedule = Schedule(timedelta(hours=6))
    assert next_run("job", schedule, JobRuns(START), START + MINUTE) == START + MINUTE
    again = JobRuns(START + MINUTE, START)
    assert due_jobs({"job": schedule}, {"job": again}, START + 2 * MINUTE) == ["job"]


@pytest.mark.spec("TRK-10")
@pytest.mark.parametrize(
    ("every", "jitter", "quiet"),
    [
        ("soon", None, None),
        ("10s", None, None),
        ("1h", "x", None),
        ("1h", None, "22-6"),
        ("1h", None, "6:00-6:00"),
    ],
)
def test_a_schedule_that_cannot_be_read_is_an_error(every, jitter, quiet):
    with pytest.raises(ValueError, match=r"expected|end"):
        parse_schedule(every, jitter, quiet)
