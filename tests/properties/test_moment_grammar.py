"""Moments: any text is one or an error; what is shown is read again; bounds leave nothing out, and begin and
end where their moment does, whichever way clocks run.
"""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.examples import examples
from helpers.growth import is_linear
from holdfast.core.base.shown_text import harmless
from holdfast.core.targets.bound import Bound, BoundKind, CaptureStamp, captures_in
from holdfast.core.targets.moment import (
    Instant,
    MomentRefusal,
    TimeSpan,
    moment_flag,
    read_moment,
    shown_moment,
)
from holdfast.core.targets.moment_bounds import (
    MomentUse,
    RunTimes,
    Timeline,
    Timelines,
    VersionPlaces,
    bounds_of,
    diff_alone,
    diff_between,
)

pytestmark = pytest.mark.spec("CLI-3")

NOW = datetime(2026, 5, 11, 9, 30, 0, 123_000, tzinfo=UTC)
times = st.datetimes(datetime(2026, 5, 1), datetime(2026, 5, 13), timezones=st.just(UTC))  # noqa: DTZ001
any_time = st.datetimes()
zones = st.sampled_from(["", "Z", "z", "+02:00", "-11:30", "+23:59", "-23:59"])
written = st.one_of(
    st.dates().map(str),
    st.builds(lambda at, zone: at.isoformat("T", "minutes") + zone, any_time, zones),
    st.builds(lambda at, zone: at.isoformat(" ", "seconds") + zone, any_time, zones),
    st.builds(lambda at, zone: at.isoformat("T", "milliseconds") + zone, any_time, zones),
    st.builds("{}{}".format, st.integers(0, 10**9), st.sampled_from("smhdw")),
    st.builds("{}.5{}".format, st.integers(0, 999), st.sampled_from("smhdw")),
    st.sampled_from(
        "yesterday today last v1 v2 v12 git:HEAD git:v2 deadbeef run:ab 20260504 99991231".split()
    ),
)
texts = st.one_of(
    written,
    st.text(max_size=20),
    st.text("0123456789-:TZ+. dhmswvabcdefrungit@", max_size=24),
    st.builds(
        "{}{}".format, st.sampled_from(["run:", "git:", "item:", "v", "2026-", "-"]), st.text(max_size=10)
    ),
)
stamps = st.lists(times, max_size=8).map(
    lambda drawn: [CaptureStamp(10 * place, time) for place, time in enumerate(drawn, 1)]
)
spans = st.builds(lambda at, form: at.strftime(form), times, st.sampled_from(["%Y-%m-%d", "%Y-%m-%dT%H:%MZ"]))
clocked = st.one_of(spans, st.sampled_from(["7d", "12h", "yesterday", "today", "2026-05-04T12:00:00.5Z"]))


def timelines(captures, runs=()):
    versions = tuple(VersionPlaces(each.place, each.place) for each in captures)
    return Timelines((Timeline(tuple(runs), (), versions),), NOW, {"HEAD": NOW, "v2": NOW})


def taken(text, use, captures, runs=()):
    found = bounds_of(read_moment(text, NOW), use, timelines(captures, runs))
    return captures_in(found.each[0], captures)


@settings(max_examples=examples(1_000))
@given(texts)
def test_any_text_is_a_moment_or_an_error_that_can_be_shown(text):
    found = read_moment(text, NOW)
    if isinstance(found, MomentRefusal):
        said = found.message + (found.hint or "")
        assert harmless(said) == said
        if (found.hint or "").startswith("write "):
            assert not isinstance(read_moment(found.hint.removeprefix("write "), NOW), MomentRefusal)
    else:
        for use in MomentUse:
            bounds_of(found, use, timelines(()))
        diff_alone(found, timelines(()))
        diff_between(found, None, timelines(()))


@settings(max_examples=examples(1_000))
@given(written)
def test_what_is_shown_is_read_again(text):
    found = read_moment(text, NOW)
    assert not isinstance(found, MomentRefusal)
    assert read_moment(shown_moment(found), NOW) == found


@settings(max_examples=examples(500))
@given(written)
def test_a_stretch_of_time_ends_after_it_starts(text):
    found = read_moment(text, NOW)
    if isinstance(found, TimeSpan):
        assert found.end is None or found.start < found.end
    if isinstance(found, Instant) and found.at is not None and text[-1] in "smhdw":
        assert found.at <= NOW


@settings(max_examples=examples(500))
@given(times, stamps)
def test_a_longer_stretch_holds_the_shorter_ones_in_it(time, captures):
    forms = ["%Y-%m-%d", "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%SZ"]
    day, minute, second = (read_moment(time.strftime(form), NOW) for form in forms)
    assert day.start <= minute.start <= second.start <= second.end <= minute.end <= day.end
    for outer, inner in ((forms[0], forms[1]), (forms[1], forms[2])):
        wide, narrow = time.strftime(outer), time.strftime(inner)
        assert set(taken(narrow, MomentUse.SINCE, captures)) <= set(taken(wide, MomentUse.SINCE, captures))
        assert set(taken(narrow, MomentUse.UNTIL, captures)) <= set(taken(wide, MomentUse.UNTIL, captures))


@settings(max_examples=examples(500))
@given(clocked, stamps)
def test_until_and_after_leave_nothing_out_whichever_way_the_clock_ran(text, captures):
    until, after = taken(text, MomentUse.UNTIL, captures), taken(text, MomentUse.AFTER, captures)
    assert set(until) | set(after) == set(range(len(captures)))
    ordered = sorted(captures, key=lambda each: each.time)
    ordered = [CaptureStamp(place, each.time) for place, each in enumerate(ordered)]
    until, after = taken(text, MomentUse.UNTIL, ordered), taken(text, MomentUse.AFTER, ordered)
    assert list(until) + list(after) == list(range(len(ordered)))


@settings(max_examples=examples(500))
@given(clocked, stamps)
def test_what_is_stamped_within_a_moment_is_taken_by_since_and_until(text, captures):
    moment = read_moment(text, NOW)
    start = moment.start if isinstance(moment, TimeSpan) else moment.at
    since, until = taken(text, MomentUse.SINCE, captures), taken(text, MomentUse.UNTIL, captures)
    for at, capture in enumerate(captures):
        is_before = capture.time < moment.end if isinstance(moment, TimeSpan) else capture.time <= start
        assert at in since or capture.time < start
        assert at in until or not is_before
    assert set(taken(text, MomentUse.AFTER, captures)) <= set(since)


@settings(max_examples=examples(300))
@given(stamps, st.integers(0, 80), st.integers(0, 30))
def test_a_run_parts_the_order_exactly(captures, begin, length):
    run = RunTimes("deadbeef00aa11bb", begin, begin + length, NOW, NOW)
    parts = [taken("run:dead", use, captures, [run]) for use in (MomentUse.UNTIL, MomentUse.AFTER)]
    assert [*parts[0], *parts[1]] == list(range(len(captures)))
    sides = diff_alone(read_moment("last", NOW), timelines(captures, [run]))
    before, until = captures_in(sides.left.each[0], captures), captures_in(sides.right.each[0], captures)
    brought = [at for at, each in enumerate(captures) if begin <= each.place <= begin + length]
    assert list(until)[len(before) :] == brought


@settings(max_examples=examples(300))
@given(clocked, stamps)
def test_the_left_side_of_diff_since_is_what_since_does_not_take(text, captures):
    sides = diff_between(read_moment(text, NOW), None, timelines(captures))
    left = captures_in(sides.left.each[0], captures)
    assert [*left, *taken(text, MomentUse.SINCE, captures)] == list(range(len(captures)))
    assert captures_in(sides.right.each[0], captures) == range(len(captures))


@settings(max_examples=examples(300))
@given(st.text(max_size=12) | written)
def test_what_belongs_to_a_flag_is_a_moment_or_a_revision(text):
    flag = moment_flag(text)
    if flag is not None:
        _, moment = flag.split(" ", 1)
        assert not isinstance(read_moment(moment, NOW), MomentRefusal)


def test_a_moment_reads_the_time_that_it_is_given_and_no_other():
    later = NOW + timedelta(days=400)
    assert read_moment("7d", later).at - read_moment("7d", NOW).at == timedelta(days=400)
    assert read_moment("today", later).start > read_moment("today", NOW).end


SHAPES = ["7", "7d", "-", "v1", "a", ":", "2026-05-04", "git:", "..", " ", "٣", "é", "1.", "dead"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("begin", ["", "git:", "run:", "2026-05-04T12:00:00."])
def test_the_time_of_reading_grows_with_the_text_and_not_with_its_square(shape, begin):
    assert is_linear(lambda size: read_moment(begin + shape * size, NOW), 5_000)


def test_the_time_of_finding_captures_grows_with_their_number():
    def work(size):
        captures = [CaptureStamp(place, NOW) for place in range(size)]
        return captures_in(Bound(BoundKind.BEFORE, NOW), captures)

    assert is_linear(work, 2_000)
