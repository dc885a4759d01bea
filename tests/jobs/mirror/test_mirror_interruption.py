"""Killed anywhere, interrupted, locked: started again, the mirror is what it would have been."""

import json
import random
import signal
import time

import pytest

from helpers.sites.command import files_of, fingerprint, manifest_of, mirror, pages_of, start_mirror
from helpers.sites.server import Reply, Site, page, sitemap
from helpers.sites.tangled import tangled_site

PAGES = 120


def without_tmp(output):
    tmp = output / ".holdfast" / "tmp"
    return not tmp.exists() or not any(tmp.iterdir())


@pytest.mark.spec("MIR-12", "SEC-6")
def test_killed_anywhere_and_resumed_the_deterministic_part_is_that_of_an_undisturbed_run(tmp_path):
    chance = random.Random(7)
    site = tangled_site(PAGES)
    with site.serve() as origin:
        began = time.monotonic()
        mirror(f"{origin}/1", tmp_path / "calm", "--discover", "links")
        whole = time.monotonic() - began
        expected = fingerprint(tmp_path / "calm")
        assert len(expected) > 60
        for _ in range(5):
            process = start_mirror(f"{origin}/1", tmp_path / "killed", "--discover", "links")
            time.sleep(0.5 + chance.random() * whole)
            process.kill()
            process.communicate()
        done = mirror(f"{origin}/1", tmp_path / "killed", "--discover", "links")
    assert done.status == 1, "some pages of this site fail"
    assert fingerprint(tmp_path / "killed") == expected
    assert manifest_of(tmp_path / "killed")["crawl"]["status"] == "finished"
    assert without_tmp(tmp_path / "killed")


@pytest.mark.spec("MIR-12", "MIR-5")
@pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
def test_a_checkpoint_that_fell_behind_the_ledger_changes_nothing(tmp_path, keep):
    """What a crash between ledger and folder leaves: the last lines and their files are missing."""
    site = tangled_site(PAGES)
    with site.serve() as origin:
        mirror(f"{origin}/1", tmp_path, "--discover", "links")
        expected = fingerprint(tmp_path)
        lines = (tmp_path / "_processed.txt").read_text().splitlines(keepends=True)
        kept = lines[: int(len(lines) * keep)]
        (tmp_path / "_processed.txt").write_text("".join(kept))
        for entry in manifest_of(tmp_path)["pages"]:
            if f"{entry['url']}\n" not in kept:
                (tmp_path / entry["path"]).unlink()
        mirror(f"{origin}/1", tmp_path, "--discover", "links")
    assert fingerprint(tmp_path) == expected


def wait_for(process, count, beginning="["):
    """Until so many lines are there that begin so; those of progress begin with a bracket."""
    seen = 0
    while seen < count:
        line = process.stderr.readline()
        assert line, "it ended too early"
        seen += line.startswith(beginning)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_saves_what_there_is_and_says_how_to_go_on(tmp_path, times):
    site = Site({}, fallback=lambda target: Reply(page(target).body, delay=0.15))
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/{n}" for n in range(300)])
        process = start_mirror(f"{origin}/sitemap.xml", tmp_path, "--per-host", "8")
        wait_for(process, 3)
        process.send_signal(signal.SIGINT)
        wait_for(process, 1, "finishing the pages in flight")
        if times == 2:
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=25)
        assert process.returncode == 130, err
        assert "to go on: holdfast mirror" in err
        assert "Traceback" not in err
        before = len(pages_of(tmp_path))
        assert before < 300
        if times == 1:
            assert manifest_of(tmp_path)["crawl"]["status"] == "interrupted"
            assert len((tmp_path / "_processed.txt").read_text().splitlines()) == before
        site.fallback = page
        done = mirror(f"{origin}/sitemap.xml", tmp_path)
    assert done.status == 0, done.err
    assert "going on with the last run" in done.err
    assert len(pages_of(tmp_path)) == 300


@pytest.mark.spec("STA-1")
def test_a_second_start_on_the_same_folder_is_refused_and_names_the_first(tmp_path):
    site = Site({}, fallback=lambda target: Reply(page(target).body, delay=0.3))
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/{n}" for n in range(300)])
        process = start_mirror(f"{origin}/sitemap.xml", tmp_path)
        try:
            wait_for(process, 1)
            done = mirror(f"{origin}/sitemap.xml", tmp_path)
        finally:
            process.kill()
            process.communicate()
        assert done.status == 4
        assert f"process {process.pid} (holdfast mirror)" in done.err


@pytest.mark.spec("MIR-4")
def test_a_host_that_wants_to_be_left_alone_for_long_is_a_failure_not_a_long_sleep(tmp_path):
    late = Reply(status=429, headers=(("Retry-After", "86400"),))
    site = Site({"/": page("Home", links=["/late", "/a"]), "/late": late, "/a": page("A")})
    with site.serve() as origin:
        done = mirror(f"{origin}/", tmp_path, "--discover", "links")
    assert done.status == 1
    assert len(pages_of(tmp_path)) == 2
    assert "/late" in (tmp_path / "_failed.log").read_text()


@pytest.mark.spec("MIR-5")
def test_a_finished_mirror_started_again_asks_for_no_page_and_touches_no_file(tmp_path):
    site = tangled_site(PAGES)
    with site.serve() as origin:
        site.answers["/sitemap.xml"] = sitemap([f"{origin}/{n}" for n in range(1, 5)])
        mirror(f"{origin}/sitemap.xml", tmp_path)
        before = {name: (tmp_path / name).stat().st_mtime_ns for name in files_of(tmp_path)}
        site.requests.clear()
        done = mirror(f"{origin}/sitemap.xml", tmp_path, "--json")
        assert done.status == 0
        assert set(site.requests) <= {"/robots.txt", "/sitemap.xml"}
    after = {name: (tmp_path / name).stat().st_mtime_ns for name in files_of(tmp_path)}
    moved = {name for name in after if after[name] != before.get(name)}
    assert moved <= {"_progress.json"}
    assert json.loads(done.out)["outcomes"] == {"already done": 4}
