"""The mirror's folder: whole files, nothing outside, no symlink followed."""

from pathlib import Path

import pytest

from holdfast.adapters.folder import Folder
from holdfast.core.errors import MirrorError


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
