"""Workers as processes of this machine: what is passed on to them, and how they end."""

import os
import signal
import sys
import threading

import pytest

from holdfast.adapters.workers.engine import LocalEngine

pytestmark = pytest.mark.spec("CLU-1")

NEVER_LISTENS = "import signal; signal.signal(signal.SIGTERM, signal.SIG_DFL)"
NOTES = (
    "import os, sys, pathlib; path = pathlib.Path(sys.argv[1]); "
    "os.write(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY), b'.')"
)
WAITS = "import time; time.sleep(60)"


def command(folder, *parts):
    return [sys.executable, "-c", "; ".join(parts), str(folder / "starts")]


@pytest.fixture
def told_when_started(tmp_path):
    """Tell this process to end when so many workers have noted that they began; a thread that looks."""
    over = threading.Event()

    def look(count):
        while not over.wait(0.01):
            if (tmp_path / "starts").exists() and len((tmp_path / "starts").read_text()) >= count:
                os.kill(os.getpid(), signal.SIGTERM)
                return

    threads = []

    def begin(count):
        threads.append(threading.Thread(target=look, args=(count,)))
        threads[0].start()

    yield begin
    over.set()
    for thread in threads:
        thread.join()


def test_workers_that_are_told_to_end_before_they_listen_end_in_order(tmp_path, told_when_started):
    told_when_started(2)
    assert LocalEngine().run_workers(command(tmp_path, NEVER_LISTENS, NOTES, WAITS), 2) == 0
    assert (tmp_path / "starts").read_text() == ".."


def test_a_worker_that_something_else_kills_meanwhile_is_told(tmp_path, told_when_started):
    told_when_started(1)
    killed = "signal.signal(signal.SIGTERM, lambda *_: os.kill(os.getpid(), signal.SIGKILL))"
    assert LocalEngine().run_workers(command(tmp_path, "import signal, os", killed, NOTES, WAITS), 1) == 1


def test_a_worker_that_was_killed_is_started_again_and_the_highest_status_counts(tmp_path):
    dies_once = "sys.exit(3) if len(path.read_text()) > 1 else os.kill(os.getpid(), 9)"
    assert LocalEngine().run_workers(command(tmp_path, NOTES, dies_once), 1) == 3
    assert (tmp_path / "starts").read_text() == ".."


def test_the_handlers_that_were_there_are_there_again(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    assert LocalEngine().run_workers(command(tmp_path, "pass"), 3) == 0
    assert signal.getsignal(signal.SIGTERM) is before
