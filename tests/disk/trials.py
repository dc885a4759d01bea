"""A command is disturbed, started again, and compared with what it comes to undisturbed (SEC-6, MIR-12).

1. Before the restart: what was acknowledged is there. A page that `_processed.txt` listed has its file,
   whole, in a form that it had; ledger and archive give it back, and captures that were known before.
2. After the restart: files, ledger and documents are those of the undisturbed run; `verify` finds nothing.
3. A command that ended is durable: cut off right after its end, nothing is missing, without a restart.
"""

from __future__ import annotations

import inspect
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from disk.recording import Change
from disk.scenarios import Scenario, TinySite
from disk.simulated_disk import Disk, Image, SimulatedDisk
from disk.stage import Stage

__all__ = ["Ground", "Tally", "Trials", "counted"]


@dataclass
class Ground:
    """Where it all happens: one folder, one site, one stage."""

    root: Path
    site: TinySite
    origin: str
    stage: Stage


@dataclass
class Tally:
    """What was tried and what was found."""

    kills: int = 0
    cuts: int = 0
    disks: int = 0
    lost: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)

    def __iadd__(self, other: Tally) -> Tally:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self

    def __str__(self) -> str:
        done = f"{self.kills} kills" if self.kills else f"{self.cuts} cuts ({self.disks} different disks)"
        return f"{done}: {len(self.lost)} lost, {len(self.differing)} differing"


class Trials:
    """One scenario, undisturbed once; then disturbed as often as wished."""

    def __init__(self, ground: Ground, scenario: Scenario, without: str | None = None) -> None:
        self._ground, self._scenario = ground, scenario
        self._without = without or scenario.without
        self._make_base()
        self._before = self._survey()
        self.base, self._base_disk = Image.of(ground.root), SimulatedDisk.of(ground.root)
        self.words = scenario.words(ground.origin, ground.root)
        done = self._run()
        assert done.status in scenario.statuses, done.err
        self.changes: tuple[Change, ...] = done.changes
        replayed = self._disk_at(len(self.changes)).image(Disk.KEPT, Random(0))
        assert replayed == Image.of(ground.root), "the record is not whole"
        self._end = self._outcome()
        self._after = self._survey()
        self._versions = self._all_versions()
        assert self._verified() == [], "it is not whole when undisturbed"

    def kill(self, chance: Random, chain: int) -> Tally:
        """Killed with -9 before some of its changes, as often as `chain` says, then left alone."""
        return self.kill_at([chance.randint(1, self._count(len(self.changes))) for _ in range(chain)])

    def kill_around(self, path: str) -> Tally:
        """Killed before and after each time that a file gets this name."""
        tally = Tally()
        for index, change in enumerate(self.changes):
            if change.to.endswith(path):
                tally += self.kill_at([self._count(index + 1)])
                tally += self.kill_at([self._count(index + 1) + 1])
        return tally

    def kill_at(self, moments: list[int]) -> Tally:
        """Killed before these changes, one after another: each is counted in the run it ends."""
        tally, ground, words = Tally(), self._ground, f"killed before {moments}"
        self._begin(self.base)
        for moment in moments:
            tally.kills += 1
            if self._run(kill_before=moment).status < 0:  # else it had less to do than the first time
                there = Image.of(ground.root)
                tally.lost += self._lost(there, there, words)
        tally.differing += self._differences(words)
        return tally

    def _count(self, until: int) -> int:
        """How many changes a run makes up to an entry of the record, which has syncs as well."""
        return sum(not change.kind.startswith("sync") for change in self.changes[:until])

    def _begin(self, image: Image) -> None:
        self._ground.site.age(self._scenario.version)
        image.put(self._ground.root)

    def cut(self, disk: Disk, cuts: list[int], chance: Random, *, twice: float = 0.0) -> Tally:
        """The power goes at each of these changes. Equal disks are tried once."""
        found: dict[int, tuple[int, Image]] = {}
        for cut in cuts:
            image = self._disk_at(cut).image(disk, chance)
            found[image.key] = (cut, image)  # the latest: it has acknowledged the most
        tally = Tally(cuts=len(cuts), disks=len(found))
        for cut, image in found.values():
            tally += self._try(disk, cut, image, chance, twice)
        return tally

    def _try(self, disk: Disk, cut: int, image: Image, chance: Random, twice: float) -> Tally:
        tally, root = Tally(), self._ground.root
        words = f"{disk} cut at {cut}"
        self._begin(image)
        kept = self._disk_at(cut).image(Disk.KEPT, chance)
        tally.lost += self._lost(image, kept, words)
        if cut == len(self.changes):
            tally.lost += [
                f"{words}: not durable at its end: {name}" for name in self._unlike(self._outcome())
            ]
        if chance.random() < twice:
            second = SimulatedDisk.of(root)
            ran = self._run()
            if ran.changes:
                at = chance.randint(0, len(ran.changes))
                second.replay(ran.changes[:at])
                second.image(disk, chance).put(root)
                words = f"{words}, again at {at}"
                tally.cuts += 1
                tally.disks += 1
        tally.differing += self._differences(words)
        return tally

    def loose_folders(self) -> list[str]:
        """Folders that the command made, and whose name is not durable at its end."""
        return self._disk_at(len(self.changes)).loose_folders()

    def _disk_at(self, cut: int) -> SimulatedDisk:
        disk = self._base_disk.copy()
        disk.replay(self.changes[:cut])
        return disk

    def _make_base(self) -> None:
        ground = self._ground
        shutil.rmtree(ground.root, ignore_errors=True)
        ground.root.mkdir(parents=True)
        (ground.root / "origin").write_text(ground.origin)
        ground.site.age(1)
        for step in self._scenario.before:
            if len(inspect.signature(step).parameters) == 1:
                step(ground.root)
            else:
                ran = ground.stage.run(step(ground.origin, ground.root), ground.root)
                assert ran.status in (0, 1), ran.err
        ground.site.age(self._scenario.version)

    def _run(self, kill_before: int | None = None):
        return self._ground.stage.run(
            self.words, self._ground.root, kill_before=kill_before, without=self._without
        )

    def _survey(self):
        return self._ground.stage.call("disk.examination", "survey", str(self._ground.root))

    def _outcome(self) -> dict[str, str]:
        return self._ground.stage.call("disk.examination", "outcome", str(self._ground.root))

    def _lost(self, image: Image, kept: Image, words: str) -> list[str]:
        """What was acknowledged when it happened and is not there."""
        found = self._survey()
        needed = self._before.captures & self._after.captures
        lost = [f"{words}: capture {name} of before" for name in sorted(needed - found.captures)]
        if self._scenario.mirror is None:
            return lost
        listed = set(self._listed(self.base))
        for url in self._listed(kept):
            path = self._after.pages.get(url)
            if path is None or path not in kept.files:
                continue
            is_new = url not in listed  # what was listed before may have been lost before, too
            if (is_new or path in self.base.files) and image.files.get(path) not in self._versions[path]:
                lost.append(f"{words}: file of {url}: {image.files.get(path, b'(missing)')[:40]!r}")
            if (is_new or url in self._before.pages) and url not in found.pages:
                lost.append(f"{words}: {url} in ledger or archive")
        return lost

    def _listed(self, image: Image) -> list[str]:
        """The addresses that are acknowledged."""
        return image.files.get(f"{self._scenario.mirror}/_processed.txt", b"").decode().splitlines()

    def _differences(self, words: str) -> list[str]:
        """What is different once the command was started again and came to its end."""
        ran = self._run()
        if ran.status not in self._scenario.statuses:
            return [f"{words}: ended with {ran.status}: {ran.err[-300:]}"]
        found = [f"{words}: {name}" for name in self._unlike(self._outcome())]
        found += [f"{words}: verify: {text}" for text in self._verified()]
        return found

    def _verified(self) -> list[str]:
        if self._scenario.mirror is None:
            return []
        words = ["verify", self._scenario.mirror, "--processes", "1"]
        done = self._ground.stage.run(words, self._ground.root, records=False)
        return [f"{done.out[:300]}{done.err[:300]}"] if done.status else []

    def _unlike(self, outcome: dict[str, str]) -> list[str]:
        return [
            name for name in sorted(self._end.keys() | outcome) if self._end.get(name) != outcome.get(name)
        ]

    def _all_versions(self) -> dict[str, set[bytes]]:
        """Every form that each file had under its name: whole, as it was renamed into place."""
        versions: dict[str, set[bytes]] = {path: {data} for path, data in self.base.files.items()}
        disk = self._base_disk.copy()
        for change in self.changes:
            disk.replay([change])
            if change.kind == "rename" and change.to.endswith((".md", ".json")):
                versions.setdefault(change.to, set()).add(disk.read(change.to))
        return versions


def counted(found: list[str]) -> list[str]:
    """Each fault once, with how often it was seen."""
    kinds = Counter(text.partition(": ")[2] for text in found)
    first = {text.partition(": ")[2]: text.partition(": ")[0] for text in reversed(found)}
    return [f"{count} × {kind} (first: {first[kind]})" for kind, count in kinds.most_common()]
