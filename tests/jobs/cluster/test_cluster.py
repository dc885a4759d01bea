"""Mirrors by workers: the same bytes as the embedded form, through kills and freezes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faces.cli.test_ledger_on_a_server import bytes_of
from helpers.dask_cluster import DaskCluster
from helpers.sites.server import Reply, Site, page
from helpers.trusting import trust
from holdfast.adapters.workers import dask_engine
from holdfast.jobs.cluster.cluster import list_jobs
from holdfast.jobs.load_settings import load_settings

PAGES = 40
LEASE = "2"


def site_of(count=PAGES, delay=0.0):
    pages = {f"/p{n}": page(f"P{n}", links=[f"/p{min(n + 1, count - 1)}", "/"]) for n in range(count)}
    answers = {"/": page("Home", links=["/p0"]), **pages}
    return Site({path: Reply(reply.body, delay=delay) for path, reply in answers.items()})


@pytest.fixture
def project(tmp_path, postgres, s3, monkeypatch):
    """A folder with a settings file; ledger and archive are where every machine reaches them."""
    monkeypatch.setenv("HOLDFAST_LEDGER", postgres)
    monkeypatch.setenv("HOLDFAST_ARCHIVE", s3)
    return tmp_path


def settle(project, **mirrors):
    lines = [
        'discover = "links"',
        "content_rate_limit = 0",
        "allow_private = true",
        "processes = 1",
    ]
    for name, source in mirrors.items():
        lines += [f"[mirror.{name}]", f'source = "{source}"']
    (project / "holdfast.toml").write_text("\n".join(lines) + "\n")
    trust(project)


@pytest.fixture
def worker(project):
    """Starts workers; those that are left are ended."""
    started = []

    def start(*flags):
        command = [sys.executable, "-m", "holdfast", "cluster", "worker", "--lease", LEASE, *flags]
        process = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True, env=os.environ)
        started.append(process)
        return process

    yield start
    for process in started:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait(30)
        process.stderr.close()


def embedded(holdfast, project, monkeypatch, origin):
    """The same mirror, in the embedded form."""
    with monkeypatch.context() as plain:
        plain.delenv("HOLDFAST_LEDGER")
        plain.delenv("HOLDFAST_ARCHIVE")
        made = holdfast("mirror", f"{origin}/", "-o", "embedded", "-q")
        assert made.status == 0, made.err
    return bytes_of(project / "embedded")


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail("it did not come to that")
        time.sleep(0.05)


def write_out(holdfast, project):
    made = holdfast("mirror", "docs", "--cluster", "-q")
    assert made.status == 0, made.err
    return bytes_of(project / "docs")


@pytest.mark.spec("CLU-1", "CLU-4")
def test_a_mirror_by_workers_is_the_same_as_the_embedded_one(holdfast, project, worker, monkeypatch):
    with site_of(10).serve() as origin:
        settle(project, docs=f"{origin}/")
        running = worker()
        made = holdfast("mirror", "docs", "--cluster", "--json")
        assert made.status == 0, made.err
        assert made.json["pages"] == 11
        assert bytes_of(project / "docs") == embedded(holdfast, project, monkeypatch, origin)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0
    assert holdfast("verify").status == 0
    [job] = holdfast("cluster", "jobs", "--json").json["jobs"]
    assert (job["name"], job["state"]) == ("mirror docs", "done")


@pytest.mark.spec("CLU-1", "CLU-2")
def test_a_killed_worker_is_followed_by_another(holdfast, project, worker, monkeypatch):
    site = site_of(delay=0.03)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        assert holdfast("cluster", "submit", "docs").status == 0
        for _ in range(2):
            before = len(site.requests)
            running = worker()
            until(lambda: len(site.requests) > before + 8)  # noqa: B023
            running.kill()
        last = worker("--drain")
        assert last.wait(90) == 0, last.stderr.read()
        [job] = holdfast("cluster", "jobs", "--json").json["jobs"]
        assert (job["state"], job["attempts"]) == ("done", 3)
        finished = worker()
        assert write_out(holdfast, project) == embedded(holdfast, project, monkeypatch, origin)
        finished.send_signal(signal.SIGTERM)
        finished.wait(60)
    assert holdfast("verify").status in (0, 1)


@pytest.mark.spec("CLU-1", "CLU-2")
def test_a_frozen_worker_that_wakes_writes_nothing(holdfast, project, worker, monkeypatch):
    site = site_of(delay=0.03)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        assert holdfast("cluster", "submit", "docs").status == 0
        frozen = worker()
        until(lambda: len(site.requests) > 8)
        frozen.send_signal(signal.SIGSTOP)
        last = worker("--drain")
        _, err = last.communicate(timeout=100)
        assert last.returncode == 0, err
        runs = holdfast("log", "--runs", "--json").json["parts"][0]["runs"]
        frozen.send_signal(signal.SIGCONT)
        time.sleep(2)
        frozen.send_signal(signal.SIGTERM)
        _, err = frozen.communicate(timeout=60)
        assert "Traceback" not in err
        assert holdfast("log", "--runs", "--json").json["parts"][0]["runs"] == runs
        again = worker()
        assert write_out(holdfast, project) == embedded(holdfast, project, monkeypatch, origin)
        again.send_signal(signal.SIGTERM)
        again.wait(60)
    assert holdfast("verify").status == 0


@pytest.mark.spec("CLU-1", "CLU-2")
def test_a_worker_outlives_a_server_that_restarts(holdfast, project, worker, monkeypatch, postgres_server):
    """As after a power failure: what was acknowledged is there, the rest is asked for again."""
    site = site_of(delay=0.05)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        assert holdfast("cluster", "submit", "docs").status == 0
        running = worker("--drain")
        until(lambda: len(site.requests) > 8)
        postgres_server.stop()
        time.sleep(0.5)
        postgres_server.start()
        _, err = running.communicate(timeout=120)
        assert running.returncode == 0, err
        assert "cannot be reached" in err
        assert "Traceback" not in err
        again = worker()
        assert write_out(holdfast, project) == embedded(holdfast, project, monkeypatch, origin)
        again.send_signal(signal.SIGTERM)
        again.wait(60)
    assert holdfast("verify").status == 0


@pytest.mark.spec("CLU-3")
def test_two_mirrors_of_one_host_take_turns(holdfast, project, worker):
    site = site_of(6, delay=0.05)
    with site.serve() as origin:
        settle(project, one=f"{origin}/p0", two=f"{origin}/p1")
        assert holdfast("cluster", "submit", "--all").status == 0
        workers = [worker("--drain") for _ in range(2)]
        assert [process.wait(90) for process in workers] == [0, 0]
    assert {job["state"] for job in holdfast("cluster", "jobs", "--json").json["jobs"]} == {"done"}


def test_what_cannot_be_shared_is_refused_in_words(holdfast, project, monkeypatch):
    settle(project, docs="https://example.com/")
    monkeypatch.delenv("HOLDFAST_ARCHIVE")
    for command in (
        ("cluster", "submit", "docs"),
        ("cluster", "worker", "--drain"),
        ("mirror", "docs", "--cluster"),
    ):
        ran = holdfast(*command)
        assert ran.status == 2
        assert "ledger on a server and an archive in a bucket" in ran.err


def test_names_are_needed(holdfast, project):
    settle(project)
    assert holdfast("cluster", "submit").status == 2
    assert "has no [mirror.nothing]" in holdfast("cluster", "submit", "nothing").err
    assert "by name" in holdfast("mirror", "https://example.com/", "--cluster").err


def test_an_interrupted_worker_gives_its_job_back(holdfast, project, worker):
    site = site_of(delay=0.05)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        assert holdfast("cluster", "submit", "docs").status == 0
        running = worker()
        until(lambda: len(site.requests) > 5)
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 0
    [job] = holdfast("cluster", "jobs", "--open", "--json").json["jobs"]
    assert (job["state"], job["is_held"]) == ("ready", False)


@pytest.mark.spec("CLU-1", "CLU-4")
def test_a_cluster_makes_the_same_bytes_though_a_worker_is_killed(
    holdfast,
    project,
    dask_cluster,
    monkeypatch,
):
    site = site_of(30, delay=0.05)
    with site.serve() as origin:
        settle(project, docs=f"{origin}/")
        assert holdfast("cluster", "submit", "docs").status == 0
        command = [
            sys.executable,
            "-m",
            "holdfast",
            "cluster",
            "run",
            "--scheduler",
            dask_cluster.address,
            "--drain",
        ]
        running = subprocess.Popen([*command, "--lease", "2"], cwd=project, env=os.environ)
        try:
            until(lambda: len(site.requests) > 8)
            _kill_worker()
            assert running.wait(120) == 0
        finally:
            running.kill()
        [job] = holdfast("cluster", "jobs", "--json").json["jobs"]
        assert (job["state"], job["attempts"]) == ("done", 2)
        again = subprocess.Popen(
            [sys.executable, "-m", "holdfast", "cluster", "worker", "--lease", "2"], cwd=project
        )
        try:
            assert write_out(holdfast, project) == embedded(holdfast, project, monkeypatch, origin)
        finally:
            again.kill()
            again.wait(30)
    assert holdfast("verify").status == 0


@pytest.mark.spec("CLU-4")
def test_a_lost_scheduler_is_told_in_words_and_what_it_ran_is_finished_elsewhere(
    holdfast, project, worker, tmp_path
):
    site, own = site_of(10, delay=0.1), DaskCluster(tmp_path)
    command = [sys.executable, "-m", "holdfast", "cluster", "run", "--scheduler", own.address, "--lease", "2"]
    try:
        with site.serve() as origin:
            settle(project, docs=f"{origin}/")
            assert holdfast("cluster", "submit", "docs").status == 0
            running = subprocess.Popen(command, cwd=project, stderr=subprocess.PIPE, text=True)
            until(lambda: len(site.requests) > 4)
            own.close()
            words = running.communicate(timeout=60)[1]
            assert (running.returncode, "Traceback" in words) == (3, False)
            assert "scheduler was lost" in words
            last = worker("--drain")
            assert last.wait(60) == 0, last.stderr.read()
    finally:
        own.close()
    [job] = holdfast("cluster", "jobs", "--json").json["jobs"]
    assert job["state"] == "done"
    assert holdfast("verify").status == 0


def _kill_worker():
    """The process that holds the job, as `holdfast cluster jobs` names it."""

    settings = load_settings(Path.cwd(), flags={}, environment=os.environ)
    [job] = list_jobs(settings).jobs
    os.kill(int(job.owner.split("/")[1]), signal.SIGKILL)
    time.sleep(0.1)


def test_a_scheduler_that_is_not_there_is_told_in_words(holdfast, project, monkeypatch):
    settle(project, docs="https://example.com/")
    monkeypatch.setattr(dask_engine, "WITHIN", "1s")
    ran = holdfast("cluster", "run", "--scheduler", "tcp://127.0.0.1:9", "--drain")
    assert ran.status == 3
    assert "cannot be reached" in ran.err
