"""Shared by all tests: the command line in this process, and the public suites where they are."""

from __future__ import annotations

import gc
import json
import os
import random
import runpy
import signal
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

from helpers.dask_cluster import DaskCluster
from helpers.kept_workers import keep_workers
from helpers.network import stay_here
from helpers.postgres_server import Server, binaries
from helpers.s3_server import BUCKET, S3Server, program
from holdfast.faces.cli.main import main

# The same examples in every run, so that a change is judged by what it changed; `make fuzz` draws new ones.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("random", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HOLDFAST_EXAMPLES", "steady"))

SUITES = Path(__file__).parents[2] / "shared" / "suites"

NATIVE = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "native.py"))


_HOME = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config):
    """No test asks another machine. What is out of date would be tested instead of the sources. Shells start
    what runs in the background deaf to Ctrl-C, and so would be what tests start.
    """
    sys.dont_write_bytecode = False  # else each process compiles what it imports, in every run
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    stay_here()
    keep_workers()
    own = config.stash[_HOME] = tempfile.TemporaryDirectory(prefix="home-of-tests-")
    os.environ["XDG_STATE_HOME"] = own.name  # what tests trust is recorded there, and their processes know it
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if NATIVE["is_stale"]():
        pytest.exit("the native reader is out of date: run `make native`, or `tools/native.py --clean`", 4)


def pytest_unconfigure(config):
    """What was trusted is forgotten."""
    config.stash[_HOME].cleanup()


def pytest_collection_modifyitems(items):
    """With TEST_ORDER=SEED: files in another order, and the tests of each file (`make shuffled`)."""
    seed = os.environ.get("TEST_ORDER")
    if seed:
        files: dict[Path, list[pytest.Item]] = {}
        for item in items:
            files.setdefault(item.path, []).append(item)
        draw = random.Random(seed)
        groups = draw.sample(list(files.values()), len(files))
        items[:] = [item for group in groups for item in draw.sample(group, len(group))]


@hypothesis.settings(max_examples=1)
@hypothesis.given(hypothesis.strategies.none())
def _begin_to_draw(_):
    """Hypothesis looks for who holds its generator of numbers among what the collector sees (Python 3.14)."""


def pytest_collection_finish():
    """What was collected stays: a million objects that the collector need not look at in every test."""
    _begin_to_draw()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _signals():
    """A test leaves the handlers of signals as it found them; else another one fails for it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    changed = {
        number.name: signal.getsignal(number)
        for number in before
        if signal.getsignal(number) != before[number]
    }
    for number, handler in before.items():
        signal.signal(number, handler)
    assert not changed


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server of the tests' own, started once."""
    programs = binaries()
    if programs is None:
        words = "no PostgreSQL server here: `make postgres` brings one"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    server = Server(programs)
    yield server
    server.close()


@pytest.fixture
def postgres(postgres_server):
    """The address of a database for a ledger; a ledger that is there is empty."""
    postgres_server.empty()
    return postgres_server.address


@pytest.fixture(scope="session")
def s3_server():
    """An S3 server of the tests' own, started once."""
    command = program()
    if command is None:
        words = "no S3 server here: `make s3` brings one, where Go is"
        pytest.fail(words) if os.environ.get("CI") else pytest.skip(words)
    server = S3Server(command)
    yield server
    server.close()


@pytest.fixture
def s3(s3_server, monkeypatch, tmp_path):
    """The address of a bucket's prefix that nobody else has; its keys are in the environment."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{tmp_path.parent.name}-{tmp_path.name}"


@pytest.fixture
def dask_cluster(tmp_path_factory):
    """A Dask cluster of the test's own."""
    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.close()


class Ran:
    """What a command printed, and how it ended."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def json_lines(self):
        return [json.loads(line) for line in self.lines]

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def holdfast(capsys, monkeypatch, tmp_path):
    """Run `holdfast` with these words, in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Ran(int(status), captured.out, captured.err)

    return run


@pytest.fixture
def suite():
    """A public conformance file by name; the test is skipped where the folder is not."""

    def read(name):
        path = SUITES / name
        if not path.is_file():
            pytest.skip("the public suites are not beside this checkout")
        return json.loads(path.read_text(encoding="utf-8"))

    return read
