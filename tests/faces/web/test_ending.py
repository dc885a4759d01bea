"""`holdfast serve` says where it is as soon as it answers, and ends on Ctrl-C from that moment on."""

import os
import select
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.spec("WEB-1", "STA-2")

PAUSES = [step / 50 for step in range(6)]
"""Seconds between the address and Ctrl-C."""


@pytest.mark.parametrize("pause", PAUSES)
def test_an_interrupted_server_says_nothing_but_where_it_was(kept, pause):
    words = [sys.executable, "-m", "holdfast", "serve", str(kept.root / "mirror"), "--port", "0"]
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=plain) as server:
        told, _, _ = select.select([server.stdout], [], [], 60)
        address = server.stdout.readline() if told else b""
        time.sleep(pause)
        server.send_signal(signal.SIGINT)
        try:
            _, said = server.communicate(timeout=60)
        finally:
            server.kill()
    assert address.startswith(b"http://127.0.0.1:")
    assert b"Traceback" not in said
    assert b"Cancelled" not in said
    assert server.returncode == 130
