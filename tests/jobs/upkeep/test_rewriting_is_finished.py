"""`forget`, `store prune` and `verify --repair` write the archive anew. Killed before a change they make, and
given again, they leave what an undisturbed one leaves: no copy of anything lies among the orphans. Each is
killed before every third change (`make torture` does it at any).
"""

from __future__ import annotations

import shutil

import pytest

from helpers.sites.command import fingerprint, holdfast, mirror
from helpers.sites.killing import KILLED, changes_of, run_until
from helpers.sites.living import LivingSite

pytestmark = pytest.mark.spec("STA-4", "STA-7")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A mirror with something to forget, something that no item needs, and two versions of a page."""
    base = tmp_path_factory.mktemp("made")
    with LivingSite() as site:
        for name in "abc":
            site.put(f"/{name}", f"Words of {name}", links=["/a"])
        site.put("/gone", "No page", status=404)
        assert mirror(site.origin + "/", base / "docs").status == 1
        site.put("/a", "Later words of a")
        assert mirror(site.origin + "/", base / "docs", "--update", "--max-age", "0s").status == 1
        yield site, base / "docs"


def damaged(folder):
    path = next((folder / ".holdfast/archive").glob("*.warc.gz"))
    data = bytearray(path.read_bytes())
    data[len(data) // 5] ^= 0x10
    path.write_bytes(data)


CASES = {
    "forget": (lambda site, folder: ("forget", f"{site.origin}/b", "--store", folder), None),
    "gc": (lambda _, folder: ("store", "prune", "--store", folder), None),
    "repair": (lambda _, folder: ("verify", "--repair", "--yes", "--store", folder), damaged),
}


@pytest.mark.parametrize("case", CASES)
def test_a_kill_anywhere_leaves_no_copies(made, tmp_path, case):
    site, whole = made
    words, before = CASES[case]

    def fresh(name):
        folder = shutil.copytree(whole, tmp_path / name / "docs")
        if before:
            before(folder)
        return folder

    undisturbed = fresh("undisturbed")
    steps = changes_of(words(site, undisturbed), tmp_path / "steps")
    assert steps > 5
    for step in range(1 + list(CASES).index(case), steps + 1, 3):  # all three pass the same places
        folder = fresh(f"killed at {step}")
        assert run_until(words(site, folder), step) == KILLED
        again = holdfast(*words(site, folder))
        assert again.status in (0, 2), (step, again.err)  # 2: nothing is known of the URL any more
        assert "does not know" not in again.err, (step, again.err)
        assert orphans_of(folder) == orphans_of(undisturbed), step
        assert fingerprint(folder) == fingerprint(undisturbed), step
        checked = holdfast("verify", folder, "--processes", "1")
        assert checked.status == 0, (step, checked.out)
        shutil.rmtree(folder.parent)


def orphans_of(folder):
    """What lies among the orphans: names may have other numbers, contents not."""
    return sorted(path.read_bytes() for path in (folder / ".holdfast/archive/orphans").glob("*"))
