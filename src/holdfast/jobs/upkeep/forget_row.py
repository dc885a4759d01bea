"""What was taken out of ledger and archive, and what is left: values, JSON, words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.core.base.figures import counted
from holdfast.core.base.json_shape import INTEGER, WEB_URL, Schema, array, at, record, sometimes
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import Purged
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Place


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, the files that mirrors had of it: (label, path), and how many records among the
    orphans.
    """

    places: tuple[Place, ...]
    purged: Purged
    files: tuple[tuple[str, str], ...]
    orphans: int = 0


@dataclass(frozen=True, slots=True)
class Collected:
    """What was dropped; `freed` are the archive's bytes."""

    purged: Purged
    freed: int


@dataclass(frozen=True, slots=True)
class Packed:
    """How many files an archive had and has, how many captures they hold, and how many could not be read."""

    before: int
    after: int
    kept: int
    lost: int


@dataclass(frozen=True, slots=True)
class OrphansRemoved:
    """How many files of records that no ledger knows were deleted, and how many bytes that was."""

    files: int
    freed_bytes: int


FORGET: Final = Schema(
    "forget",
    "What `holdfast forget --json` prints.",
    record(
        forgotten=at(lambda done: [place.url for place in done.places], array(WEB_URL)),
        captures=at("purged.captures", INTEGER),
        items=at("purged.items", INTEGER),
        files=at(lambda done: len(done.files), INTEGER),
        orphans=sometimes("orphans", INTEGER, when=lambda done: bool(done.orphans)),
    ),
)

GC: Final = Schema(
    "gc",
    "What `holdfast store prune --json` prints.",
    record(
        captures=at("purged.captures", INTEGER),
        freed_bytes=at("freed", INTEGER),
    ),
)

GC_ORPHANS: Final = Schema(
    "gc-orphans",
    "What `holdfast store prune --orphans --json` prints.",
    record(files=INTEGER, freed_bytes=INTEGER),
)


STORE_PACK: Final = Schema(
    "store-pack",
    "What `holdfast store pack --json` prints.",
    record(before=INTEGER, after=INTEGER, kept=INTEGER, lost=INTEGER),
)


def packed_lines(done: Packed) -> Iterator[str]:
    """What joining the files of an archive came to."""
    if not done.kept and not done.lost:
        yield f"nothing to join: {counted(done.after, 'file')}, no two of them small"
        return
    kept = counted(done.kept, "capture")
    yield f"{kept} written anew; {counted(done.after, 'file')}, where there were {done.before}"
    if done.lost:
        yield f"{counted(done.lost, 'capture')} could not be read, and are noted as lost"


def forgotten_line(done: Forgotten, what: str) -> str:
    """What was forgotten, or that there was nothing."""
    if not done.places:
        return f"nothing is known of {shown(what)}"
    facts = {"captures": done.purged.captures, "items": done.purged.items, "files": len(done.files)}
    if done.orphans:
        facts["orphans"] = done.orphans
    if not any(facts.values()):
        return f"there was nothing left to forget of {shown(what)}"
    counts = ", ".join(counted(count, name.removesuffix("s")) for name, count in facts.items())
    return f"forgotten: {counted(len(done.places), 'address')} ({counts})"
