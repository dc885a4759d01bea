"""Whether ledger and archive are whole, and the archive's index."""

from __future__ import annotations

from pathlib import Path

from holdfast.core.answers.upkeep import ArchiveCheck, LedgerCheck, LedgerMigration, StateBackup
from holdfast.core.settings import Settings
from holdfast.wiring import archive_index, check_ledger, migrate_ledger, read_store, state_of, survey_archive
from holdfast.wiring.backup import back_up

__all__ = ["archive_lines", "back_up_state", "check_archive", "check_ledger_file", "migrate_ledger_file"]


def check_archive(settings: Settings) -> ArchiveCheck:
    """Read every record of the archive, and compare with the ledger."""
    with read_store(settings) as store:
        survey = survey_archive(store)
        problems = tuple(survey.problems())
        size = sum(store.ledger.archived.ends().values())
    return ArchiveCheck(survey.files, survey.records, survey.captures, size, problems)


def archive_lines(settings: Settings) -> list[str]:
    """The CDXJ lines of everything committed."""
    with read_store(settings) as store:
        return archive_index(store)


def check_ledger_file(settings: Settings) -> LedgerCheck:
    """Read every page of the ledger's file, and every reference between its rows."""
    return LedgerCheck(tuple(check_ledger(settings, state_of(settings))))


def migrate_ledger_file(settings: Settings) -> LedgerMigration:
    """Bring the ledger's schema up to date; the file is copied first."""
    before, after, copy = migrate_ledger(settings, state_of(settings))
    return LedgerMigration(before, after, str(copy) if copy else None)


def back_up_state(settings: Settings, to: Path) -> StateBackup:
    """A consistent copy of ledger and archive, also while a writer is at work."""
    return back_up(state_of(settings), to)
