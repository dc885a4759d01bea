"""Endless spaces are stopped by stated rules; what is finite is not."""

import pytest

from holdfast.core.traps import Trap, Traps, pattern_of
from holdfast.core.url import parse_url

pytestmark = pytest.mark.spec("MIR-1")


def url(target):
    return parse_url(f"https://e.com{target}")


@pytest.mark.parametrize(
    ("target", "trap"),
    [
        ("/a/b/a/b/a/b/page", Trap.REPEATS),
        ("/x/x/x/x/x", Trap.REPEATS),
        ("/1/1/1/1", None),
        ("/a/b/a/b/c", None),
        ("/" + "/".join(f"s{n}" for n in range(25)), Trap.DEPTH),
        ("/" + "/".join(f"s{n}" for n in range(24)), None),
    ],
)
def test_paths_that_feed_on_themselves_are_refused(target, trap):
    assert Traps().refusal(url(target)) is trap
    assert Traps(trap_pages=0).refusal(url(target)) is None


def test_a_pattern_is_the_path_without_its_numbers_and_without_its_query():
    assert pattern_of(url("/calendar/2031/04")) == pattern_of(url("/calendar/1999/12"))
    assert pattern_of(url("/list?a=1")) == pattern_of(url("/list?b=2&c=3"))
    assert pattern_of(url("/list?a=1")) != pattern_of(url("/list/?a=1"))
    assert pattern_of(url("/guide/intro")) is None


def test_a_pattern_of_near_duplicates_is_closed():
    traps = Traps(trap_similar=10)
    for day in range(20):
        assert traps.refusal(url(f"/day/{day}")) is None
        assert not traps.wants_comparison(url(f"/day/{day}"))
        traps.count(url(f"/day/{day}"))
    for day in range(20, 30):
        assert traps.wants_comparison(url(f"/day/{day}"))
        assert traps.refusal(url(f"/day/{day}")) is None
        traps.count(url(f"/day/{day}"), alike=day % 2 == 0)
    assert traps.refusal(url("/day/31")) is Trap.SIMILAR
    assert traps.refusal(url("/week/31")) is None


def test_a_pattern_of_different_pages_stays_open_up_to_the_ceiling():
    traps = Traps(trap_pages=200, trap_similar=10)
    for number in range(200):
        assert traps.refusal(url(f"/issue/{number}")) is None
        traps.count(url(f"/issue/{number}"), alike=False if number >= 20 else None)
    assert traps.refusal(url("/issue/200")) is Trap.PATTERN
