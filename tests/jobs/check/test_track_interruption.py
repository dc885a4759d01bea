"""Ctrl-C in the middle of asking: what was answered is kept, and the command says so."""

import json
import signal
import subprocess
import sys
import time

import pytest

from helpers.faults.server import response
from helpers.served import serving
from holdfast.core.base.errors import ExitStatus


@pytest.mark.spec("STA-2")
def test_what_was_answered_before_ctrl_c_is_kept_and_the_rest_is_asked_by_the_same_command(tmp_path):
    page = (response(b"<title>t</title><p>words</p>", "200 OK", "Content-Type: text/html"),)
    with serving({f"/{n}": page for n in range(40)}) as server:
        (tmp_path / "a.md").write_text("\n\n".join(f"<{server.base}/{n}>" for n in range(40)))
        words = [sys.executable, "-m", "holdfast", "check", ".", "--fetch-urls", "--allow-private", "--json"]
        slow = [*words, "--content-rate-limit", "5"]
        process = subprocess.Popen(slow, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while server.requests.total() < 6:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        before = server.requests.total()
        done = subprocess.run(
            [*words, "--content-rate-limit", "0"], cwd=tmp_path, capture_output=True, check=True
        )
        again = server.requests.total() - before
    assert process.returncode == ExitStatus.INTERRUPTED
    assert b"what was answered is kept; the same command asks for the rest" in said
    assert [url["state"] for url in json.loads(done.stdout)["urls"]] == ["ok"] * 40
    assert again <= 40 - (before - 3), "but for robots.txt, twice, and one that was still under way"
