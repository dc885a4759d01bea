"""`holdfast store backup` copies ledger and archive consistently while work goes on; a copy can be put
back."""

from __future__ import annotations

import json
import shutil
import signal

import pytest

from helpers.sites.command import holdfast, mirror, start_mirror
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-7")


@pytest.fixture
def site():
    with LivingSite() as living:
        for number in range(60):
            living.put(f"/{number}", f"Words of {number}")
        yield living


def test_a_backup_of_a_mirror_at_work_is_consistent(site, tmp_path):
    folder = tmp_path / "mirror"
    process = start_mirror(site.origin + "/", folder, "--content-rate-limit", "200")
    copies = 0
    try:
        while process.poll() is None:
            if (folder / ".holdfast" / "ledger.db").is_file():
                copy = tmp_path / f"copy-{copies}"
                done = holdfast("store", "backup", copy, "--store", folder / ".holdfast", "--json")
                if done.status == 0:  # in its first moments a ledger has no schema yet
                    assert json.loads(done.out)["folder"] == str(copy)
                    checked = holdfast("verify", "--store", copy, "--processes", 1, "--json")
                    [part] = json.loads(checked.out)["parts"]
                    # the mirror's folder does not lie beside the copy: its pages are missing there
                    assert [each for each in part["differences"] if each["mirror"] is None] == []
                    copies += 1
    finally:
        process.send_signal(signal.SIGINT) if process.poll() is None else None
        process.communicate()
    assert copies


def test_a_backup_is_put_back_by_copying_it(site, tmp_path):
    folder, copy = tmp_path / "mirror", tmp_path / "copy"
    assert mirror(site.origin + "/", folder).status == 0
    assert holdfast("store", "backup", copy, "--store", folder / ".holdfast").status == 0
    site.put("/1", "Other words")
    assert mirror(site.origin + "/", folder, "--update").status == 0
    shutil.rmtree(folder / ".holdfast")
    shutil.copytree(copy, folder / ".holdfast")
    assert holdfast("restore", folder, "-q").status == 0
    assert holdfast("verify", folder, "--processes", 1).status == 0
    assert mirror(site.origin + "/", folder, "--update").status == 0
    assert holdfast("verify", folder, "--processes", 1).status == 0


def test_a_backup_does_not_write_over_anything(site, tmp_path):
    folder, copy = tmp_path / "mirror", tmp_path / "copy"
    assert mirror(site.origin + "/", folder).status == 0
    copy.mkdir()
    assert holdfast("store", "backup", copy, "--store", folder / ".holdfast").status == 2
    assert holdfast("store", "backup", "--store", folder / ".holdfast").status == 2
    (tmp_path / "other.partial").mkdir()
    (tmp_path / "other.partial" / "rubbish").write_text("left by a kill")
    assert holdfast("store", "backup", tmp_path / "other", "--store", folder / ".holdfast").status == 0
    assert not (tmp_path / "other" / "rubbish").exists()
