"""The store follows no symlink, and is private to its owner (SEC-8)."""

from __future__ import annotations

import os
import stat

import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("SEC-8")


@pytest.fixture
def site():
    with LivingSite() as living:
        living.put("/a", "Words of a")
        yield living


@pytest.fixture
def victim(tmp_path):
    """Something of the reader's, outside of what he cloned."""
    file = tmp_path / "home" / "bashrc"
    file.parent.mkdir()
    file.write_text("precious")
    return file


@pytest.fixture
def cloned(tmp_path, monkeypatch):
    folder = tmp_path / "cloned"
    (folder / ".holdfast").mkdir(parents=True)
    (folder / "README.md").write_text("See https://example.com/.\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("name", ["lock", "ledger.db", "ledger.db-wal", "ledger.db-journal"])
def test_a_file_of_the_state_that_is_a_symlink_is_refused(cloned, victim, name):
    (cloned / ".holdfast" / name).symlink_to(victim)
    done = holdfast("check", cloned)
    assert done.status == 3
    assert "symlink" in done.err
    assert victim.read_text() == "precious"


@pytest.mark.parametrize("name", [".holdfast", ".holdfast/archive", ".holdfast/archive/orphans"])
def test_a_folder_of_the_state_that_is_a_symlink_is_refused(cloned, victim, name):
    link = cloned / name
    if name == ".holdfast":
        link.rmdir()
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(victim.parent, target_is_directory=True)
    done = holdfast("check", cloned)
    assert done.status == 3
    assert "symlink" in done.err
    assert [file.name for file in victim.parent.iterdir()] == ["bashrc"]


def test_an_archive_file_that_is_a_symlink_is_refused(cloned, victim):
    (cloned / ".holdfast" / "archive").mkdir()
    (cloned / ".holdfast" / "archive" / "holdfast-00001.warc.gz").symlink_to(victim)
    done = holdfast("check", cloned)
    assert done.status == 3
    assert "symlink" in done.err
    assert victim.read_text() == "precious"


def test_questions_follow_no_symlink_either(cloned, victim):
    (cloned / ".holdfast" / "ledger.db").symlink_to(victim)
    done = holdfast("log", "--runs")
    assert done.status == 3
    assert "symlink" in done.err


@pytest.mark.parametrize("name", ["lock", "ledger.db", "archive"])
def test_something_else_in_the_place_of_a_file_is_a_plain_error(cloned, name):
    if name == "archive":
        (cloned / ".holdfast" / name).write_text("a file where a folder should be")
    else:
        (cloned / ".holdfast" / name).mkdir()
    done = holdfast("check", cloned)
    assert done.status == 3
    assert name in done.err


def test_a_state_folder_named_by_its_user_may_lie_behind_a_symlink(site, tmp_path):
    (tmp_path / "large-disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "large-disk")
    done = mirror(site.origin + "/", tmp_path / "m", "--store", tmp_path / "link" / "state")
    assert done.status == 0, done.err


def test_what_is_made_is_private_to_its_owner(site, tmp_path):
    before = os.umask(0o022)
    try:
        assert mirror(site.origin + "/", tmp_path / "m").status == 0
    finally:
        os.umask(before)
    state = tmp_path / "m" / ".holdfast"
    for path in (state, *state.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), f"{path.name} has {mode:o}"
    page = next((tmp_path / "m").rglob("a/index.md"))
    assert stat.S_IMODE(page.stat().st_mode) == 0o644
