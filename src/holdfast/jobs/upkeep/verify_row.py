"""`verify`: whether all that is kept is undamaged, and what of it can be repaired. Its job: `upkeep/mirrors`.

1. A store is checked as a whole: its ledger, its archive, and each of its mirrors. Where a mirror is named,
   its files are those that are checked; ledger and archive are checked whole, they are one. A mirror whose
   folder is gone is passed over and said, unless it is the one that is named: a backup is whole without.
2. `--repair` notes what the archive cannot give back as lost, and writes the rest anew. What it does not
   mend is a difference as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from holdfast.core.base.figures import counted, size
from holdfast.core.base.json_shape import BOOLEAN, COUNT, TEXT, Shape, array, at, optional, record, told
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.questions.rows.parameters import TARGET
from holdfast.questions.rows.question import Line, Note, Saying, question

ANEW: Final = "`holdfast store rebuild` makes the ledger anew from the archive, and keeps this one beside it"
"""What to do about a ledger that cannot be trusted."""
REPAIR: Final = (
    "restore it from a copy, or `holdfast verify --repair` notes what is lost and"
    " `holdfast mirror --update --max-age 0s` fetches the pages again"
)
"""What to do about a damaged archive."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as it should be, and what to do about it; `mirror` has the name of the mirror
    whose file or page it is.
    """

    where: str
    what: str
    remedy: str
    mirror: str | None = None


def unreadable_row(error: Exception) -> Difference:
    """A row of the ledger that something other than Holdfast altered."""
    return Difference("ledger", f"a row cannot be read: {error}", ANEW)


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair of an archive would do, or `is_done` did: which files are damaged, how many captures
    stay, how many are lost, and of which addresses.
    """

    is_done: bool
    damaged: tuple[str, ...]
    kept: int
    lost: int
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoreVerified:
    """What reading all of a store found: which mirrors were looked at, and which are `absent`, without a
    folder; what differs, how much the archive holds (`size` is in bytes), how many captures are noted as
    lost, and what files no ledger knows.
    """

    mirrors: tuple[str, ...]
    absent: tuple[str, ...]
    differences: tuple[Difference, ...]
    files: int
    records: int
    captures: int
    size: int
    lost: int
    orphans: tuple[tuple[str, int], ...] = ()
    repair: Repair | None = None

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


_HERE: Final = CommandTarget(TargetKind.NONE)
_IDENTITY: Final = ("overrides", "allow_query", "trailing_slash", "identity_version")


@question(
    settings=(*_IDENTITY, "max_page_bytes", "processes", "scheduler"),
    finds=lambda found: not found.agrees,
    writes=lambda given: given.get("repair", False),
)
def verify(
    target: Annotated[CommandTarget, TARGET, "a mirror, or a folder: its stores; none: all here"] = _HERE,
    *,
    repair: Annotated[bool, "note what the archive cannot give back as lost, write the rest anew"] = False,
    dry_run: Annotated[bool, "show what would be asked, written or deleted, and do nothing of it"] = False,
) -> StoreVerified:
    """Check that all that is kept is undamaged and agrees: every file's hash, every record's digest, every id
    and reference of the ledger, and that the archived pages still give what stands in each mirror's folder.
    Nothing is fetched, and without `repair` nothing is changed.

    What differs says what to do about it. `repair` mends the archive of one store: damaged files are kept
    among its orphans, what is lost is named. The next update of a mirror fetches lost pages again.

    Exit status 0 when all agrees, 1 when something differs, 4 when a repair was not agreed to.

    Example:
        for part in holdfast.verify("mirror").parts:
            print(part.value.agrees, [difference.what for difference in part.value.differences])
    """
    raise NotImplementedError("its job does it")


@verify.asks
def _asks(found: StoreVerified) -> str:
    repair = found.repair
    is_damaged = any(each.remedy == REPAIR for each in found.differences)
    if repair is None or not (repair.lost or repair.damaged or is_damaged):
        return ""
    what = "No capture is lost"
    if repair.lost:
        what = f"{counted(repair.lost, 'capture')} cannot be read any more"
    return f"{what}. Write the archive anew, and keep what is damaged among its orphans?"


@verify.json
def _json() -> Shape:
    orphan = record(name=at(lambda file: file[0], TEXT), bytes=at(lambda file: file[1], COUNT))
    return told(
        StoreVerified,
        "agrees mirrors absent differences files records captures bytes lost orphans repair",
        agrees=BOOLEAN,
        differences=array(told(Difference)),
        bytes=at("size", COUNT),
        orphans=array(orphan),
        repair=optional(told(Repair)),
    )


@verify.words
def _words(found: StoreVerified, say: Saying) -> Iterator[Line]:
    for each in found.differences:
        mirror = f"{each.mirror}: " if each.mirror and len(found.mirrors) > 1 else ""
        yield f"{say.paint(harmless(mirror + each.where), 'bold')}: {harmless(each.what)}"
        yield say.paint(f"    {each.remedy}", "dim")
    if (repair := found.repair) is not None:
        yield from _repair_lines(repair)
    records, captures = counted(found.records, "record"), counted(found.captures, "capture")
    yield Note(f"{counted(found.files, 'archive file')}, {records}, {captures}, {size(found.size)}")
    for mirror in found.absent:
        yield Note(f"{mirror}: its folder is not there; `holdfast restore {mirror}` writes it again")
    if found.lost:
        yield Note(f"{counted(found.lost, 'capture')} noted as lost")
    if found.orphans:
        sizes = size(sum(length for _, length in found.orphans))
        yield Note(
            f"{counted(len(found.orphans), 'file')} ({sizes}) among the orphans, of which no ledger knows"
        )
    about = f"{found.mirrors[0]}: " if len(found.mirrors) == 1 and found.mirrors[0] != "." else ""
    what = counted(len(found.differences), "difference")
    yield Note(f"{about}everything agrees" if found.agrees else f"{about}{what}")


def _repair_lines(repair: Repair) -> Iterator[Line]:
    would = "" if repair.is_done else "would be "
    for url in repair.urls:
        yield f"{would}lost: {harmless(url)}"
    for name in repair.damaged:
        yield Note(f"{name}: {would}kept among the orphans, as it is")
    if repair.lost or repair.damaged:
        yield Note(f"{counted(repair.kept, 'capture')} {would}kept, {repair.lost} lost")
    else:
        yield Note("there is nothing to repair in the archive")
