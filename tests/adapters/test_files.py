"""What the user named to be written: replaced as a whole, behind links, and never a device or a pipe."""

import errno
import os
import stat

import pytest

from holdfast.adapters.document_folder import DocumentFolder
from holdfast.adapters.system import replaceable, write_text
from holdfast.core.base.errors import FailedError, NoSpaceError, UsageError

pytestmark = pytest.mark.spec("STA-2")


def test_a_link_is_kept_and_the_file_behind_it_replaced(tmp_path):
    (tmp_path / "shared").mkdir()
    link = tmp_path / "baseline.txt"
    link.symlink_to("shared/baseline.txt")
    write_text(link, "first")
    write_text(link, "second")
    assert link.is_symlink()
    assert [file.name for file in (tmp_path / "shared").iterdir()] == ["baseline.txt"]
    assert link.read_text() == "second"


def test_a_pipe_is_refused_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="a device or a pipe"):
        write_text(pipe, "text")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]


def test_a_device_behind_a_link_is_refused(tmp_path):
    link = tmp_path / "nothing"
    link.symlink_to(os.devnull)
    with pytest.raises(UsageError, match="a device or a pipe"):
        replaceable(link)


def test_a_folder_and_a_ring_of_links_are_refused_in_words(tmp_path):
    with pytest.raises(UsageError, match="a folder"):
        replaceable(tmp_path)
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(FailedError, match="cannot write"):
        replaceable(tmp_path / "a")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize(
    "write",
    [
        lambda folder: write_text(folder / "a.md", "new"),
        lambda folder: DocumentFolder(folder).write("a.md", b"new"),
    ],
    ids=["a file", "a document"],
)
def test_a_full_disk_is_said_as_such_and_leaves_what_was_there(tmp_path, monkeypatch, write, number):
    def full(_):
        raise OSError(number, os.strerror(number))

    (tmp_path / "a.md").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoSpaceError, match="there is no room"):
        write(tmp_path)
    assert (tmp_path / "a.md").read_text() == "old"
