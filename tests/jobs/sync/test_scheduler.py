"""The scheduler itself, on a virtual clock: a week, fifty jobs, restarts, a clock that is set back."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from holdfast.adapters.fake_web import MemoryClock
from holdfast.core.settings.schedule import Schedule, parse_schedule, read_schedule_file, schedule_text
from holdfast.jobs.sync.scheduling import Scheduler

pytestmark = pytest.mark.spec("TRK-10")
START = datetime(2026, 3, 2, tzinfo=UTC)
WEEK = timedelta(days=7)


class Place:
    """Jobs that take virtual time; what is known of them is the text of the file."""

    def __init__(self, clock, lasting=30.0, status=0):
        self.clock, self.lasting, self.status, self.text = clock, lasting, status, ""
        self.begun, self.running, self._read = {}, 0, {}

    def runs(self):
        return self._read

    def write(self, runs):
        self.text = schedule_text(runs)
        self._read = read_schedule_file(self.text)

    async def run(self, name):
        assert not self.running, "one at a time"
        self.running += 1
        try:
            self.begun.setdefault(name, []).append(self.clock.now())
            await self.clock.sleep(self.lasting)
        finally:
            self.running -= 1
        return self.status


class Told:
    def __init__(self):
        self.events = []

    def notice(self, event):
        self.events.append((event.name, dict(event.facts)))


def live(jobs, place, until, observer=None):
    """Run what is due until a moment; then the watcher is ended, whatever it is doing."""

    async def some():
        scheduler = Scheduler(jobs, place, place.clock, observer or Told())
        task = asyncio.create_task(scheduler.keep_running())
        await place.clock.sleep((until - place.clock.now()).total_seconds())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(some())


def fifty():
    dice = random.Random(7)
    return {
        f"mirror.job{number}": Schedule(
            timedelta(hours=dice.choice([6, 8, 12, 24, 48])), timedelta(minutes=dice.choice([0, 10, 30]))
        )
        for number in range(50)
    }


def test_a_week_of_fifty_jobs_every_due_run_happens_and_none_twice():
    clock = MemoryClock(START)
    place, jobs = Place(clock), fifty()
    live(jobs, place, START + WEEK)
    backlog = timedelta(seconds=place.lasting) * len(jobs) + timedelta(minutes=2)
    for name, schedule in jobs.items():
        times = place.begun[name]
        assert times[0] - START <= backlog
        for one, next_one in pairwise(times):
            assert schedule.every <= next_one - one <= schedule.every + schedule.jitter + backlog
        assert START + WEEK - times[-1] <= schedule.every + schedule.jitter + backlog


def test_a_week_with_a_restart_every_few_hours():
    clock, dice = MemoryClock(START), random.Random(3)
    place, jobs = Place(clock), fifty()
    stops = sorted(START + WEEK * dice.random() for _ in range(40))
    for moment in [*stops, START + WEEK]:
        live(jobs, place, moment)
        clock.pass_time(dice.uniform(0, 600))
    down = timedelta(minutes=10 * 41) + timedelta(seconds=place.lasting) * len(jobs)
    for name, schedule in jobs.items():
        cut_off = sum(next_one - one < schedule.every for one, next_one in pairwise(place.begun[name]))
        assert cut_off <= len(stops), "only what was cut off goes on before its time"
        for one, next_one in pairwise(place.begun[name]):
            assert next_one - one <= schedule.every + schedule.jitter + down
    begun = sum(map(len, place.begun.values()))
    due = sum(WEEK / schedule.every for schedule in jobs.values())
    assert begun <= due + len(jobs) + len(stops)


def test_quiet_hours_hold_through_the_scheduler():
    clock = MemoryClock(START)
    place = Place(clock, lasting=5)
    live({"check.a": parse_schedule("1h", None, "22:00-06:00")}, place, START + WEEK)
    hours = {moment.astimezone().hour for moment in place.begun["check.a"]}
    assert hours == set(range(6, 22))


def test_a_machine_that_slept_finds_what_is_due_when_it_wakes():
    clock = MemoryClock(START)
    place = Place(clock, lasting=5)
    jobs = {"check.a": Schedule(timedelta(hours=6))}
    live(jobs, place, START + timedelta(minutes=1))
    clock.pass_time(timedelta(days=2).total_seconds())
    live(jobs, place, clock.now() + timedelta(minutes=2))
    assert len(place.begun["check.a"]) == 2, "what was missed is made up for once"


def test_a_clock_that_was_set_back_stops_no_job():
    place = Place(MemoryClock(START + timedelta(days=300)), lasting=5)
    jobs = {"check.a": Schedule(timedelta(hours=6))}
    live(jobs, place, START + timedelta(days=300, minutes=1))
    place.clock = MemoryClock(START)
    live(jobs, place, START + timedelta(minutes=1))
    assert len(place.begun["check.a"]) == 2


def test_a_job_that_fails_is_told_and_waits_for_its_time():
    told, place = Told(), Place(MemoryClock(START), lasting=5, status=3)
    live({"mirror.a": Schedule(timedelta(hours=6))}, place, START + timedelta(hours=7), told)
    ended = [facts for name, facts in told.events if name == "ended"]
    assert [(facts["status"], facts["failed"]) for facts in ended] == [(3, True)] * 2
    assert [facts["job"] for name, facts in told.events if name == "next"] == ["mirror.a"] * 2
