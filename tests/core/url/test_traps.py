"""Endless spaces are stopped by stated rules; what is finite is not."""

import pytest

from holdfast.core.url.traps import GISTS, Trap, Traps, gist_of, pattern_of
from holdfast.core.url.url import parse_url

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


def test_links_of_pages_that_all_say_the_same_are_not_followed():
    traps = Traps(trap_similar=5)
    for number in range(25):
        traps.count(url(f"/{'x' * number}"), gist="aaaaaaaabbbbbbbb")
        assert not traps.leads_nowhere(url("/y"), "aaaaaaaabbbbbbbb")
    traps.count(url("/z"), gist="aaaaaaaabbbbbbbb")
    assert traps.leads_nowhere(url("/z"), "aaaaaaaabbbbbbbb")
    assert not traps.leads_nowhere(url("/z"), "ccccccccbbbbbbbb")
    assert not traps.leads_nowhere(parse_url("https://other.example/"), "aaaaaaaabbbbbbbb")


def test_pages_that_differ_in_their_links_alone_end_later():
    traps = Traps(trap_similar=5, trap_pages=20)
    for number in range(20):
        traps.count(url("/x"), gist=f"{number:08x}bbbbbbbb")
        assert not traps.leads_nowhere(url("/x"), f"{number:08x}bbbbbbbb")
    traps.count(url("/x"), gist="ffffffffbbbbbbbb")
    assert traps.leads_nowhere(url("/x"), "ffffffffbbbbbbbb")


def test_limits_of_zero_follow_every_link_and_what_is_remembered_is_bounded():
    traps = Traps(trap_pages=0, trap_similar=0)
    for number in range(2 * GISTS):
        traps.count(url("/x"), gist=f"{number:08x}bbbbbbbb")
    assert not traps.leads_nowhere(url("/x"), "ffffffffbbbbbbbb")
    assert len(traps.said) <= 2 * GISTS


def test_the_gist_is_what_a_page_says_beside_its_numbers_and_its_own_address():
    said = gist_of("You are in red/blue, step 17 of 90. Go on: amber", url("/red/blue"), ["amber"])
    assert said == gist_of("You are in green, step 18 of 91. Go on: amber", url("/green"), ["amber"])
    other = gist_of("You are in green, step 18 of 91. Go on: birch", url("/green"), ["birch"])
    assert (said[:8] != other[:8], said[8:]) == (True, other[8:])
    assert gist_of("You are in green. Stay.", url("/green"), [])[8:] != said[8:]
    assert gist_of("red 17 blue", url("/red/blue"), []) == ""
