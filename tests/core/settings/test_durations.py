"""Durations among the settings: with a unit, or in seconds where a number always was seconds."""

import pytest

from holdfast.core.base.errors import ConfigError
from holdfast.core.settings.resolve import resolve


def timeout(given):
    return resolve(flags={"timeout": given}).fetch.limits.timeout


@pytest.mark.parametrize(("given", "seconds"), [("4", 4), (4, 4), (0.5, 0.5), ("8s", 8), ("2m", 120)])
def test_a_number_of_what_counts_seconds_is_seconds(given, seconds):
    assert timeout(given) == seconds


@pytest.mark.parametrize("name", ["check.max_age", "mirror.max_age"])
@pytest.mark.parametrize("given", ["24", 24, 1.5, "1.5"])
def test_a_number_of_what_counted_hours_or_days_is_refused_and_the_units_are_named(name, given):
    with pytest.raises(ConfigError, match=r"with its unit, such as 12h \(hours\), 7d or 30m"):
        resolve(flags={name: given})


@pytest.mark.parametrize("given", ["24h", "7d", "0s", "30m"])
def test_a_duration_stays_as_it_was_written(given):
    assert resolve(flags={"check.max_age": given}).check.asking.max_age == given


@pytest.mark.parametrize("given", [0, "0"])
def test_nothing_needs_no_unit(given):
    assert resolve(flags={"mirror.max_age": given}).mirror.max_age == "0s"


@pytest.mark.parametrize("given", ["soon", "", "h", True])
def test_what_is_no_duration_is_refused(given):
    for name in ("timeout", "check.max_age"):
        with pytest.raises(ConfigError, match="duration"):
            resolve(flags={name: given})
