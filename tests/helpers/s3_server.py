"""An S3 server of the tests' own (versitygw), on loopback."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KEY, SECRET, BUCKET = "holdfast", "a-secret-of-the-tests", "pages"


def program() -> str | None:
    """Where the server's program is."""
    beside = Path(sys.executable).with_name("versitygw")
    return str(beside) if beside.exists() else shutil.which("versitygw")


class S3Server:
    """A server over a folder; it can be frozen, killed and started again."""

    def __init__(self, command: str) -> None:
        self._command = command
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-s3-"))
        (self.folder / "data" / BUCKET).mkdir(parents=True)
        (self.folder / "sidecar").mkdir()
        self.port = _free_port()
        self._process: subprocess.Popen | None = None
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        """What whoever uses the archive has in its environment."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
        }

    def start(self) -> None:
        access = ["--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{self.port}", "--quiet"]
        where = ["posix", "--sidecar", str(self.folder / "sidecar"), str(self.folder / "data")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([self._command, *access, *where], stdout=log, stderr=log)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def freeze(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(30)

    def objects(self, prefix: str = "") -> dict[str, bytes]:
        """Every object below a prefix."""
        top = self.folder / "data" / BUCKET / prefix
        return {
            path.relative_to(top).as_posix(): path.read_bytes()
            for path in top.rglob("*")
            if path.is_file() and ".sgwtmp" not in path.parts
        }

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
