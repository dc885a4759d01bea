"""A small store in memory, for every question."""

import pytest

from questions.equal_facts import Faces, unpack_world
from questions.world import World


@pytest.fixture
def world():
    return World()


@pytest.fixture(scope="session")
def frozen(tmp_path_factory):
    """The shared root of the frozen stores, another mirror's store below it; nobody writes to it."""
    return unpack_world(tmp_path_factory.mktemp("frozen"))


@pytest.fixture
def faces(frozen, holdfast, monkeypatch):
    """The faces, asked in the shared root."""
    monkeypatch.chdir(frozen)
    return Faces(frozen, holdfast)
