"""Whether ledger and archive are whole; the archive's index, its orphans; the schema brought up to date.

Whether a ledger's rows are what they are made of (ids, keys, seals, edges) is asked of the port alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.system import SystemClock
from holdfast.core.base.hashing import url_key
from holdfast.core.lineage.conflict_rules import Reason, Selected
from holdfast.core.lineage.ledger_values import Observation
from holdfast.core.lineage.lineage import CaptureRecord, EdgeKind, Item, RunStatus, capture_id, item_id
from holdfast.core.settings.resolve import Settings
from holdfast.core.url.compiled import canonical_text
from holdfast.core.url.policy import Policy, policy_of
from holdfast.jobs.places import LEDGER, server_address, state_of
from holdfast.jobs.session import Session, orphan_shelf, read_store
from holdfast.jobs.upkeep.store_commands import LedgerMigration
from holdfast.storage.archive.check_records import Survey, index_lines
from holdfast.storage.archive.orphans import Orphans
from holdfast.storage.sqlite.sqlite_ledger import check_file, migrate_file
from holdfast.storage.state_folder import lock

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger


def survey_archive(session: Session) -> Survey:
    """A walk over every archive record, next to what the ledger has of it."""
    known = session.ledger.archived
    return Survey(session.shelf, known.ends(), known.captures(), known.lost())


def archive_lines(settings: Settings) -> list[str]:
    """The CDXJ lines of everything committed."""
    with read_store(settings) as session:
        return index_lines(session.shelf, session.ledger.archived.ends())


def orphans_of(settings: Settings, state: Path, known: Callable[[], Mapping[str, int]]) -> Orphans:
    """What the archive holds and no ledger knows; `known` says what this one does, where that is needed."""
    return Orphans(orphan_shelf(settings, state, known() if settings.store.archive else {}))


def ledger_problems(
    settings: Settings, state: Path, web_key: Callable[[str], str | None] | None = None
) -> Iterator[str]:
    """What is wrong with a ledger, one sentence each."""
    if settings.store.ledger is not None:
        from holdfast.storage.postgres.postgres_ledger import check_database  # noqa: PLC0415 - an extra

        return check_database(server_address(settings), web_key)
    return check_file(state / LEDGER, web_key)


def migrate_ledger(settings: Settings) -> LedgerMigration:
    """Bring the ledger's schema up to date; a file is copied first."""
    if settings.store.ledger is not None:
        from holdfast.storage.postgres.postgres_ledger import migrate_database  # noqa: PLC0415 - an extra

        return LedgerMigration(*migrate_database(server_address(settings), SystemClock().now()), None)
    state = state_of(settings)
    with lock(state, "store migrate"):
        before, after, copy = migrate_file(state / LEDGER, SystemClock().now())
    return LedgerMigration(before, after, str(copy) if copy else None)


def web_keys(web: Policy, ledger: Ledger) -> Callable[[str], str | None] | None:
    """The key by which every table finds a URL (ID-12), made of its canonical form. None where a run's policy
    drops what the join keeps: there the form does not tell the key.
    """
    components = {record.run.recipe.url for record in ledger.runs.latest_first()}
    policies = [policy_of(component) if component else None for component in components]
    if not all(policy is not None and policy.keeps_what(web) for policy in policies):
        return None
    canonical = canonical_text(web)
    return lambda url: url_key(form) if isinstance(form := canonical(url), str) else None


def ledger_faults(ledger: Ledger) -> Iterator[tuple[str, str]]:
    """Where, and what."""
    for record in ledger.runs.latest_first():
        run = record.run.run_id
        for observation in ledger.history.of_run(run):
            capture, item = observation.capture, observation.item
            yield from ((capture.url, what) for what in _capture(capture))
            if item is not None:
                yield from ((capture.url, what) for what in _item(ledger, observation, item))
        if record.status is RunStatus.FINISHED and ledger.runs.seal_of(run) != record.seal:
            yield f"run {run[:12]}", "its seal is not that of what it saw"


def _capture(capture: CaptureRecord) -> Iterator[str]:
    made = capture_id(capture.run_id, capture.url, capture.fetched_at, capture.status, capture.payload_sha256)
    if made != capture.capture_id:
        yield "a capture's id is not that of its run, address, time, status and body"
    if url_key(capture.place.url) != capture.place.key:
        yield f"the key of {capture.place.url} is not its own"


def _item(ledger: Ledger, observation: Observation, item: Item) -> Iterator[str]:
    made = item_id(item.recipe, item.place.url, item.content_sha256, item.capture_id)
    if made != item.item_id:
        yield "an item's id is not that of its version, address, content and capture"
    if url_key(item.place.url) != item.place.key:
        yield f"the key of {item.place.url} is not its own"
    if observation.is_new:
        yield from _edges(ledger, item)


def _edges(ledger: Ledger, item: Item) -> Iterator[str]:
    """Each reason an edge gives must be true of the items it joins (LIN-4)."""
    for edge in ledger.history.relations(item.item_id).outgoing:
        found = ledger.history.items(edge.target)
        if edge.kind is not EdgeKind.SUPERSEDES or not found:
            continue
        old, facts = found[0], dict(edge.metadata)
        by_content = facts.get("reason") == Reason.CONTENT
        equal = old.content_sha256 == item.content_sha256 if by_content else old.place.key == item.place.key
        named = facts.get("content_sha256_match" if by_content else "canonical_uri_match")
        selected = Selected.CONTENT if by_content else Selected.URL
        if not equal or named != old.item_id or facts.get("selected") != selected:
            yield "a supersedes edge gives a reason that is not true of its items"
