"""The library's upkeep, and what needs no state at all: plain functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from holdfast import wiring
from holdfast.core.answers.forgetting import Collected, Forgotten
from holdfast.core.answers.identity import PathAnswer
from holdfast.core.answers.pages import ConvertedPage
from holdfast.core.answers.upkeep import (
    ArchiveCheck,
    LedgerCheck,
    LedgerCopy,
    LedgerMigration,
    LedgerRebuilt,
    LedgerRekeyed,
    StateAdopted,
    StateBackup,
    WarcImport,
)
from holdfast.core.distill_options import distill_options
from holdfast.core.errors import UsageError
from holdfast.core.job import JobList, QueuedJob
from holdfast.core.mirror_plan import Layout
from holdfast.core.names_of_urls import paths_of
from holdfast.core.notify.message import NoticeList
from holdfast.core.notify.notice import Deliveries
from holdfast.core.notify.target import read_target
from holdfast.core.refusal import Refused
from holdfast.core.settings import Settings
from holdfast.core.url import parse_url
from holdfast.distill import convert as convert_bytes
from holdfast.faces.library.calling import settled
from holdfast.faces.library.given_settings import GivenSettings
from holdfast.formats.media_type import type_of_name

__all__ = [
    "adopt",
    "archive_index",
    "back_up",
    "check_archive",
    "check_ledger",
    "config",
    "convert",
    "copy_ledger",
    "forget",
    "gc",
    "import_warc",
    "list_jobs",
    "migrate_ledger",
    "notices",
    "notify",
    "paths",
    "rebuild_ledger",
    "rekey_ledger",
    "submit",
]


def notices(**settings: Unpack[GivenSettings]) -> NoticeList:
    """What waits to be told to whom, and what was told last.

    Example:
        for notice in holdfast.notices().unsent:
            print(notice.target, notice.events, notice.attempts, notice.trouble)
    """
    return wiring.notifying.list_notices(settled(settings))


def notify(
    targets: Mapping[str, Mapping[str, Any]],
    *,
    secrets: Mapping[str, str] | None = None,
    at_once: bool = True,
    **settings: Unpack[GivenSettings],
) -> Deliveries:
    """Tell targets what they are owed: by `mirror` and `track` that were given their names (`owed_to`).

    Targets are written as the tables `[notify.NAME]` of `holdfast.toml`, secrets by the names that stand
    there for variables. Without `at_once` the time of day and of the next try is kept.

    Example:
        targets = {"log": {"command": "cat", "events": ["changed", "died"]}}
        for attempt in holdfast.notify(targets).attempts:
            print(attempt.target, attempt.events, attempt.trouble)
    """
    named = tuple(read_target(name, table) for name, table in targets.items())
    told = replace(settled(settings), notify=named)
    return wiring.notifying.send_notices(told, secrets or {}, at_once=at_once)


def convert(
    page: bytes | str | PathLike[str],
    *,
    url: str | None = None,
    content_type: str | None = None,
    **settings: Unpack[GivenSettings],
) -> ConvertedPage:
    """A page at hand (its bytes, its text, or a `Path` to its file) as Markdown, text, title, links. With
    `url` relative links become absolute; `content_type` is HTML, or what the file's name says.

    Example:
        page = holdfast.convert("<h1>Title</h1><p>Some <b>words</b>.", url="https://example.com/")
        print(page.markdown)
    """
    base = parse_url(url) if url is not None else None
    if isinstance(base, Refused):
        raise UsageError(f"{url!r}: {base}", hint="give an absolute http or https URL")
    options = distill_options(settled(settings))
    match page:
        case bytes():
            return convert_bytes(page, content_type or "text/html", base, options)
        case str():
            media_type = (content_type or "text/html").partition(";")[0]
            return convert_bytes(page.encode(), f"{media_type}; charset=utf-8", base, options)
        case PathLike():
            body = wiring.settings.read_bytes(Path(page), "file")
            return convert_bytes(body, content_type or type_of_name(str(page)), base, options)
    raise UsageError(
        f"convert takes bytes, text or a Path, not {type(page).__name__}",
        hint="the bytes of a response are `.content` in requests and httpx",
    )


def paths(urls: Iterable[str], **settings: Unpack[GivenSettings]) -> tuple[PathAnswer, ...]:
    """The names that URLs have on disk, as one mirror of them.

    Example:
        for answer in holdfast.paths(["https://example.com/a", "https://example.com/b?c=1"]):
            print(answer.path or answer.refused)
    """
    settings_now = settled(settings)
    policy = wiring.settings.load_identity(settings_now, "site")[0].policy
    return tuple(paths_of(urls, Layout(settings_now.mirror.files.layout), policy))


def config(**settings: Unpack[GivenSettings]) -> Settings:
    """Every setting as the functions see it: as given, else its default.

    Example:
        print(holdfast.config(max_pages=10).mirror.scope.max_pages)
    """
    return settled(settings)


def forget(what: str, **settings: Unpack[GivenSettings]) -> Forgotten:
    """Take a URL, or a whole host, out of ledger, archive and mirror. This cannot be undone.

    Example:
        done = holdfast.forget("https://example.com/other", state="mirror/.holdfast")
        print(done.purged.captures, "captures are gone")
    """
    settings_now = settled(settings)
    if "/" not in what:
        return _forget(settings_now, host=what.lower())
    return _forget(settings_now, url=what)


def _forget(settings: Settings, *, url: str | None = None, host: str | None = None) -> Forgotten:
    """Forget on a thread of its own, so that it makes no difference whether an event loop runs here."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        work = wiring.forgetting.forget_places(settings, url=url, host=host)
        return thread.submit(wiring.loop.run, work).result()


def gc(**settings: Unpack[GivenSettings]) -> Collected:
    """Drop what no item needs.

    Example:
        print(holdfast.gc(state="mirror/.holdfast").freed, "bytes freed")
    """
    return wiring.forgetting.collect_garbage(settled(settings))


def check_archive(**settings: Unpack[GivenSettings]) -> ArchiveCheck:
    """Read every record of the archive, and compare with the ledger.

    Example:
        print(holdfast.check_archive(state="mirror/.holdfast").problems)
    """
    return wiring.checks.check_archive(settled(settings))


def archive_index(**settings: Unpack[GivenSettings]) -> list[str]:
    """The CDXJ lines by which replay tools find the archive's records.

    Example:
        print(len(holdfast.archive_index(state="mirror/.holdfast")))
    """
    return wiring.checks.archive_lines(settled(settings))


def check_ledger(**settings: Unpack[GivenSettings]) -> LedgerCheck:
    """Read every page of the ledger's file, and every reference between its rows.

    Example:
        print(holdfast.check_ledger(state="mirror/.holdfast").problems)
    """
    return wiring.checks.check_ledger(settled(settings))


def migrate_ledger(**settings: Unpack[GivenSettings]) -> LedgerMigration:
    """Bring the ledger's schema up to date; the file is copied first.

    Example:
        done = holdfast.migrate_ledger(state="mirror/.holdfast")
        print(done.before, done.after)
    """
    return wiring.checks.migrate_ledger(settled(settings))


def back_up(to: str, **settings: Unpack[GivenSettings]) -> StateBackup:
    """Copy ledger and archive to a folder that is not there yet, consistently, also while a mirror runs.

    Example:
        print(holdfast.back_up("backup", state="mirror/.holdfast").size, "bytes")
    """
    return wiring.backup.back_up(settled(settings), Path(to))


def adopt(folder: str, **settings: Unpack[GivenSettings]) -> StateAdopted:
    """Bring a mirror's own history into that of its root, where mirror and citations know each other.

    Example:
        done = holdfast.adopt("mirror", state=".")
        print(done.label, "has", done.runs, "runs in", done.state)
    """
    return wiring.adopting.adopt_state(settled(settings), Path(folder))


def copy_ledger(source: str, target: str) -> LedgerCopy:
    """Copy a ledger to where there is none yet: each is a state folder, or the address of a server.

    Example:
        print(holdfast.copy_ledger("mirror/.holdfast", "copied/.holdfast").rows, "rows")
    """
    return wiring.moving_ledger.copy_ledger_to(source, target)


def submit(name: str, *sources: str, **settings: Unpack[GivenSettings]) -> QueuedJob:
    """Put a mirror in the queue of a shared ledger, under a name; workers make it.

    Example:
        try:
            shared = {"ledger": "postgresql:///pages?host=/run/nowhere", "archive": "s3://pages/a"}
            holdfast.submit("docs", "https://example.com/", **shared)
        except holdfast.HoldfastError as error:
            print(error.message)
    """
    return wiring.cluster.submit_mirror(
        wiring.mirroring.MirrorRequest(sources, Path(name), settled(settings), {}), name
    )


def list_jobs(*, is_open: bool = False, **settings: Unpack[GivenSettings]) -> JobList:
    """The jobs of a shared ledger, and who has them.

    Example:
        try:
            print(holdfast.list_jobs(ledger="postgresql:///pages?host=/run/nowhere").jobs)
        except holdfast.LedgerError as error:
            print(error.message)
    """
    return wiring.cluster.list_jobs(settled(settings), is_open=is_open)


def rebuild_ledger(**settings: Unpack[GivenSettings]) -> LedgerRebuilt:
    """Make a ledger from the archive; one that is there is kept beside it.

    Example:
        done = holdfast.rebuild_ledger(state="mirror/.holdfast")
        print(done.runs, "runs,", done.items, "items")
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(wiring.loop.run, wiring.salvaging.rebuild_ledger(settled(settings))).result()


def rekey_ledger(version: str | None = None, **settings: Unpack[GivenSettings]) -> LedgerRekeyed:
    """Make the keys anew by which the ledger joins what it knows of a URL: by a version of `web`, or, without
    one, by the version it has, with the overrides in force now.

    Example:
        done = holdfast.rekey_ledger("web@2", state="mirror/.holdfast")
        print(done.moved, "of", done.urls, "URLs have another key")
    """
    return wiring.rekeying.rekey_state(settled(settings), version)


def import_warc(*files: str, **settings: Unpack[GivenSettings]) -> WarcImport:
    """Take in archives that others made: captures and items, under a run of their own.

    Example:
        import glob

        done = holdfast.import_warc(*glob.glob("mirror/.holdfast/archive/*.warc.gz"), state="imported")
        print(done.captures, "captures,", done.items, "items")
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        work = wiring.salvaging.import_warc(settled(settings), [Path(file) for file in files])
        return thread.submit(wiring.loop.run, work).result()
