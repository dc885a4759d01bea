"""Power cuts and kills: what was acknowledged is there, and the same command comes to the same end.

This is the short form: a kill and a few cuts of each command. `make torture` does a thousand of both.
"""

from __future__ import annotations

from random import Random

import pytest

from disk.scenarios import SCENARIOS, TinySite
from disk.simulated_disk import Disk
from disk.stage import Stage
from disk.trials import Ground, Trials

pytestmark = pytest.mark.spec("SEC-6", "MIR-5", "MIR-12")

DISKS = (Disk.ORDERED, Disk.LAZY, Disk.STRICT, Disk.ANY)
FILES_SYNC = "holdfast.adapters.folder.folder:sync_all"
SETTLE = "holdfast.adapters.folder.folder:Folder.settle"


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    folder = tmp_path_factory.mktemp("disk")
    site = TinySite()
    with site.serve() as origin, Stage() as stage:
        yield Ground(folder.resolve() / "ground", site, origin, stage)


@pytest.fixture(scope="module")
def trials_of(ground):
    made = {}

    def trials(name):
        if name not in made:
            made[name] = Trials(ground, SCENARIOS[name])
        return made[name]

    return trials


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_command_that_was_cut_off_lost_nothing_and_comes_to_the_same_end(trials_of, name):
    trials, chance = trials_of(name), Random(name)
    tally = trials.kill(chance, 1)
    last = len(trials.changes)
    for disk in chance.sample(DISKS, 2):
        tally += trials.cut(disk, [chance.choice((last, chance.randint(0, last)))], chance)
    assert tally.lost == []
    assert tally.differing == []
    assert trials.loose_folders() == [], "every new folder is synced into its parent"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("update", "a/index.json"),
        ("update with local links", "_manifest.json"),
        ("move", "_manifest.json"),
        ("track", ".url-manifest.toml"),
        ("fix", "read.md"),
        ("store rebuild over another", "ledger.db"),
        ("store backup", "safe/place/copy"),
    ],
)
def test_a_command_that_is_killed_around_a_name_comes_to_the_same_end(trials_of, name, path):
    tally = trials_of(name).kill_around(path)
    assert tally.kills > 0
    assert (tally.lost, tally.differing) == ([], [])


def test_the_proof_sees_pages_that_were_acknowledged_before_they_were_durable(ground):
    trials = Trials(ground, SCENARIOS["mirror"], without=SETTLE)
    tally = trials.cut(Disk.LAZY, [len(trials.changes)], Random(1))
    assert any("file of" in fault for fault in tally.lost)


def test_the_proof_sees_an_acknowledged_page_that_is_replaced_by_one_that_may_be_lost(ground):
    trials = Trials(ground, SCENARIOS["update"], without=FILES_SYNC)
    renamed = [number for number, change in enumerate(trials.changes) if change.to.endswith("a/index.md")]
    tally = trials.cut(Disk.LAZY, [renamed[0] + 1], Random(1))
    assert any("file of" in fault for fault in tally.lost)
