"""Tracking whose URLs workers ask: what one process finds, and each host asked by one of them."""

from __future__ import annotations

import shutil
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import pytest

from helpers.sites.server import Site, page, redirect
from jobs.cluster.test_cluster import project, until, worker  # noqa: F401 - fixtures

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")
FLAGS = ("--fetch-urls", "--allow-private", "--content-rate-limit", "0", "--json")


@pytest.fixture
def sites(tmp_path):
    """Four hosts with pages, a missing one, and one that leads to the next host; a document cites all."""
    with ExitStack() as running:
        made = {host: Site({f"/{n}": page(f"{host} {n}") for n in range(3)}, host=host) for host in HOSTS}
        origins = [running.enter_context(site.serve()) for site in made.values()]
        for site, onward in zip(made.values(), (*origins[1:], origins[0]), strict=True):
            site.answers["/onward"] = redirect(f"{onward}/0")
        words = [f"<{origin}/{path}>" for origin in origins for path in (0, 1, 2, "missing", "onward")]
        (tmp_path / "notes.md").write_text("\n\n".join(words) + "\n")
        yield made


def found(told):
    """What is known of each URL, without the times."""
    return {link["url"]: (link["state"], link["status_code"], link["final_url"]) for link in told["urls"]}


@pytest.mark.spec("CLU-1", "CLU-3", "CLU-4")
def test_workers_find_what_one_process_finds(holdfast, project, worker, sites, monkeypatch):  # noqa: F811
    shutil.copytree(project, project.parent / "twin")
    workers = [worker() for _ in range(2)]
    shared = holdfast("check", ".", "--cluster", *FLAGS)
    assert shared.status in (0, 1), shared.err
    asked = {host: sorted(site.requests) for host, site in sites.items()}
    for site in sites.values():
        site.requests.clear()
    with monkeypatch.context() as plain:
        plain.delenv("HOLDFAST_LEDGER")
        plain.delenv("HOLDFAST_ARCHIVE")
        plain.chdir(project.parent / "twin")
        alone = holdfast("check", ".", *FLAGS)
    assert alone.status == shared.status
    assert found(shared.json) == found(alone.json)
    assert asked == {host: sorted(site.requests) for host, site in sites.items()}
    jobs = holdfast("cluster", "jobs", "--json").json["jobs"]
    assert {job["state"] for job in jobs if job["name"].startswith("track ")} == {"done"}
    assert all(process.poll() is None for process in workers)
    again = holdfast("check", ".", "--cluster", *FLAGS)  # all answers still count: nothing is asked
    assert found(again.json) == found(shared.json)
    checked = holdfast("verify")
    assert checked.status == 0, checked.out + checked.err


@pytest.mark.spec("CLU-2", "CLU-3")
def test_parts_whose_worker_is_killed_are_asked_by_another(holdfast, project, worker, sites):  # noqa: F811
    for site in sites.values():
        site.answers |= {path: replace(reply, delay=0.2) for path, reply in site.answers.items()}
    first = worker()

    def follow():
        until(lambda: sum(len(site.requests) for site in sites.values()) > 1)
        first.kill()
        worker()

    with ThreadPoolExecutor() as threads:
        following = threads.submit(follow)
        shared = holdfast("check", ".", "--cluster", *FLAGS)
        following.result()
    assert shared.status in (0, 1), shared.err
    assert Counter(link["status_code"] for link in shared.json["urls"]) == {200: 16, 404: 4}
    jobs = holdfast("cluster", "jobs", "--json").json["jobs"]
    assert {job["state"] for job in jobs} == {"done"}
    assert max(job["attempts"] for job in jobs) == 2
    checked = holdfast("verify")
    assert checked.status == 0, checked.out + checked.err


def test_what_workers_cannot_see_is_refused_in_words(holdfast, project, sites, monkeypatch):  # noqa: F811
    cache = project / ".lycheecache"
    cache.write_text("https://docs.example/,200,1700000000\n")
    ran = holdfast("check", ".", "--cluster", "--lychee-cache", cache, *FLAGS)
    assert (ran.status, "--cluster asks what is due" in ran.err) == (2, True)
    monkeypatch.delenv("HOLDFAST_ARCHIVE")
    ran = holdfast("check", ".", "--cluster", *FLAGS)
    assert (ran.status, "archive in a bucket" in ran.err) == (2, True)
    assert not any(site.requests for site in sites.values())
