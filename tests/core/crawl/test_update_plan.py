"""The table of MIR-11, line by line, and the guards against mass deletion."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from holdfast.core.crawl.updates import Absence, Ask, Keep, KnownPage, Why, decide, departures
from holdfast.core.web.sitemap import parse_lastmod

pytestmark = pytest.mark.spec("MIR-11")

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
NOW = NOON + timedelta(days=10)
SECOND = timedelta(seconds=1)
PAGE = KnownPage(NOON)


@pytest.mark.parametrize(
    ("known", "lastmod", "max_age", "expected"),
    [
        (None, None, None, Ask(Why.NEW, False)),
        (None, NOON - timedelta(days=900), None, Ask(Why.NEW, False)),
        (PAGE, NOON + SECOND, None, Ask(Why.LASTMOD, False)),
        (PAGE, NOON, None, Keep(Why.LASTMOD)),
        (PAGE, NOON - SECOND, None, Keep(Why.LASTMOD)),
        (PAGE, None, None, Ask(Why.NO_LASTMOD, True)),
        (PAGE, NOW + timedelta(days=365), None, Ask(Why.LASTMOD, False)),
        (PAGE, NOON - SECOND, timedelta(days=9), Ask(Why.MAX_AGE, True)),
        (PAGE, NOON - SECOND, timedelta(days=11), Keep(Why.LASTMOD)),
        (PAGE, NOON + SECOND, timedelta(days=9), Ask(Why.LASTMOD, False)),
        (PAGE, NOON - SECOND, timedelta(0), Ask(Why.MAX_AGE, True)),
        (KnownPage(NOW + SECOND), NOON, None, Ask(Why.MAX_AGE, True)),  # a clock was wrong
        (KnownPage(NOW), NOON, None, Keep(Why.LASTMOD)),
        (KnownPage(NOON, gone=True), NOON - SECOND, None, Ask(Why.BACK, True)),
        (KnownPage(NOON, same_version=False), NOON - SECOND, None, Ask(Why.OTHER_VERSION, False)),
        (KnownPage(NOON, gone=True, same_version=False), None, None, Ask(Why.OTHER_VERSION, False)),
    ],
)
def test_each_line_of_the_table(known, lastmod, max_age, expected):
    assert decide(known, lastmod, NOW, max_age) == expected


@pytest.mark.parametrize(
    ("written", "asks"),
    [
        ("2026-05-03", False),
        ("2026-05-04", True),  # the page was fetched at noon; the day was not over
        ("2026-05-04T11:59:59Z", False),
        ("2026-05-04T12:00:01Z", True),
        ("2026-05-04T13:30:00+02:00", False),
        ("2026-05", True),
    ],
)
def test_a_date_without_time_means_the_end_of_that_day(written, asks):
    assert isinstance(decide(PAGE, parse_lastmod(written), NOW), Ask) is asks


def keys(count):
    return [f"{number:064x}" for number in range(count)]


def unnamed(count):
    return dict.fromkeys(keys(count), Absence.UNNAMED)


def test_nothing_missing_is_nothing_to_do():
    assert departures(keys(10), {}, partial=None, prune=True) == departures([], {}, partial=None, prune=True)


def test_missing_pages_are_marked_and_not_deleted():
    done = departures(keys(10), unnamed(1), partial=None, prune=False)
    assert (done.mark, done.delete, done.held_back) == (tuple(keys(10)[:1]), (), None)


def test_pruning_deletes_up_to_one_in_five():
    done = departures(keys(10), unnamed(2), partial=None, prune=True)
    assert (done.delete, done.held_back) == (tuple(keys(10)[:2]), None)


def test_more_than_one_in_five_are_never_deleted_at_once():
    done = departures(keys(10), unnamed(3), partial=None, prune=True)
    assert (done.delete, len(done.mark)) == ((), 3)
    assert "3 of 10 pages are gone (30 %)" in done.held_back


def test_a_partial_discovery_marks_nothing_and_deletes_nothing():
    done = departures(keys(10), unnamed(1), partial="a sitemap was not read", prune=True)
    assert (done.mark, done.delete) == ((), ())
    assert "a sitemap was not read" in done.held_back


@pytest.mark.parametrize(("prune", "said"), [(False, None), (True, "a page failed: no page is deleted")])
def test_what_the_site_says_is_not_there_is_marked_after_a_partial_discovery_too(prune, said):
    one, two, *_ = keys(10)
    gone = {one: Absence.DENIED, two: Absence.MARKED}
    done = departures(keys(10), gone, partial="a page failed", prune=prune)
    assert (done.mark, done.delete, done.held_back) == ((one,), (), said)


def test_keys_that_are_no_pages_are_no_departures():
    assert departures(keys(3), {"f" * 64: Absence.UNNAMED}, partial=None, prune=True).mark == ()
