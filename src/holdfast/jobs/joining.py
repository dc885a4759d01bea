"""One store's captures in another's archive (STA-6): what is there already is not written again."""

from __future__ import annotations

from dataclasses import replace

from holdfast.core.errors import ArchiveError
from holdfast.core.lineage import RecordRef
from holdfast.core.repeated_bodies import RepeatedBodies
from holdfast.ports import Archive, Ledger

__all__ = ["bring_captures"]


def bring_captures(
    source: tuple[Ledger, Archive], target: tuple[Ledger, Archive]
) -> dict[str, RecordRef | None]:
    """Write a store's captures to another's archive, durably: where each is now; None for what cannot be
    read any more.
    """
    ledger, archive = source
    there = {record.capture_id: record.ref for record in target[0].archived.captures()}
    bodies, moved = RepeatedBodies(), dict[str, RecordRef | None]()
    for record in ledger.archived.captures():
        if record.ref is None:
            continue
        if (known := there.get(record.capture_id)) is not None:
            bodies.note(record, known)
            continue
        try:
            capture = archive.read(record.ref)
        except ArchiveError:
            moved[record.capture_id] = None
            continue
        moved[record.capture_id] = ref = target[1].append(
            replace(capture, is_brought=True), bodies.original(record)
        )
        bodies.note(record, ref)
    target[1].sync()
    return moved
