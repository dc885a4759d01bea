"""A full disk, a killed writer, a failed sync: a clean end, nothing acknowledged lost, and it goes on."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from pathlib import Path

import pytest

from holdfast.core.base.errors import ArchiveError, LockedError, NoSpaceError
from holdfast.jobs.session import open_store
from holdfast.storage.archive import warc_writer
from holdfast.storage.scribe import commit_group
from proofs.torture_store import RUN, SETTINGS, faults, place, submission, torture

pytestmark = pytest.mark.spec("SEC-6")


@pytest.fixture
def small_disk(tmp_path):
    """Two megabytes of file system, where one can be mounted."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a tmpfs needs rights that this user has not")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(state: Path, count: int = 2000) -> set[int]:
    """Store pages until something stops it; what was acknowledged."""
    acknowledged: set[int] = set()
    with open_store(state, "test", SETTINGS) as store:
        store.ledger.runs.begin_run(RUN)
        for first in range(0, count, 10):
            group = [submission(number) for number in range(first, first + 10)]
            commit_group(store.ledger, store.archive, "torture", group, RUN.started_at)
            acknowledged |= set(range(first, first + 10))
    return acknowledged


def stored(state: Path) -> list[int]:
    with open_store(state, "test", SETTINGS) as store:
        observed = store.ledger.history.of_run("torture")
        return [int(o.capture.url.rsplit("/", 1)[1]) for o in observed]


def test_a_full_disk_ends_cleanly_and_goes_on_when_there_is_room(small_disk):
    state = small_disk / "state"
    with pytest.raises(NoSpaceError, match="no space left"):
        fill(state)
    kept = stored(state)  # the disk is still full: reading, and cutting the torn tail, need no room
    assert len(kept) >= 10
    subprocess.run(["mount", "-o", "remount,size=30m", str(small_disk)], check=True)
    assert faults(state, set(kept)) == []
    assert fill(state, 100)
    assert set(stored(state)) >= set(kept) | set(range(100))


@pytest.mark.parametrize("call", ["write", "fdatasync"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_failed_write_or_sync_ends_the_writer_for_good(tmp_path, monkeypatch, call, code):
    state = tmp_path / "state"
    assert len(fill(state, 20)) == 20
    with open_store(state, "test", SETTINGS) as store:

        def fails(*_args):
            raise OSError(code, os.strerror(code))

        with monkeypatch.context() as patch:
            patch.setattr(warc_writer.os, call, fails)
            expected = ArchiveError if code == errno.EIO else NoSpaceError
            with pytest.raises(expected):
                commit_group(store.ledger, store.archive, "torture", [submission(7)], RUN.started_at)
        with pytest.raises(ArchiveError, match="failed before"):
            commit_group(store.ledger, store.archive, "torture", [submission(8)], RUN.started_at)
    assert len(stored(state)) == 20
    assert fill(state, 30)
    assert len(stored(state)) == 30


def test_a_new_file_is_durable_by_name_too(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(
        "holdfast.storage.archive.shelf.os.fsync", lambda handle: (synced.append(_kind(handle)), real(handle))
    )
    real_data = os.fdatasync
    monkeypatch.setattr(
        warc_writer.os, "fdatasync", lambda handle: (synced.append(_kind(handle)), real_data(handle))
    )
    with open_store(tmp_path / "state", "test", SETTINGS) as store:
        store.ledger.runs.begin_run(RUN)
        synced.clear()
        commit_group(store.ledger, store.archive, "torture", [submission(1)], RUN.started_at)
        assert synced == ["file", "folder"]


def _kind(handle: int) -> str:
    return "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"


def test_a_dozen_kills_lose_nothing_that_was_acknowledged(tmp_path):
    found, acknowledged = torture(tmp_path, kills=12, seed=5)
    assert found == []
    assert acknowledged > 0


class TestLock:
    @pytest.mark.spec("STA-1")
    def test_a_second_writer_is_told_who_holds_the_folder(self, tmp_path):
        with open_store(tmp_path, "mirror", SETTINGS):
            second = open_store(tmp_path, "check", SETTINGS)
            with pytest.raises(LockedError, match=rf"process {os.getpid()} \(holdfast mirror\)"):
                second.__enter__()

    @pytest.mark.spec("STA-1")
    def test_the_lock_of_a_dead_holder_is_taken_over(self, tmp_path):
        with open_store(tmp_path, "mirror", SETTINGS):
            pass
        (tmp_path / "lock").write_text('{"pid": 1, "command": "mirror"}')
        with open_store(tmp_path, "check", SETTINGS) as store:
            assert place(1).url.startswith("https")
            assert store.state == tmp_path
