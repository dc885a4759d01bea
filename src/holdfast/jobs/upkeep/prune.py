"""Garbage and orphans out, small files joined.

1. Captures that no item needs are dropped (STA-4). The archive is written anew without them, as it is when
   something is forgotten (`jobs/upkeep/forget`): a crash in between leaves the old state or the new one.
2. Orphans are files of records that no ledger knows. They are listed, or deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from holdfast.core.lineage.ledger_values import Purged
from holdfast.core.settings.resolve import Settings
from holdfast.jobs.places import state_of
from holdfast.jobs.session import Session, open_store, read_store
from holdfast.jobs.upkeep.check_store import orphans_of
from holdfast.jobs.upkeep.forget import Rewritten, Wish, drop_spare, purge
from holdfast.jobs.upkeep.forget_row import Collected, Packed
from holdfast.storage.archive.packing import FULL_OBJECT, files_to_join


def collect(session: Session) -> Collected:
    """Drop the captures that no item needs, and what of the archive nothing refers to. Files with records
    that cannot be read lie aside: somebody may still save them.
    """
    ledger = session.ledger
    before = ledger.archived.ends()
    if next(ledger.forgetting.unneeded_captures(), None) is None:
        return Collected(Purged(0, 0), 0)
    done = Rewritten()
    purged = purge(session, done, Wish(captures=ledger.forgetting.unneeded_captures(), aside=True))
    after = ledger.archived.ends()
    drop_spare(session)
    return Collected(purged, sum(before.values()) - sum(after.values()))


def pack(session: Session, full: int) -> Packed:
    """Write the small files of the archive anew as full ones, of the size `full`, and remove them."""
    known = session.ledger.archived
    ends = known.ends()
    joined = files_to_join(known.captures, ends, full)
    if not joined:
        return Packed(len(ends), len(ends), 0, 0)
    done = Rewritten()
    purge(session, done, Wish(files=joined))
    after = len(known.ends())
    drop_spare(session)
    return Packed(len(ends), after, done.kept, done.lost)


def orphan_files(settings: Settings, state: Path | None = None) -> tuple[tuple[str, int], ...]:
    """Files of records that no ledger knows: names and sizes."""

    def known() -> Mapping[str, int]:
        with read_store(settings, state) as session:
            return session.ledger.archived.ends()

    return orphans_of(settings, state or state_of(settings), known).files()


def remove_orphans(settings: Settings) -> int:
    """Delete what no ledger knows; how many bytes that was."""
    state = state_of(settings)
    with open_store(state, "store prune", settings) as session:
        return orphans_of(settings, state, session.ledger.archived.ends).remove()


def pack_archive(settings: Settings) -> Packed:
    """Write the small files of the archive anew as large ones."""
    full = settings.store.archive_file_mb * 1_000_000
    if settings.store.archive is not None:
        full = min(full, FULL_OBJECT)
    with open_store(state_of(settings), "store pack", settings) as session:
        return pack(session, full)


def collect_garbage(settings: Settings) -> Collected:
    """Drop what no item needs."""
    with open_store(state_of(settings), "store prune", settings) as session:
        return collect(session)
