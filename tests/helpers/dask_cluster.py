"""A Dask cluster for tests, on loopback alone: a scheduler and a worker, which its nanny starts again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time


class DaskCluster:
    """A cluster that runs, in process groups of its own."""

    def __init__(self, folder, *, threads=2):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        home = ["--host", "127.0.0.1", "--no-dashboard"]
        scheduler = ["distributed.cli.dask_scheduler", *home, "--port", str(port)]
        worker = ["distributed.cli.dask_worker", self.address, *home, "--nthreads", str(threads)]
        self._log = (folder / "dask.log").open("ab")
        self.scheduler = self._start(*scheduler)
        self.worker = self._start(*worker, "--local-directory", str(folder / "dask"))
        end = time.monotonic() + 60
        while not _answers(port):
            if time.monotonic() > end:
                raise RuntimeError("the scheduler does not answer")
            time.sleep(0.05)

    def _start(self, *words):
        return subprocess.Popen(
            [sys.executable, "-m", *words], stdout=self._log, stderr=self._log, start_new_session=True
        )

    def lose_scheduler(self):
        """As when its machine is lost."""
        os.killpg(self.scheduler.pid, signal.SIGKILL)
        self.scheduler.wait(30)

    def close(self):
        for process in (self.worker, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(30)
        self._log.close()


def _answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
