"""Each install works, or names the extra that it wants: seen without making one, by hiding libraries."""

import sys

import pytest

from holdfast.core.late_modules import BRINGS
from installs import brought, extras, use_commands, use_library

EXTRAS = extras()


def hidden_without(install):
    """The packages that are there only with extras which an install has not."""
    there = frozenset().union(*map(brought, EXTRAS[install]))
    return frozenset().union(*(brought(extra) for extra in EXTRAS if extra)) - there


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "track"], ids=lambda extra: extra or "base")
def test_every_command_works_or_names_the_extra_it_needs(install):
    assert use_commands(sys.executable, EXTRAS[install], hidden_without(install)) == []


@pytest.mark.spec("LIB-5")
@pytest.mark.parametrize("install", ["", "mirror", "track"], ids=lambda extra: extra or "base")
def test_every_name_of_the_library_works_or_names_the_extra_it_needs(install):
    assert use_library(sys.executable, EXTRAS[install], hidden_without(install)) == []


def test_of_every_library_that_an_extra_asks_for_it_is_known_which_extra_brings_it():
    asked = {package.partition(".")[0]: extra for extra in EXTRAS if extra for package in brought(extra)}
    assert asked == dict(BRINGS)
