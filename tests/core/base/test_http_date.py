"""Times as manifests have them: the short way and the standard library's say the same."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from holdfast.core.base.figures import timestamp

EAST = timezone(timedelta(hours=5, minutes=30))


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 11, 17, 20, 8, 18, tzinfo=UTC), "2026-11-17T20:08:18Z"),
        (datetime(2026, 11, 17, 20, 8, 18, 999_999, tzinfo=UTC), "2026-11-17T20:08:18Z"),
        (datetime(2026, 1, 1, 2, tzinfo=EAST), "2025-12-31T20:30:00Z"),
        (datetime(1000, 1, 1, tzinfo=UTC), "1000-01-01T00:00:00Z"),
    ],
)
def test_a_time_is_written_to_the_second_in_utc(moment, text):
    assert timestamp(moment) == text == moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_a_year_of_three_digits_is_written_as_the_system_writes_it():
    moment = datetime(999, 1, 1, tzinfo=UTC)
    assert timestamp(moment) == moment.strftime("%Y-%m-%dT%H:%M:%SZ")
