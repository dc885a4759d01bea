"""The same commands with `archive = "s3://…"`: same exits, same bytes."""

from __future__ import annotations

import gzip
import time

import pytest

from faces.cli.test_ledger_on_a_server import FLAGS, bytes_of
from helpers.sites.command import start_mirror
from helpers.sites.server import Reply, Site, page

pytestmark = pytest.mark.spec("CLU-1")

SITE = {
    "/": page("Home", links=["/a", "/b", "/copy"]),
    "/a": page("A", links=["/b", "/"]),
    "/b": page("B", text="The same words as before."),
    "/copy": page("B", text="The same words as before."),
}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "holdfast.toml").write_text("")
    return tmp_path


@pytest.fixture(params=["file", "server"])
def placed(request, s3, project):
    """Where ledger and archive are."""
    ledger = ("--ledger", request.getfixturevalue("postgres")) if request.param == "server" else ()
    return (*ledger, "--archive", s3, "--store", project / "elsewhere")


def test_a_mirror_is_the_same_wherever_its_archive_is(holdfast, project, placed):
    site = Site(dict(SITE))
    with site.serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "embedded", *FLAGS).status == 0
        made = holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed)
        assert made.status == 0, made.err
        assert bytes_of(project / "embedded") == bytes_of(project / "kept")
        site.answers["/a"] = page("A", text="Other words.", links=["/b"])
        again = holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed, "--update")
        assert again.status == 0, again.err
        assert "Other words" in holdfast("diff", f"{origin}/a", *placed).out
    assert not (project / "elsewhere" / "archive").exists()
    assert holdfast("verify", "kept", *placed).status == 0
    assert holdfast("verify", *placed).status == 0
    assert holdfast("store", "index", *placed).out.count("/a") >= 2
    assert holdfast("verify", *placed).status == 0
    assert holdfast("restore", "kept", *placed).status == 0
    forgotten = holdfast("forget", f"{origin}/b", *placed)
    assert forgotten.status == 0, forgotten.err
    assert holdfast("verify", "kept", *placed).status == 0


def test_small_objects_are_joined(holdfast, project, placed, s3, s3_server):
    prefix = s3.removeprefix("s3://pages/")
    site = Site(dict(SITE))
    with site.serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed).status == 0
        for words in ("Other words.", "Third words."):
            site.answers["/a"] = page("A", text=words, links=["/b"])
            assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed, "--update").status == 0
    before = s3_server.objects(prefix)
    packed = holdfast("store", "pack", *placed, "--json")
    assert packed.status == 0, packed.err
    after = s3_server.objects(prefix)
    assert packed.json["before"] == len(before) > packed.json["after"] == 1
    assert not set(before) & set(after)
    assert holdfast("verify", *placed).status == 0
    assert holdfast("verify", "kept", *placed).status == 0
    assert "Third words" in holdfast("diff", f"{origin}/a", *placed).out
    settled = s3_server.objects(prefix)
    assert "nothing to join" in holdfast("store", "pack", *placed).err
    assert s3_server.objects(prefix) == settled


def test_objects_that_are_large_stay_as_they_are(holdfast, project, placed, s3, s3_server, monkeypatch):
    prefix = s3.removeprefix("s3://pages/")
    site = Site(dict(SITE))
    with site.serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed).status == 0
        monkeypatch.setattr("holdfast.jobs.upkeep.prune.FULL_OBJECT", 1_000_000)
        assert holdfast("store", "pack", *placed).status == 0
        made = s3_server.objects(prefix).items()
        large = {name: data for name, data in made if b"WARC-Type: response" in gzip.decompress(data)}
        for words in ("Other words.", "Third words."):
            site.answers["/a"] = page("A", text=words, links=["/b"])
            made = holdfast(
                "mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed, "--update", "--max-age", "0s"
            )
            assert made.status == 0, made.err
    half = max(len(data) for data in large.values())
    monkeypatch.setattr("holdfast.jobs.upkeep.prune.FULL_OBJECT", 2 * half)  # what was packed is large now
    packed = holdfast("store", "pack", *placed, "--json")
    assert packed.status == 0, packed.err
    assert packed.json["after"] < packed.json["before"]
    after = s3_server.objects(prefix)
    biggest = next(name for name, data in large.items() if len(data) == half)
    assert after[biggest] == large[biggest]
    assert holdfast("verify", *placed).status == 0
    assert holdfast("verify", "kept", *placed).status == 0
    assert "Third words" in holdfast("diff", f"{origin}/a", *placed).out


def test_a_backup_brings_the_objects_along(holdfast, project, placed):
    with Site(SITE).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed).status == 0
    made = holdfast("store", "backup", "copy", *placed)
    assert made.status == 0, made.err
    assert holdfast("verify", "--store", "copy").status == 0


@pytest.mark.spec("STA-7", "CLU-1")
def test_a_lost_ledger_is_made_from_the_objects(holdfast, project, placed, postgres_server):
    with Site(SITE).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed).status == 0
    runs = holdfast("log", "--runs", "--json", *placed).json
    postgres_server.empty()
    (project / "elsewhere" / "ledger.db").unlink(missing_ok=True)
    made = holdfast("store", "rebuild", *placed, "--json")
    assert made.status == 0, made.err
    assert holdfast("log", "--runs", "--json", *placed).json == runs
    assert holdfast("verify", *placed).status == 0
    assert holdfast("verify", "kept", *placed).status == 0


def test_what_no_ledger_knows_is_left_alone_until_somebody_says_so(holdfast, project, placed, s3, s3_server):
    prefix = s3.removeprefix("s3://pages/")
    with Site(SITE).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed).status == 0
        folder = s3_server.folder / "data" / "pages" / prefix
        (folder / "20200101T000000000000-other-00001.warc.gz").write_bytes(b"of somebody who is at work")
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, *placed, "--update").status == 0
    assert "other-00001" in holdfast("verify", *placed).out
    assert holdfast("store", "prune", "--orphans", "--yes", *placed).status == 0
    assert holdfast("verify", *placed).status == 0


def test_without_keys_nothing_is_asked(holdfast, project, s3, monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with Site(SITE).serve() as origin:
        ran = holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS, "--archive", s3)
    assert ran.status == 2
    assert "AWS_SECRET_ACCESS_KEY not set" in ran.err


@pytest.mark.spec("CLU-1", "MIR-5")
def test_a_mirror_outlives_a_server_that_freezes_and_dies(holdfast, project, s3, s3_server):
    """What was not acknowledged is tried again; nothing is lost, nothing is there twice."""
    pages = {f"/p{n}": page(f"P{n}", links=[f"/p{min(n + 1, 29)}"]) for n in range(30)}
    slow = {path: Reply(reply.body, delay=0.05) for path, reply in pages.items()}
    with Site({"/": page("Home", links=["/p0"]), **slow}).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "embedded", *FLAGS).status == 0
        flags = (*FLAGS, "--archive", s3, "--store", str(project / "elsewhere"))
        running = start_mirror(f"{origin}/", project / "kept", *flags)
        try:
            for act in (s3_server.freeze, s3_server.thaw, s3_server.kill, s3_server.start):
                time.sleep(0.7)
                act()
            _, err = running.communicate(timeout=120)
        finally:
            running.kill()
        if (
            running.returncode
        ):  # away for longer than is waited for, on a busy machine: in words, and it goes on
            assert "start again" in str(err)
            assert holdfast("mirror", f"{origin}/", "-o", "kept", *flags).status == 0
    assert bytes_of(project / "embedded") == bytes_of(project / "kept")
    assert holdfast("verify", "--archive", s3, "--store", project / "elsewhere").status == 0


def test_one_file_alone_is_not_written_anew(holdfast):
    with Site(dict(SITE)).serve() as origin:
        assert holdfast("mirror", f"{origin}/", "-o", "kept", *FLAGS).status == 0
    assert "nothing to join: 1 file" in holdfast("store", "pack", "--store", "kept").err
