"""Whether ledger and archive are whole; the archive's index, its orphans, a copy of everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from holdfast import wiring
from holdfast.adapters.clock import SystemClock
from holdfast.adapters.sqlite.check import check_file
from holdfast.adapters.sqlite.ledger import migrate_file
from holdfast.adapters.state_folder import lock
from holdfast.adapters.warc.orphans import Orphans
from holdfast.adapters.warc.survey import Survey, index_lines
from holdfast.core.answers.upkeep import ArchiveCheck, LedgerCheck, LedgerMigration
from holdfast.core.settings import Settings
from holdfast.wiring.states import LEDGER, state_of
from holdfast.wiring.store import Store, orphan_shelf, read_store

__all__ = [
    "archive_lines",
    "check_archive",
    "check_ledger",
    "ledger_problems",
    "migrate_ledger",
    "orphans_of",
    "survey_archive",
]


def check_archive(settings: Settings) -> ArchiveCheck:
    """Read every record of the archive, and compare with the ledger."""
    with read_store(settings) as store:
        survey = survey_archive(store)
        problems = tuple(survey.problems())
        size = sum(store.ledger.archived.ends().values())
    return ArchiveCheck(survey.files, survey.records, survey.captures, size, problems)


def survey_archive(store: Store) -> Survey:
    """A walk over every archive record, next to what the ledger has of it."""
    known = store.ledger.archived
    return Survey(store.shelf, known.ends(), known.captures(), known.lost())


def archive_lines(settings: Settings) -> list[str]:
    """The CDXJ lines of everything committed."""
    with read_store(settings) as store:
        return index_lines(store.shelf, store.ledger.archived.ends())


def orphans_of(settings: Settings, state: Path, known: Callable[[], Mapping[str, int]]) -> Orphans:
    """What the archive holds and no ledger knows; `known` says what this one does, where that is needed."""
    return Orphans(orphan_shelf(settings, state, known() if settings.store.archive else {}))


def check_ledger(settings: Settings) -> LedgerCheck:
    """Read every page of the ledger's file, and every reference between its rows."""
    return LedgerCheck(tuple(ledger_problems(settings, state_of(settings))))


def ledger_problems(
    settings: Settings, state: Path, web_key: Callable[[str], str | None] | None = None
) -> Iterator[str]:
    """What is wrong with a ledger, one sentence each."""
    if settings.store.ledger is not None:
        return wiring.server.check_on_server(settings, web_key)
    return check_file(state / LEDGER, web_key)


def migrate_ledger(settings: Settings) -> LedgerMigration:
    """Bring the ledger's schema up to date; a file is copied first."""
    if settings.store.ledger is not None:
        return LedgerMigration(*wiring.server.migrate_on_server(settings), None)
    state = state_of(settings)
    with lock(state, "db migrate"):
        before, after, copy = migrate_file(state / LEDGER, SystemClock().now())
    return LedgerMigration(before, after, str(copy) if copy else None)
