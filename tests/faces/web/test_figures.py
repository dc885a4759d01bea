"""Counts are exact where counting is quick, and kept where it is not, for at most fifty times as long."""

from __future__ import annotations

from threading import Event, Thread
from types import SimpleNamespace

import pytest

from holdfast.core.settings.resolve import resolve
from holdfast.faces.web.kept_counts import _Counter
from holdfast.jobs.served_stores import ServedState

pytestmark = pytest.mark.spec("WEB-1")


class Ledger:
    """A ledger in which counting takes some seconds of a clock that stands still otherwise."""

    def __init__(self, seconds):
        self.is_written = True
        self.seconds, self.now, self.counted, self.version = seconds, 0.0, 0, 0
        self.counter = _Counter(
            self.count, lambda: (self.version,), lambda: self.is_written, lambda: self.now
        )

    def count(self):
        self.now += self.seconds
        self.counted += 1
        return SimpleNamespace(version=self.version)

    def shown(self):
        found = self.counter.figures().version
        if self.counter._maker is not None:
            self.counter._maker.join()
        return found


def test_what_nobody_wrote_to_is_counted_once():
    ledger = Ledger(9.0)
    assert [ledger.shown() for _ in range(3)] == [0, 0, 0]
    assert ledger.counted == 1


def test_a_quick_count_is_always_that_of_now():
    ledger = Ledger(0.01)
    for ledger.version in range(5):
        assert ledger.shown() == ledger.version


def test_a_slow_count_is_made_beside_and_not_too_often():
    ledger = Ledger(1.0)
    assert ledger.shown() == 0
    ledger.version = 1
    ledger.now += 49.9
    assert ledger.shown() == 0
    assert ledger.counted == 1
    ledger.now += 0.1
    assert ledger.shown() == 0
    assert ledger.counted == 2
    assert ledger.shown() == 1


def test_a_slow_count_is_made_at_once_when_nobody_writes_any_more():
    ledger = Ledger(1.0)
    assert ledger.shown() == 0
    ledger.version, ledger.is_written = 1, False
    assert [ledger.shown(), ledger.shown()] == [0, 1]


def test_a_log_that_comes_and_goes_costs_no_answer(tmp_path):
    """SQLite makes the log beside a ledger with the first writer, and takes it away with the last."""
    log = tmp_path / "ledger.db-wal"
    log.with_name("ledger.db").write_bytes(b"ledger")
    served = ServedState("here", tmp_path, resolve(), None)
    ended = Event()

    def write_now_and_then():
        while not ended.is_set():
            log.write_bytes(b"log")
            log.unlink()

    writer = Thread(target=write_now_and_then)
    writer.start()
    try:
        stamps = {served.stamp() for _ in range(5_000)}
    finally:
        ended.set()
        writer.join()
    assert all(len(stamp) == 2 and stamp[0] is not None for stamp in stamps)
