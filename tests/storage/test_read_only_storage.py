"""A mirror on storage that cannot be written can be read; whatever would write says so in words (STA-7)."""

from __future__ import annotations

import shutil
import subprocess

import apsw
import pytest

from helpers.sites.command import holdfast, mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-7")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "mirror"
    with LivingSite() as site:
        site.put("/a", "Words of a")
        assert mirror(site.origin + "/", folder).status == 0
    return folder, site.origin + "/a"


@pytest.fixture
def frozen(made, tmp_path):
    """Freeze a copy of the mirror on a disk that is then mounted to read."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs needs rights that this user has not")

    def freeze(spoil=lambda _: None):
        shutil.copytree(made[0], disk / "mirror")
        spoil(disk / "mirror")
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        return disk / "mirror"

    yield freeze
    subprocess.run(["umount", str(disk)], check=True)


def leave_a_log(folder):
    """What a killed writer leaves: a log that nobody has merged into the file."""
    ledger = folder / ".holdfast" / "ledger.db"
    db = apsw.Connection(str(ledger))
    db.execute("PRAGMA journal_mode = WAL; PRAGMA user_version = 7").fetchall()
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.copyfile(ledger.with_name(name), folder / name)
    db.close()
    for name in ("ledger.db", "ledger.db-wal"):
        shutil.move(folder / name, ledger.with_name(name))
    assert ledger.with_name("ledger.db-wal").stat().st_size


@pytest.mark.parametrize("spoil", [lambda _: None, leave_a_log])
def test_everything_that_asks_works(made, frozen, spoil):
    folder = frozen(spoil)
    state = ("--store", folder / ".holdfast")
    for words in (
        ("log", "--runs", *state),
        ("log", made[1], *state),
        ("show", made[1], *state),
        ("verify", *state),
        ("verify", *state),
        ("verify", folder, "--processes", 1),
    ):
        done = holdfast(*words)
        assert done.status == 0, (words, done.err, done.out)


@pytest.mark.parametrize(
    "words",
    [
        ("mirror", "URL", "-o", "DIR"),
        ("store", "prune", "--store", "STATE"),
        ("restore", "DIR"),
        ("check", "DIR"),
    ],
)
def test_what_writes_ends_in_plain_words(made, frozen, words):
    folder = frozen()
    filled = {"URL": made[1], "DIR": folder, "STATE": folder / ".holdfast"}
    done = holdfast(*(filled.get(word, word) for word in words))
    assert done.status == 3
    assert "Read-only file system" in done.err
