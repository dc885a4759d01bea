"""Nothing is deleted because something else is missing (STA-7): the ledger lost, an older one put back."""

from __future__ import annotations

import gzip
import shutil

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-7")


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/a", "First words of a")
        living.put("/b", "Steady words of b")
        yield living


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "mirror"


def run(site, folder, *flags):
    done = mirror(site.origin + "/", folder, *flags)
    assert done.status == 0, done.err
    return done


def state_of(folder):
    return folder / ".holdfast"


def words_in_archive(folder):
    """Everything in the archive and in what was moved aside, unpacked."""
    files = sorted((state_of(folder) / "archive").rglob("*.warc.gz"))
    return b"".join(gzip.decompress(file.read_bytes()) for file in files)


def lose_ledger(folder):
    for file in state_of(folder).glob("ledger.db*"):
        file.unlink()


def test_a_lost_ledger_does_not_cost_the_archive(site, folder):
    run(site, folder)
    site.put("/a", "Second words of a")
    run(site, folder, "--update")
    before = words_in_archive(folder)
    lose_ledger(folder)
    said = run(site, folder, "--update").err
    assert "orphans" in said
    assert "store prune --orphans" in said
    for words in (
        ("mirror", site.origin + "/", "-o", folder, "-q"),
        ("store", "prune", "--store", state_of(folder)),
    ):
        assert holdfast(*words).status == 0
    assert b"First words of a" in words_in_archive(folder)
    assert words_in_archive(folder).startswith(before) or before in words_in_archive(folder)
    assert holdfast("verify", folder).status == 0


def test_an_older_ledger_does_not_cut_the_archive(site, folder, tmp_path):
    run(site, folder)
    shutil.copyfile(state_of(folder) / "ledger.db", tmp_path / "backup.db")
    site.put("/a", "Second words of a")
    run(site, folder, "--update")
    assert b"Second words of a" in words_in_archive(folder)
    lose_ledger(folder)
    shutil.copyfile(tmp_path / "backup.db", state_of(folder) / "ledger.db")
    said = holdfast("store", "prune", "--store", state_of(folder))
    assert said.status == 0
    assert "orphans" in said.err
    assert b"Second words of a" in words_in_archive(folder)
    assert holdfast("restore", folder, "-q").status == 0
    assert holdfast("verify", folder).status == 0
    assert holdfast("verify", "--store", state_of(folder)).status == 0


def test_orphans_go_with_gc_orphans_alone_and_only_when_it_is_meant(site, folder):
    run(site, folder)
    lose_ledger(folder)
    run(site, folder)
    orphans = state_of(folder) / "archive" / "orphans"
    assert list(orphans.iterdir())
    refused = holdfast("store", "prune", "--orphans", "--store", state_of(folder))
    assert refused.status == 4
    assert list(orphans.iterdir())
    assert holdfast("store", "prune", "--orphans", "--yes", "--store", state_of(folder)).status == 0
    assert not orphans.exists()


def test_forgetting_reaches_orphans(site, folder):
    run(site, folder)
    lose_ledger(folder)
    run(site, folder)
    assert holdfast("forget", site.origin + "/a", "--store", state_of(folder)).status == 0
    left = words_in_archive(folder)
    assert b"First words of a" not in left
    assert b"Steady words of b" in left
    orphans = sorted((state_of(folder) / "archive" / "orphans").glob("*.warc.gz"))
    assert orphans
    told = b"".join(gzip.decompress(path.read_bytes()) for path in orphans)
    assert f'"{site.origin}/a"'.encode() not in told, "a chapter of the lost ledger names it"
    host = site.origin.removeprefix("http://")
    assert holdfast("forget", host, "--store", state_of(folder)).status == 0
    assert b"Steady words of b" not in words_in_archive(folder)


def test_a_run_killed_before_its_first_commit_leaves_nothing_for_verify(site, folder):
    """What the ledger never heard of lies aside, and verify mentions it without counting it."""
    run(site, folder)
    name = "holdfast-00002.warc.gz"
    archive = state_of(folder) / "archive"
    shutil.copyfile(archive / "holdfast-00001.warc.gz", archive / name)
    run(site, folder)
    assert (archive / "orphans" / name).is_file()
    verified = holdfast("verify", folder)
    assert verified.status == 0
    assert "orphans" in verified.err
