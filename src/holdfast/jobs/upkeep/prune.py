"""Garbage and orphans out, small files joined, what cannot be read left out.

1. Captures that no item needs are dropped (STA-4). The archive is written anew without them, as it is when
   something is forgotten (`jobs/upkeep/forget`): a crash in between leaves the old state or the new one.
2. Files with records that cannot be read lie aside, among the orphans: somebody may still save them. What
   the archive lost is noted as lost.
3. Orphans are files of records that no ledger knows. They are listed, or deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.system import SystemClock
from holdfast.core.lineage.ledger_values import Purged
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.redaction import redact_url
from holdfast.jobs.places import ARCHIVE, ORPHANS, state_of
from holdfast.jobs.session import open_store, read_store
from holdfast.jobs.upkeep.check_store import orphans_of, survey_archive
from holdfast.jobs.upkeep.forget import Rewritten, Wish, drop_spare, purge
from holdfast.jobs.upkeep.forget_row import Collected, Packed, Repaired
from holdfast.storage.archive.packing import FULL_OBJECT, files_to_join

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


def collect(ledger: Ledger, archive: Archive, clock: Clock) -> Collected:
    """Drop the captures that no item needs, and what of the archive nothing refers to. Files with records
    that cannot be read lie aside: somebody may still save them.
    """
    before = ledger.archived.ends()
    if next(ledger.forgetting.unneeded_captures(), None) is None:
        return Collected(Purged(0, 0), 0)
    done = Rewritten()
    purged = purge(
        ledger, archive, clock, done, Wish(captures=ledger.forgetting.unneeded_captures(), aside=True)
    )
    after = ledger.archived.ends()
    drop_spare(ledger, archive)
    return Collected(purged, sum(before.values()) - sum(after.values()))


def repair(ledger: Ledger, archive: Archive, clock: Clock, damaged: Collection[str]) -> Repaired:
    """Write the archive anew without what cannot be read, which is noted as lost; damaged files lie aside."""
    done = Rewritten()
    archive.keep_aside(sorted(damaged))
    purge(ledger, archive, clock, done, Wish())
    drop_spare(ledger, archive)
    return Repaired(done.kept, done.lost, tuple(map(redact_url, done.urls)))


def pack(ledger: Ledger, archive: Archive, clock: Clock, full: int) -> Packed:
    """Write the small files of the archive anew as full ones, of the size `full`, and remove them."""
    ends = ledger.archived.ends()
    joined = files_to_join(ledger.archived.captures, ends, full)
    if not joined:
        return Packed(len(ends), len(ends), 0, 0)
    done = Rewritten()
    purge(ledger, archive, clock, done, Wish(files=joined))
    after = len(ledger.archived.ends())
    drop_spare(ledger, archive)
    return Packed(len(ends), after, done.kept, done.lost)


def orphan_files(settings: Settings, state: Path | None = None) -> tuple[tuple[str, int], ...]:
    """Files of records that no ledger knows: names and sizes."""

    def known() -> Mapping[str, int]:
        with read_store(settings, state) as store:
            return store.ledger.archived.ends()

    return orphans_of(settings, state or state_of(settings), known).files()


def orphans_place(settings: Settings, state: Path) -> str:
    """Where they are, as people call it."""
    return settings.store.archive or str(state / ARCHIVE / ORPHANS)


def remove_orphans(settings: Settings) -> int:
    """Delete what no ledger knows; how many bytes that was."""
    state = state_of(settings)
    with open_store(state, "gc", settings) as store:
        return orphans_of(settings, state, store.ledger.archived.ends).remove()


def repair_archive(settings: Settings) -> Repaired:
    """Note what the archive cannot give back as lost, and write the rest anew."""
    with open_store(state_of(settings), "archive repair", settings) as store:
        before = store.ledger.archived.lost()
        survey = survey_archive(store)
        if not list(survey.problems()) and not before:
            return Repaired(survey.captures, 0, ())
        return repair(store.ledger, store.archive, SystemClock(), survey.damaged)


def pack_archive(settings: Settings) -> Packed:
    """Write the small files of the archive anew as large ones."""
    full = settings.store.archive_file_mb * 1_000_000
    if settings.store.archive is not None:
        full = min(full, FULL_OBJECT)
    with open_store(state_of(settings), "archive pack", settings) as store:
        return pack(store.ledger, store.archive, SystemClock(), full)


def collect_garbage(settings: Settings) -> Collected:
    """Drop what no item needs."""
    with open_store(state_of(settings), "gc", settings) as store:
        return collect(store.ledger, store.archive, SystemClock())
