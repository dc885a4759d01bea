"""How `mirror NAME --cluster` ends: as a mirror that is made here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from faces.cli.test_ledger_on_a_server import bytes_of
from helpers.sites.server import Reply, Site, page
from jobs.cluster.test_cluster import embedded, project, settle, site_of, until, worker  # noqa: F401 - fixtures

pytestmark = pytest.mark.usefixtures("project")


def test_a_page_that_fails_is_told_by_the_status(holdfast, project, worker, monkeypatch):  # noqa: F811
    site = Site({"/": page("Home", links=["/a", "/b"]), "/a": page("A"), "/b": Reply(b"no", status=500)})
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        worker()
        shared = holdfast("mirror", "docs", "--cluster", "--json")
        monkeypatch.delenv("HOLDFAST_LEDGER")
        monkeypatch.delenv("HOLDFAST_ARCHIVE")
        here = holdfast("mirror", f"{origin}/", "-o", "here", "--json")
    assert (shared.status, here.status) == (1, 1), (shared.err, here.err)
    assert [shared.json[key] for key in ("status", "pages")] == [
        here.json[key] for key in ("status", "pages")
    ]


@pytest.mark.spec("CLU-1")
def test_ctrl_c_stops_the_worker_and_the_next_start_goes_on(holdfast, project, worker, monkeypatch):  # noqa: F811
    site = site_of(delay=0.05)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        worker()
        command = [sys.executable, "-m", "holdfast", "mirror", "docs", "--cluster"]
        running = subprocess.Popen(command, cwd=project, env=os.environ, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: len(site.requests) > 8)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=60)
        finally:
            running.kill()
        assert running.returncode == 130, err
        assert "Traceback" not in err
        assert len(site.requests) < 41
        again = holdfast("mirror", "docs", "--cluster", "-q")
        assert again.status == 0, again.err
        assert bytes_of(project / "docs") == embedded(holdfast, project, monkeypatch, origin)
    assert {job["state"] for job in holdfast("cluster", "jobs", "--json").json["jobs"]} == {"done"}
