"""How the work on a state folder and a mirror's folder went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.core.answers.forgetting import Forgotten, Packed
from holdfast.core.answers.remaking import Rebuilt, Reprocessed
from holdfast.core.answers.upkeep import (
    ArchiveCheck,
    Difference,
    LedgerMigration,
    LedgerRebuilt,
    LedgerRekeyed,
    StateAdopted,
    WarcImport,
)
from holdfast.core.figures import counted, short, size
from holdfast.core.ledger import RunStatus
from holdfast.core.redaction import shown
from holdfast.core.shown_text import harmless
from holdfast.formats.words.paint import Paint

__all__ = [
    "adopted_lines",
    "archive_line",
    "difference_lines",
    "forgotten_line",
    "imported_lines",
    "migrated_line",
    "packed_lines",
    "rebuilt_ledger_lines",
    "rebuilt_lines",
    "rekeyed_lines",
    "reprocessed_lines",
]

_FEW = 20
"""Pages that failed which are named; the JSON has all."""


def difference_lines(found: Iterable[Difference], paint: Paint) -> Iterator[str]:
    """What differs, and what to do about it."""
    for difference in found:
        yield f"{paint(harmless(difference.where), 'bold')}: {harmless(difference.what)}"
        yield paint(f"    {difference.remedy}", "dim")


def archive_line(found: ArchiveCheck) -> str:
    """What an archive holds, and how much of it is wrong."""
    files, records = counted(found.files, "file"), counted(found.records, "record")
    captures, problems = counted(found.captures, "capture"), counted(len(found.problems), "problem")
    return f"{files}, {records}, {captures}, {size(found.size)}: {problems}"


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


def migrated_line(done: LedgerMigration) -> str:
    """Which schema a ledger had and has."""
    if done.before == done.after:
        return f"the schema is {done.after} already; nothing to do"
    return f"schema {done.before} is now {done.after}; the file as it was is {done.copy}"


def rebuilt_ledger_lines(done: LedgerRebuilt) -> Iterator[str]:
    """What a ledger made of its archive has, and what the archive could not tell."""
    yield from (f"  not read  {flaw}" for flaw in done.flaws)
    runs, captures = counted(done.runs, "run"), counted(done.captures, "capture")
    yield f"a ledger of {runs}, {captures}, {counted(done.items, 'item')}"
    if done.converted:
        yield (
            f"  {counted(done.converted, 'capture')} of which the archive has only the response:"
            " converted again, under a run of their own; the names of their files are not known"
        )
    if done.lost:
        yield f"  {counted(done.lost, 'capture')} that the archive does not hold any more: noted as lost"
    if done.copy:
        yield f"  the ledger that was there is kept as {done.copy}"


def rekeyed_lines(done: LedgerRekeyed) -> Iterator[str]:
    """Which URLs have another join key."""
    version = done.after if done.before == done.after else f"{done.after}, before {done.before}"
    yield f"keys by {version}: {done.moved} of {counted(done.urls, 'URL')} have another one"
    if done.merged:
        yield f"  {counted(done.merged, 'cited URL')} were joined with another"
    if done.unexplained:
        yield (
            f"  {counted(done.unexplained, 'key')} without a record of what they were made from: made from"
            " the URL as stored"
        )


def adopted_lines(done: StateAdopted) -> Iterator[str]:
    """What a mirror's own history brought into that of its root."""
    brought = (counted(done.runs, "run"), counted(done.captures, "capture"), counted(done.items, "item"))
    yield f"{done.label}: {', '.join(brought)} brought into {done.state}"
    if done.lost:
        yield f"  {counted(done.lost, 'capture')} that could not be read any more: noted as lost"
    yield f"  what was its own is kept in {done.kept}"


def imported_lines(done: WarcImport) -> Iterator[str]:
    """What archives of others brought."""
    yield from (f"  skipped  {flaw}" for flaw in done.flaws)
    said = f"{counted(done.captures, 'capture')}, {counted(done.items, 'item')}, run {short(done.run_id)}"
    yield f"these files were taken in before: {said}" if done.was_done else said


def rebuilt_lines(done: Rebuilt, folder: str) -> Iterator[str]:
    """What was written of a mirror's folder."""
    if (moved := done.moved) is not None:
        merged = f"{moved.merged} are one with another"
        yield f"{folder}: moved to {moved.recipe}: {moved.renamed} renamed, {merged}"
    pages, written = counted(done.pages, "page"), counted(done.written, "file")
    removed = f", {done.removed} removed" if done.removed else ""
    yield f"{folder}: {pages}, {written} written, {done.kept} as they were{removed}"
    yield from (f"  not rebuilt  {url}: {why}" for url, why in done.flawed[:_FEW])


def reprocessed_lines(done: Reprocessed) -> Iterator[str]:
    """What another recipe made of a run's captures."""
    counts = ", ".join(f"{count} {word}" for word, count in done.counts.items())
    state = "nothing to do, this was done before" if done.was_done else done.status
    some = "" if done.status is RunStatus.FINISHED else f"{sum(done.counts.values())} more of "
    total = counted(done.total, "capture")
    yield f"{state}: {some}{total} of run {short(done.origin)} under {done.recipe}"
    yield f"  run {short(done.run_id)}: {counts}"
    yield from (f"  failed  {url}: {why}" for url, why in done.failed[:_FEW])
