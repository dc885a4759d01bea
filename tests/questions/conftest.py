"""A small state folder in memory, for every question."""

import pytest

from questions.world import World


@pytest.fixture
def world():
    return World()
