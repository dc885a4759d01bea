"""A command that waits for a program to talk to it ends when it is told to, also while none does."""

import os
import select
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spec("STA-2")

HELLO = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
COMMANDS = {
    "mcp": (["mcp", "."], HELLO + b"\n"),
    "lsp": (["lsp"], b"Content-Length: %d\r\n\r\n%s" % (len(HELLO), HELLO)),
}


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_ends_what_waits_for_input(holdfast, tmp_path, name, number, status):
    (tmp_path / "a.md").write_text("<https://example.com/>\n")
    assert holdfast("check", tmp_path).status == 0
    words, hello = COMMANDS[name]
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "holdfast", *words]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path, env=os.environ) as run:
        run.stdin.write(hello)
        run.stdin.flush()
        assert select.select([run.stdout], [], [], 60)[0], "it has not answered"
        run.send_signal(number)
        try:
            assert run.wait(60) == status
        finally:
            run.kill()
        assert b"Traceback" not in run.stderr.read()
