"""The frozen store: what was mirrored and tracked, in which order and when."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from probe.answers import normal
from probe.commands import Call, answer_of, shell
from probe.documents import write_documents
from probe.fixed_site import FixedSite
from probe.world import Program, contents, told_changes


class Step(NamedTuple):
    """A command by which the store is made: its name, its moment, the stage of site and documents."""

    name: str
    moment: str
    stage: int
    words: str


MIRROR = "mirror {site}/ -o docs --quiet --discover links"
TRACK = "check --fetch-urls --force-refetch"
STEPS = (
    Step("00-trust", "2026-05-04 09:50", 1, "config trust --yes"),
    Step("01-mirror", "2026-05-04 10:00", 1, f"{MIRROR} --assets --llms-txt"),
    Step(
        "02-mirror-flat",
        "2026-05-04 10:10",
        1,
        "mirror handbook --quiet --layout flat --sidecar front-matter --convert-links local",
    ),
    Step(
        "03-mirror-own",
        "2026-05-04 10:20",
        1,
        "mirror {site}/guide/ -o own --store own/.holdfast --quiet --json",
    ),
    Step("04-track", "2026-05-04 11:00", 1, TRACK),
    Step("05-mirror", "2026-05-11 10:00", 2, f"{MIRROR} --assets --llms-txt --update"),
    Step(
        "06-mirror-flat",
        "2026-05-11 10:10",
        2,
        "mirror handbook --quiet --layout flat --sidecar front-matter --convert-links local --update",
    ),
    Step("07-track", "2026-05-11 11:00", 2, f"{TRACK} --confirm --json"),
    Step(
        "08-mirror",
        "2026-05-18 10:00",
        3,
        f"{MIRROR} --assets --llms-txt --update --max-age 0s --delete-gone --json",
    ),
    Step(
        "09-mirror-flat",
        "2026-05-18 10:10",
        3,
        "mirror handbook --layout flat --sidecar front-matter --convert-links local --update",
    ),
    Step("10-track", "2026-05-18 11:00", 3, TRACK),
    Step("11-search", "2026-05-18 11:10", 3, "search capstans"),
)
COMMIT = (
    "git init -q -b main --template= . 2>/dev/null; git add -A . && "
    "git -c user.name=probe -c user.email=probe@example.com commit -q -m stage && "
    "git tag v$(git rev-list --count HEAD)"
)


def build(program: Program, site: FixedSite, world: Path, steps: Iterable[Step] = STEPS) -> dict[str, str]:
    """Make the store in a folder that is not there yet; what each step said and wrote."""
    world.mkdir(parents=True, exist_ok=True)
    recording = {}
    for step in steps:
        if site.stage != step.stage or not (world / "holdfast.toml").exists():
            site.stage = step.stage
            write_documents(world, step.stage)
            shell(program, world, COMMIT, step.moment)
        before = contents(world)
        call = Call(step.name, (step.words,), moment=step.moment)
        said = answer_of(program, world, call)
        recording[f"build/{step.name}.txt"] = normal(said + told_changes(before, contents(world)))
    return recording
