"""What each kind of disk may hold after a power cut: the model behind the proofs."""

from __future__ import annotations

import os
from random import Random

import apsw
import pytest

from disk.recording import Recorder
from disk.simulated_disk import Disk, Image, SimulatedDisk

ALL = tuple(Disk)


@pytest.fixture
def folder(tmp_path):
    root = tmp_path.resolve() / "disk"
    root.mkdir()
    (root / "old").write_bytes(b"as it was")
    return root


@pytest.fixture
def images(folder):
    """Run something, and see what each disk may hold after it."""

    def after(act, seeds=1):
        disk = SimulatedDisk.of(folder)
        with Recorder(folder).installed() as recorder:
            act()
        disk.replay(recorder.changes)
        assert disk.image(Disk.KEPT, Random(0)) == Image.of(folder), "the record is not whole"
        if seeds == 1:
            return {kind: disk.image(kind, Random(0)).files for kind in ALL}
        return {kind: [disk.image(kind, Random(seed)).files for seed in range(seeds)] for kind in ALL}

    return after


def sync(path):
    handle = os.open(path, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def test_bytes_without_a_sync_are_kept_by_a_kill_alone(images, folder):
    found = images(lambda: (folder / "new").write_bytes(b"text"))
    assert found[Disk.KEPT]["new"] == b"text"
    assert found[Disk.LAZY]["new"] == b""
    assert "new" not in found[Disk.STRICT]


def test_a_name_needs_a_sync_of_its_folder_where_posix_is_taken_by_the_letter(images, folder):
    def act():
        (folder / "new").write_bytes(b"text")
        sync(folder / "new")

    found = images(act)
    assert found[Disk.LAZY]["new"] == b"text"
    assert found[Disk.ORDERED]["new"] == b"text", "what was synced has its name, too"
    assert "new" not in found[Disk.STRICT]


def test_what_was_synced_with_its_folder_is_on_every_disk(images, folder):
    def act():
        (folder / "new").write_bytes(b"text")
        sync(folder / "new")
        sync(folder)

    assert all(files["new"] == b"text" for files in images(act).values())


def test_a_rename_over_a_file_without_a_sync_can_leave_it_empty(images, folder):
    def act():
        (folder / "draft").write_bytes(b"new text")
        (folder / "draft").replace(folder / "old")

    found = images(act)
    assert found[Disk.LAZY]["old"] == b""
    assert found[Disk.STRICT]["old"] == b"as it was"


def test_blocks_that_no_sync_covers_are_there_or_not(images, folder):
    def act():
        handle = os.open(folder / "old", os.O_WRONLY | os.O_TRUNC)
        sync(folder / "old")
        os.write(handle, b"a" * 4096 + b"b" * 4096)
        os.close(handle)

    seen = {files["old"] for files in images(act, seeds=60)[Disk.ORDERED]}
    assert {b"", b"a" * 4096, b"\0" * 4096 + b"b" * 4096, b"a" * 4096 + b"b" * 4096} <= seen


def test_what_a_database_committed_is_on_every_disk(images, folder):
    def act():
        connection = apsw.Connection(str(folder / "data.db"))
        for text in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE t(x)"):
            connection.execute(text).fetchall()
        sync(folder)
        connection.execute("INSERT INTO t VALUES (7)")
        connection.wal_autocheckpoint(0)
        kept.append(connection)

    kept: list[apsw.Connection] = []
    for kind, files in images(act).items():
        for name in ("data.db", "data.db-wal"):
            (folder.parent / f"{kind}-{name}").write_bytes(files[name])
        after = apsw.Connection(str(folder.parent / f"{kind}-data.db"))
        assert after.execute("SELECT x FROM t").fetchall() == [(7,)]
        after.close()
    kept[0].close()
