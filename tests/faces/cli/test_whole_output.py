"""Data on standard output is complete, or the exit status says that it is not (STA-2)."""

import array
import fcntl
import os
import subprocess
import sys
import termios
import time

import pytest

CAPACITY = 60_000
"""Bytes in a pipe of 64 KiB after which the next piece does not fit."""
URLS = [f"https://docs.example/{number:05}/{'x' * 40}" for number in range(4_000)]


def wait_until_full(reader, process):
    """Until no more goes into the pipe: whoever writes waits, or has written all of it."""
    waiting = array.array("i", [0])
    while process.poll() is None and waiting[0] < CAPACITY:
        fcntl.ioctl(reader, termios.FIONREAD, waiting)
        time.sleep(0.001)


def answered(folder, *, unbuffered, non_blocking):
    """What a slow reader gets of `holdfast url canon`."""
    (folder / "urls").write_text("\n".join(URLS))
    environment = {**os.environ, "PYTHONUNBUFFERED": "1" if unbuffered else ""}
    reader, writer = os.pipe()
    os.set_blocking(writer, not non_blocking)
    command = [sys.executable, "-m", "holdfast", "url", "canon", "-"]
    with (folder / "urls").open() as urls:
        process = subprocess.Popen(command, stdin=urls, stdout=writer, env=environment)
    os.close(writer)
    received = b""
    while data := os.read(reader, 50_000):
        received += data
        wait_until_full(reader, process)
    os.close(reader)
    return process.wait(), received.decode().splitlines()


@pytest.mark.spec("STA-2")
@pytest.mark.parametrize("unbuffered", [False, True], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("non_blocking", [False, True], ids=["blocking", "non-blocking"])
def test_a_slow_reader_gets_all_of_it(tmp_path, unbuffered, non_blocking):
    status, lines = answered(tmp_path, unbuffered=unbuffered, non_blocking=non_blocking)

    assert status == 0
    assert lines == URLS
