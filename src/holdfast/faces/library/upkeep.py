"""The library's upkeep of stores: plain functions."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from holdfast import jobs
from holdfast.core.events.messages import NoticeList
from holdfast.core.lineage.event_kind import Deliveries, NoticesDropped
from holdfast.core.lineage.shared_jobs import JobList, QueuedJob
from holdfast.core.settings.receivers import read_target
from holdfast.core.settings.resolve import Settings
from holdfast.faces.library.calling import settled
from holdfast.jobs.upkeep.forget_row import Collected, Forgotten, OrphansRemoved, Packed

if TYPE_CHECKING:
    from holdfast.faces.library.given_settings import GivenSettings
    from holdfast.jobs.upkeep.store_commands import (
        LedgerCopy,
        LedgerMigration,
        LedgerRebuilt,
        LedgerRekeyed,
        StateAdopted,
        StateBackup,
        WarcImport,
    )


def notices(**settings: Unpack[GivenSettings]) -> NoticeList:
    """What waits to be told to whom, and what was told last.

    Example:
        for notice in holdfast.notices().unsent:
            print(notice.target, notice.events, notice.attempts, notice.trouble)
    """
    return jobs.sync.notify.list_notices(settled(settings))


def notify(
    targets: Mapping[str, Mapping[str, Any]],
    *,
    secrets: Mapping[str, str] | None = None,
    at_once: bool = True,
    trial: bool = False,
    trust: bool = False,
    **settings: Unpack[GivenSettings],
) -> Deliveries:
    """Tell targets what they are owed: by `mirror` and `check` that were given their names (`owed_to`).

    Targets are written as the tables `[notify.NAME]` of `holdfast.toml`, secrets by the names that stand
    there for variables. Without `at_once` the time of day and of the next try is kept. A `trial` is sent to
    each of them instead, and nothing is written down. What waits in a store may have come with it: it is told
    with `trust`; without it that is a `ConsentError`.

    Example:
        targets = {"log": {"command": "cat", "events": ["changed", "died"]}}
        for attempt in holdfast.notify(targets, trust=True).attempts:
            print(attempt.target, attempt.events, attempt.trouble)
    """
    named = tuple(read_target(name, table) for name, table in targets.items())
    told = replace(settled(settings, trust=trust), notify=named)
    if trial:
        return jobs.sync.notify.try_targets(told, secrets or {}, ())
    return jobs.sync.notify.send_notices(told, secrets or {}, at_once=at_once)


def drop_notices(target: str, **settings: Unpack[GivenSettings]) -> NoticesDropped:
    """Drop what a target is owed; how many notices there were.

    Example:
        print(holdfast.drop_notices("log").notices, "notices dropped")
    """
    return jobs.sync.notify.drop_target(settled(settings), target)


def forget(what: str, *, trust: bool = False, **settings: Unpack[GivenSettings]) -> Forgotten:
    """Take a URL, or a whole host, out of ledger, archive and mirror. This cannot be undone. With `trust` it
    also removes files that an earlier call left, and those of mirrors outside the store's folder.

    Example:
        done = holdfast.forget("https://example.com/other", store="mirror/.holdfast")
        print(done.purged.captures, "captures are gone")
    """
    settings_now = settled(settings, trust=trust)
    if "/" not in what:
        return _forget(settings_now, host=what.lower())
    return _forget(settings_now, url=what)


def _forget(settings: Settings, *, url: str | None = None, host: str | None = None) -> Forgotten:
    """Forget on a thread of its own, so that it makes no difference whether an event loop runs here."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        work = jobs.upkeep.forget.forget_places(settings, url=url, host=host)
        return thread.submit(jobs.running.run, work).result()


def gc(**settings: Unpack[GivenSettings]) -> Collected:
    """Drop what no item needs.

    Example:
        print(holdfast.gc(store="mirror/.holdfast").freed, "bytes freed")
    """
    return jobs.upkeep.prune.collect_garbage(settled(settings))


def remove_orphans(**settings: Unpack[GivenSettings]) -> OrphansRemoved:
    """Delete the archived records that the ledger does not know. Nothing brings them back.

    Example:
        print(holdfast.remove_orphans(store="mirror/.holdfast").files, "files are gone")
    """
    settings_now = settled(settings)
    files = jobs.upkeep.prune.orphan_files(settings_now)
    return OrphansRemoved(len(files), jobs.upkeep.prune.remove_orphans(settings_now) if files else 0)


def pack_archive(**settings: Unpack[GivenSettings]) -> Packed:
    """Join the small files of an archive into full ones.

    Example:
        done = holdfast.pack_archive(store="mirror/.holdfast")
        print(done.before, "files are", done.after)
    """
    return jobs.upkeep.prune.pack_archive(settled(settings))


def archive_index(**settings: Unpack[GivenSettings]) -> list[str]:
    """The CDXJ lines by which replay tools find the archive's records.

    Example:
        print(len(holdfast.archive_index(store="mirror/.holdfast")))
    """
    return jobs.upkeep.check_store.archive_lines(settled(settings))


def migrate_ledger(**settings: Unpack[GivenSettings]) -> LedgerMigration:
    """Bring the ledger's schema up to date; the file is copied first.

    Example:
        done = holdfast.migrate_ledger(store="mirror/.holdfast")
        print(done.before, done.after)
    """
    return jobs.upkeep.check_store.migrate_ledger(settled(settings))


def back_up(to: str, **settings: Unpack[GivenSettings]) -> StateBackup:
    """Copy ledger and archive to a folder that is not there yet, consistently, also while a mirror runs.

    Example:
        print(holdfast.back_up("backup", store="mirror/.holdfast").size, "bytes")
    """
    return jobs.upkeep.copies.back_up(settled(settings), Path(to))


def adopt(folder: str, **settings: Unpack[GivenSettings]) -> StateAdopted:
    """Bring a mirror's own history into that of its root, where mirror and citations know each other.

    Example:
        done = holdfast.adopt("mirror", store=".")
        print(done.label, "has", done.runs, "runs in", done.state)
    """
    return jobs.upkeep.join.adopt_state(settled(settings), Path(folder))


def copy_ledger(source: str, target: str) -> LedgerCopy:
    """Copy a ledger to where there is none yet: each is a store, or the address of a server.

    Example:
        print(holdfast.copy_ledger("mirror/.holdfast", "copied/.holdfast").rows, "rows")
    """
    return jobs.upkeep.copies.copy_ledger_to(source, target)


def submit(name: str, *sources: str, **settings: Unpack[GivenSettings]) -> QueuedJob:
    """Put a mirror in the queue of a shared ledger, under a name; workers make it.

    Example:
        try:
            shared = {"ledger": "postgresql:///pages?host=/run/nowhere", "archive": "s3://pages/a"}
            holdfast.submit("docs", "https://example.com/", **shared)
        except holdfast.HoldfastError as error:
            print(error.message)
    """
    return jobs.cluster.cluster.submit_mirror(
        jobs.mirror_place.MirrorRequest(sources, Path(name), settled(settings), {}), name
    )


def list_jobs(*, is_open: bool = False, **settings: Unpack[GivenSettings]) -> JobList:
    """The jobs of a shared ledger, and who has them.

    Example:
        try:
            print(holdfast.list_jobs(ledger="postgresql:///pages?host=/run/nowhere").jobs)
        except holdfast.LedgerError as error:
            print(error.message)
    """
    return jobs.cluster.cluster.list_jobs(settled(settings), is_open=is_open)


def rebuild_ledger(**settings: Unpack[GivenSettings]) -> LedgerRebuilt:
    """Make a ledger from the archive; one that is there is kept beside it.

    Example:
        done = holdfast.rebuild_ledger(store="mirror/.holdfast")
        print(done.runs, "runs,", done.items, "items")
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(jobs.running.run, jobs.upkeep.salvage.rebuild_ledger(settled(settings))).result()


def rekey_ledger(version: str | None = None, **settings: Unpack[GivenSettings]) -> LedgerRekeyed:
    """Make the keys anew by which the ledger joins what it knows of a URL: by a version of `web`, or, without
    one, by the version it has, with the overrides in force now.

    Example:
        done = holdfast.rekey_ledger("web@2", store="mirror/.holdfast")
        print(done.moved, "of", done.urls, "URLs have another key")
    """
    return jobs.upkeep.rekey.rekey_state(settled(settings), version)


def import_warc(*files: str, **settings: Unpack[GivenSettings]) -> WarcImport:
    """Take in archives that others made: captures and items, under a run of their own.

    Example:
        import glob

        done = holdfast.import_warc(*glob.glob("mirror/.holdfast/archive/*.warc.gz"), store="imported")
        print(done.captures, "captures,", done.items, "items")
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        work = jobs.upkeep.take_in.import_warc(settled(settings), [Path(file) for file in files])
        return thread.submit(jobs.running.run, work).result()
