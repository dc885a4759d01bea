"""The mirror's folder: whole files, nothing outside, no symlink followed."""

import os
import resource
from pathlib import Path
from random import Random

import pytest

from disk.recording import Recorder
from disk.simulated_disk import Disk, SimulatedDisk
from holdfast.adapters.folder import folder as module
from holdfast.adapters.folder.folder import Folder
from holdfast.core.base.errors import MirrorError


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "out")
    yield made
    made.close()


def test_files_are_written_whole_and_read_back(folder):
    folder.write("e.com/a/index.md", b"one")
    folder.write("e.com/a/index.md", (b"t", b"wo"))
    folder.write("_manifest.json", b"{}")
    assert folder.read("e.com/a/index.md") == b"two"
    assert folder.read("e.com/none.md") is None
    assert list(folder.walk()) == ["_manifest.json", "e.com/a/index.md"]


def test_removing_a_file_removes_the_folders_it_leaves_empty(folder):
    folder.write("_failed/e.com/a/index.txt", b"x")
    folder.write("_failed/e.com/b/index.txt", b"x")
    folder.remove("_failed/e.com/a/index.txt")
    folder.remove("_failed/e.com/a/index.txt")
    assert list(folder.walk()) == ["_failed/e.com/b/index.txt"]
    folder.remove("_failed/e.com/b/index.txt")
    assert not folder.has("_failed")


@pytest.mark.spec("PATH-7", "SEC-4")
@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/x", "a//x", "a/./x", "", "a/"])
def test_names_that_climb_are_refused(folder, path, tmp_path):
    with pytest.raises(MirrorError, match="leaves the folder"):
        folder.write(path, b"x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


@pytest.mark.spec("PATH-7")
def test_a_symlinked_folder_is_refused_and_the_rest_of_the_batch_is_written(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder.root / "e.com").mkdir()
    (folder.root / "e.com" / "a").symlink_to(outside)
    refused = folder.write_all({"e.com/a/index.md": b"x", "e.com/b/index.md": b"y"})
    assert refused == {"e.com/a/index.md": "a symlink stands in the way (e.com/a); it is not followed"}
    assert list(outside.iterdir()) == []
    assert folder.read("e.com/b/index.md") == b"y"


@pytest.mark.spec("PATH-7")
def test_a_symlinked_file_is_refused_for_writing_reading_and_appending(folder, tmp_path):
    target = tmp_path / "precious"
    target.write_text("mine")
    (folder.root / "_processed.txt").symlink_to(target)
    for act in (folder.write, folder.append):
        with pytest.raises(MirrorError, match="symlink"):
            act("_processed.txt", b"x")
    with pytest.raises(MirrorError, match="symlink"):
        folder.read("_processed.txt")
    assert target.read_text() == "mine"


@pytest.mark.spec("PATH-7")
def test_what_stands_beside_folders_that_are_made_is_met_as_what_it_is(folder, tmp_path):
    (tmp_path / "outside").mkdir()
    folder.write_all({"e.com/there/index.md": b"old"})
    (folder.root / "e.com" / "away").symlink_to(tmp_path / "outside")
    (folder.root / "e.com" / "file").write_text("mine")
    names = ("new", "there", "new2", "away", "new3", "file", "new4")
    refused = folder.put_all({f"e.com/{name}/index.md": name.encode() for name in names})
    assert refused == {
        "e.com/away/index.md": "a symlink stands in the way (e.com/away); it is not followed",
        "e.com/file/index.md": "a file stands where a folder should be (e.com/file)",
    }
    written = [name for name in names if name not in ("away", "file")]
    assert all(folder.read(f"e.com/{name}/index.md") == name.encode() for name in written)
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.spec("PATH-7")
@pytest.mark.parametrize("question", ["read", "has", "time_of"])
def test_what_lies_behind_a_symlink_is_not_told_of(folder, tmp_path, question):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "index.md").write_text("theirs")
    (folder.root / "away").symlink_to(tmp_path / "outside")
    words = r"away/index\.md cannot be read: a symlink stands in the way \(away\)"
    with pytest.raises(MirrorError, match=words):
        getattr(folder, question)("away/index.md")


def test_a_symlink_planted_between_two_writes_is_met_as_what_it_is(folder, tmp_path):
    folder.write("e.com/a/index.md", b"x")
    (folder.root / "e.com").rename(tmp_path / "moved")
    (folder.root / "e.com").symlink_to(tmp_path / "moved")
    refused = folder.write_all({"e.com/a/index.md": b"new"})
    assert "symlink" in refused["e.com/a/index.md"]
    assert (tmp_path / "moved" / "a" / "index.md").read_bytes() == b"x"


def test_a_file_in_the_place_of_a_folder_is_refused_in_words(folder):
    (folder.root / "e.com").write_text("mine")
    refused = folder.write_all({"e.com/index.md": b"x"})
    assert refused == {"e.com/index.md": "a file stands where a folder should be (e.com)"}


def test_a_symlink_in_the_place_of_the_own_folder_is_refused(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / ".holdfast").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(MirrorError, match="symlink"):
        Folder(tmp_path / "out")


def test_what_a_killed_run_left_behind_is_cleared(tmp_path):
    tmp = tmp_path / "out" / ".holdfast" / "tmp"
    tmp.mkdir(parents=True)
    (tmp / "17").write_text("half")
    Folder(tmp_path / "out").close()
    assert list(tmp.iterdir()) == []


def test_appending_cutting_and_moving(folder):
    folder.append("_processed.txt", b"one\n")
    folder.append("_processed.txt", b"two\nto")
    folder.cut("_processed.txt", 8)
    assert folder.read("_processed.txt") == b"one\ntwo\n"
    folder.move("_processed.txt", "_processed.txt.corrupt")
    assert folder.has("_processed.txt.corrupt")
    assert not folder.has("_processed.txt")


def test_the_filesystem_is_probed_for_folding_and_room(folder):
    assert folder.folds_names() is (folder.root / "_processed.txt").with_name("_PROCESSED.TXT").exists()
    assert folder.free_bytes() > 0


def handles():
    return len(list(Path("/proc/self/fd").iterdir()))


def test_no_handle_leaks(folder):
    before = handles()
    for number in range(50):
        folder.write_all({f"e.com/{number}/index.md": b"x", "e.com": b"clash", "../x": b"climb"})
    assert handles() == before


@pytest.fixture(params=[True, False], ids=["syncfs", "each file"])
def images(request, tmp_path, monkeypatch):
    """What every kind of disk may hold, after something was done in a folder that has one page."""
    monkeypatch.setattr(module, "can_sync_at_once", lambda _: request.param)
    made = Folder(tmp_path / "out")
    made.write("e.com/old/index.md", b"the old text")

    def after(act):
        disk = SimulatedDisk.of(made.root)
        with Recorder(made.root).installed() as recorder:
            act(made)
        disk.replay(recorder.changes)
        return [disk.image(kind, Random(seed)).files for kind in Disk for seed in range(5)]

    yield after
    made.close()


NEW = {"e.com/old/index.md": b"the new text", "e.com/new/index.md": b"a new page"}


@pytest.mark.spec("SEC-6")
def test_a_file_that_is_put_replaces_another_whole_or_not_at_all(images):
    found = images(lambda folder: folder.put_all(NEW))
    assert {files.get("e.com/old/index.md") for files in found} == {b"the old text", b"the new text"}
    assert b"" in {files.get("e.com/new/index.md") for files in found}, "what is new may be lost until later"


@pytest.mark.spec("SEC-6")
def test_what_was_put_and_appended_is_on_every_disk_once_it_is_settled(images):
    def act(folder):
        folder.put_all(NEW)
        folder.append("_processed.txt", b"a line\n")
        folder.settle()

    for files in images(act):
        assert {path: files.get(path) for path in NEW} == NEW
        assert files.get("_processed.txt") == b"a line\n"


def test_settling_nothing_waits_for_no_disk(images):
    found = images(lambda folder: [folder.settle(), folder.put_all({}), folder.settle()])
    assert {len(files) for files in found} == {1}


def test_pages_side_by_side_open_the_folder_around_them_once(folder, monkeypatch):
    opened, real = [], os.open

    def noted(name, *values, **more):
        opened.append(name)
        return real(name, *values, **more)

    monkeypatch.setattr(os, "open", noted)
    refused = folder.put_all({f"host/page{number}/index.md": b"x" for number in range(20)})
    assert refused == {}
    assert opened.count("host") == 2  # it is not there; it is made
    assert (
        len([name for name in opened if name.startswith("page")]) == 21
    )  # only the first is looked for first


def test_pages_that_each_have_a_folder_are_written_with_few_descriptors(folder):
    """Half of the 256 that a process may have at the least in use."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 140, limits[1]))
    try:
        refused = folder.put_all({f"page{number}/index.md": b"x" for number in range(200)})
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert refused == {}
