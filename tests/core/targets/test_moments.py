"""What a moment means and bounds: `tests/vectors/surface/moments.json`, and what its errors say."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from holdfast.core.targets.bound import BoundKind, CaptureStamp, captures_in
from holdfast.core.targets.moment import Instant, MomentRefusal, moment_flag, read_moment
from holdfast.core.targets.moment_bounds import (
    DiffSides,
    MomentUse,
    RunTimes,
    Timeline,
    Timelines,
    VersionPlaces,
    bounds_of,
    diff_alone,
    diff_between,
    refused_in_diff,
)

pytestmark = pytest.mark.spec("CLI-3")

FOLDER = Path(__file__).parents[2] / "vectors" / "surface"
VECTORS = json.loads((FOLDER / "moments.json").read_text(encoding="utf-8"))
CONTEXTS, CASES = VECTORS["contexts"], VECTORS["cases"]
NOW = datetime(2026, 5, 11, 9, 30, tzinfo=UTC)


def runs_of(listed):
    return tuple(
        RunTimes(
            run["id"],
            run["begin"],
            run["end"],
            datetime.fromisoformat(run["from"]),
            datetime.fromisoformat(run["to"]) if run["to"] else None,
            run["brought"],
        )
        for run in listed
    )


def versions_of(context):
    if context["target"] != "page":
        return None
    places = {}
    for capture in context["captures"]:
        places.setdefault(capture["version"], []).append(capture["seq"])
    return tuple(VersionPlaces(min(seqs), max(seqs)) for _, seqs in sorted(places.items()))


def timelines(context, now):
    own = Timeline(runs_of(context["runs"]), tuple(context.get("items", ())), versions_of(context))
    other = context.get("other_store_runs")
    stores = (own,) if other is None else (own, Timeline(runs_of(other)))
    git = context.get("git")
    times = None if git is None else {name: datetime.fromisoformat(time) for name, time in git.items()}
    return Timelines(stores, now, times)


def found_in(case, known):
    """What a case's moment bounds, however it is used."""
    now = known.now
    moment = None if case["text"] is None else read_moment(case["text"], now)
    if isinstance(moment, MomentRefusal):
        return moment
    match case["use"]:
        case "diff alone":
            return diff_alone(moment, known)
        case "diff since":
            return diff_between(moment, None, known)
        case use:
            return bounds_of(moment, MomentUse(use), known)


def check_bound(bound, expect, stamps):
    if "bound" in expect:
        assert bound.kind.value == expect["bound"]
    if "seq" in expect:
        assert bound.point == expect["seq"]
    elif "instant" in expect:
        assert bound.point == datetime.fromisoformat(expect["instant"])
    elif expect.get("bound") in ("all", "none"):
        assert bound.point is None
    taken = [stamps[at].place for at in captures_in(bound, stamps)]
    if "takes" in expect:
        assert taken == expect["takes"]
    if "capture" in expect:
        assert (taken[-1] if taken else None) == expect["capture"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['text']} {case['use']}: {case['why']}")
def test_a_moment_bounds_what_its_vector_says(case):
    context = CONTEXTS[case["context"]]
    stamps = [
        CaptureStamp(capture["seq"], datetime.fromisoformat(capture["time"]))
        for capture in context.get("captures", ())
    ]
    expect = case["expect"]
    found = found_in(case, timelines(context, datetime.fromisoformat(case["now"])))

    if "error" in expect:
        assert isinstance(found, MomentRefusal), found
        assert found.fault.value == expect["error"]
        assert expect.get("hint", "") in (found.hint or "")
        assert list(found.readings) == expect.get("readings", [])
        for reading in found.readings:
            assert reading in found.hint
        return
    assert not isinstance(found, MomentRefusal), found
    if isinstance(found, DiffSides):
        for side, bounds in (("left", found.left), ("right", found.right)):
            check_bound(bounds.each[0], expect[side], stamps)
        return
    assert [told.value for told in found.told] == ([expect["told"]] if "told" in expect else [])
    for bound, wanted in zip(found.each, expect.get("each", [expect]), strict=True):
        check_bound(bound, wanted, stamps)


def two_stores(first, second, versions=(None, None)):
    stores = (Timeline(first, versions=versions[0]), Timeline(second, versions=versions[1]))
    return Timelines(stores, NOW, None)


RUN = RunTimes("bbbb2222cccc3333", 20, 29, NOW - timedelta(days=7), NOW - timedelta(days=6), brought=1)
OPEN = RunTimes("dddd4444eeee5555", 60, None, NOW - timedelta(hours=1), None)


@pytest.mark.parametrize("text", ["last", "v2"])
def test_what_one_store_alone_has_bounds_the_other_to_nothing_and_says_so(text):
    known = two_stores((RUN,), (OPEN,), ((VersionPlaces(1, 2), VersionPlaces(3, 4)), ()))
    found = bounds_of(read_moment(text, NOW), MomentUse.SINCE, known)
    assert [bound.kind for bound in found.each] == [BoundKind.FROM, BoundKind.NONE]
    assert [told.value for told in found.told] == ["there is none in the other store"]


def test_a_run_that_goes_on_begins_by_the_clock_in_the_other_store():
    known = two_stores((RUN,), (OPEN,))
    found = bounds_of(read_moment("dddd4444", NOW), MomentUse.SINCE, known)
    assert [bound.point for bound in found.each] == [OPEN.started, 60]
    found = bounds_of(read_moment("dddd4444", NOW), MomentUse.UNTIL, known)
    assert found.fault.value == "unfinished_run"


def test_the_latest_change_is_by_order_within_a_store():
    """A clock that ran back between two runs changes nothing."""
    later = RunTimes(
        "cccc3333dddd4444", 40, 49, NOW - timedelta(days=30), NOW - timedelta(days=30), brought=2
    )
    sides = diff_alone(None, Timelines((Timeline((RUN, later)),), NOW))
    assert [sides.left.each[0].point, sides.right.each[0].point] == [40, 49]


def test_a_single_version_is_compared_with_nothing():
    sides = diff_alone(None, Timelines((Timeline((), versions=(VersionPlaces(1, 3),)),), NOW))
    assert [sides.left.each[0].kind, sides.right.each[0].kind] == [BoundKind.NONE, BoundKind.ALL]


def test_diff_between_two_moments_ends_where_the_second_ends():
    known = Timelines((Timeline((RUN,)),), NOW)
    sides = diff_between(read_moment("2026-05-04", NOW), read_moment("last", NOW), known)
    assert sides.left.each[0].kind is BoundKind.SHORT_OF
    assert sides.right.each[0] == bounds_of(read_moment("last", NOW), MomentUse.UNTIL, known).each[0]


@pytest.mark.parametrize(
    ("moments", "flags", "hint"),
    [
        ([], {MomentUse.AT: "7d"}, "holdfast diff TARGET 7d"),
        ([], {MomentUse.AFTER: "last"}, "holdfast diff TARGET last"),
        (["v1"], {MomentUse.SINCE: "7d"}, "holdfast diff TARGET v1"),
        (["v1", "v2"], {MomentUse.UNTIL: "7d"}, "holdfast diff TARGET v1 v2"),
        ([], {MomentUse.UNTIL: "7d"}, "holdfast diff TARGET --since M --until 7d"),
        (["v1", "v2", "v3"], {}, "holdfast diff TARGET v1 v2"),
    ],
)
def test_moments_that_diff_does_not_take_together_name_the_right_call(moments, flags, hint):
    assert refused_in_diff(moments, flags).hint == hint


def test_diff_takes_two_moments_or_since_and_until():
    for moments, flags in (
        ([], {}),
        (["v1"], {}),
        (["v1", "v2"], {}),
        ([], {MomentUse.SINCE: "7d"}),
        ([], {MomentUse.SINCE: "7d", MomentUse.UNTIL: "1d"}),
    ):
        assert refused_in_diff(moments, flags) is None


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("2026-05-04", "--at 2026-05-04"),
        ("v2", "--at v2"),
        ("7d", "--since 7d"),
        ("yesterday", "--since yesterday"),
        ("last", "--since last"),
        ("git:HEAD", "--since git:HEAD"),
        ("v1.2.3", "--at git:v1.2.3"),
        ("deadbeef", None),
        ("docs", None),
        ("2026-02-30", None),
    ],
)
def test_a_moment_in_another_place_names_its_flag(text, flag):
    assert moment_flag(text) == flag


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("9999-12-31T23:59:59-02:00", datetime(9999, 12, 31, 23, 59, tzinfo=UTC)),
        ("0001-01-01T00:00+02:00", datetime(1, 1, 1, tzinfo=UTC)),
    ],
)
def test_a_zone_does_not_lead_beyond_the_first_and_the_last_date(text, at):
    assert read_moment(text, NOW).start == at


def test_a_fraction_finer_than_a_microsecond_is_cut():
    assert read_moment("2026-05-04T12:00:00.123456789Z", NOW) == Instant(
        datetime(2026, 5, 4, 12, 0, 0, 123_456, tzinfo=UTC)
    )


NEARLY = """
2026-5-4|2026-05|2026-13|2026-05-04T12Z|2026-05-04T24Z|2026-02-30+02:00|7D|99999999W|1..d|-7d|1d12h|1mo|9y|now|LAST
V2|2026|@1777896000|Run:abcd1234|999999999w999999999w|2 days ago|5 minutes ago|5 mice
"""


@pytest.mark.parametrize("text", NEARLY.strip().replace("\n", "|").split("|"))
def test_what_a_hint_says_to_write_is_a_moment(text):
    found = read_moment(text, NOW)
    assert isinstance(found, MomentRefusal)
    if found.hint.startswith("write "):
        assert not isinstance(read_moment(found.hint.removeprefix("write "), NOW), MomentRefusal), found.hint
    else:
        assert " " in found.hint


def test_a_run_that_two_stores_have_counts_by_the_order_of_each():
    copied = RunTimes(RUN.run_id, 3, 7, RUN.started, RUN.ended)
    found = bounds_of(read_moment("bbbb2222", NOW), MomentUse.AFTER, two_stores((RUN,), (copied,)))
    assert [bound.point for bound in found.each] == [29, 7]
    assert found.told == ()


def test_what_is_stamped_at_the_start_of_since_is_not_on_the_left_of_diff():
    stamps = [CaptureStamp(1, NOW - timedelta(days=3)), CaptureStamp(2, datetime(2026, 5, 10, tzinfo=UTC))]
    sides = diff_between(read_moment("yesterday", NOW), None, Timelines((Timeline(),), NOW))
    assert captures_in(sides.left.each[0], stamps) == range(1)


def test_of_two_versions_the_latest_change_is_between_them():
    known = Timelines((Timeline((), versions=(VersionPlaces(1, 3), VersionPlaces(4, 6))),), NOW)
    sides = diff_alone(None, known)
    assert [sides.left.each[0].point, sides.right.each[0].point] == [3, 6]


def test_the_latest_change_of_several_stores_is_the_newest_that_brought_something():
    idle = RunTimes("eeee5555ffff6666", 1, 9, NOW, NOW, brought=0)
    sides = diff_alone(None, two_stores((idle,), (RUN,)))
    assert sides.right.each[1].point == RUN.end


def test_an_item_that_does_not_begin_so_is_not_named():
    known = Timelines((Timeline(items=("ffff0000ffff0000", "feedbeef5566ff77")),), NOW)
    found = bounds_of(read_moment("feedbeef", NOW), MomentUse.AT, known)
    assert "item:feedbeef5566ff77" in found.hint


@pytest.mark.parametrize(
    ("text", "hint"), [("2w1d", "15d"), ("1d1h1m", "1501m"), ("90m30s", "5430s"), ("1h60m", "2h")]
)
def test_two_units_are_written_as_the_longest_one_that_they_fill(text, hint):
    assert read_moment(text, NOW).hint == f"write {hint}"
