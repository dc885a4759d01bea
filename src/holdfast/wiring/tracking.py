"""Wiring of tracking: documents, their citations, repairs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast.adapters.command import revision_time, run_command
from holdfast.adapters.files import read_text, write_text
from holdfast.adapters.git import touched_lines
from holdfast.adapters.state_folder import STATE_NAME, find_root
from holdfast.core.local_links import LocalOptions
from holdfast.core.recipe import Component, Version
from holdfast.core.settings import Settings

if TYPE_CHECKING:
    from holdfast.adapters.document_folder import DocumentFolder
    from holdfast.core.touched import TouchedLines
    from holdfast.jobs.fix import Fixer, FixReport
    from holdfast.jobs.track import Tracker, TrackResult
    from holdfast.jobs.track.options import TrackRequest
    from holdfast.ports import Fetcher, Observer, Scribe

from holdfast.wiring import (
    join_policy,
    make_fetcher,
    named_state,
    open_store,
    setting_path,
    state_of,
    web_identity,
)

__all__ = [
    "baseline_path",
    "document_path",
    "fix_documents",
    "local_options",
    "open_fixer",
    "open_tracker",
    "read_text",
    "revision_time",
    "run_command",
    "touched_since",
    "track_fetcher",
    "track_once",
    "track_request",
    "write_text",
]

_TELL_EVERY: Final = 5.0
"""Seconds between two accounts of what is left of a run."""


@contextmanager
def open_tracker(
    paths: Sequence[Path], settings: Settings, request: TrackRequest, observer: Observer
) -> Iterator[Tracker]:
    """Tracking of the documents in these files and folders, whose root they share (STA-1)."""
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio
    from holdfast.adapters.document_folder import DocumentFolder, name_under  # noqa: PLC0415 # lazy: parsers
    from holdfast.core.crawl.standard import Standard  # noqa: PLC0415 # lazy: parsers
    from holdfast.formats.document_kinds import DocumentKinds  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.track import Tracker  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.track.options import track_options  # noqa: PLC0415 # lazy: parsers

    root = find_root(paths[0] if paths else Path())
    kinds = DocumentKinds(settings.track.read_as)
    given = [replace(each, path=name_under(root, Path(each.path))) for each in request.given]
    folder = DocumentFolder(
        root,
        filter(None, [baseline_path(settings)]),
        force_exclude=request.force_exclude,
        kinds=kinds,
        given=given,
    )
    passing = tuple(each.path for each in given)
    scope = (*(folder.relative(path) for path in paths), *passing)
    identity = web_identity(settings)
    options = track_options(settings, request, scope, str(root))
    options = replace(options, local=local_options(settings, folder), passing=passing)
    state = named_state(settings) or root / STATE_NAME
    with open_store(state, "track", settings) as store:
        clock = SystemClock()

        def open_scribe() -> Scribe:
            from holdfast.adapters.scribe import ThreadScribe  # noqa: PLC0415 # lazy: only who asks needs it

            return ThreadScribe(store.ledger, store.archive, clock)

        recipe = identity.recipe(Component(settings.track.tracked_content, Version(1)))
        join = join_policy(settings, store.ledger)
        standard = Standard(recipe, identity.policy, join, identity.digest)
        yield Tracker(folder, store.ledger, open_scribe, clock, standard, observer, options)


@contextmanager
def open_fixer(paths: Sequence[Path], settings: Settings, only: Sequence[str] | None) -> Iterator[Fixer]:
    """Mending of the links in these files and folders, by what the state of their root knows."""
    from holdfast.adapters.clock import SystemClock  # noqa: PLC0415 # lazy: it brings asyncio
    from holdfast.adapters.document_folder import DocumentFolder  # noqa: PLC0415 # lazy: parsers
    from holdfast.core.fixes import USUAL_FIXES, FixKind  # noqa: PLC0415 # lazy: as above
    from holdfast.formats.document_kinds import DocumentKinds  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.fix import Fixer  # noqa: PLC0415 # lazy: parsers
    from holdfast.jobs.track.facts import LedgerFacts  # noqa: PLC0415 # lazy: parsers

    root = find_root(paths[0])
    read_as = DocumentKinds(settings.track.read_as)
    folder = DocumentFolder(root, filter(None, [baseline_path(settings)]), kinds=read_as)
    scope = tuple(folder.relative(path) for path in paths)
    local = local_options(settings, folder)
    kinds = frozenset(map(FixKind, only)) if only else USUAL_FIXES
    state = named_state(settings) or root / STATE_NAME
    with open_store(state, "fix", settings) as store:
        facts = LedgerFacts(store.ledger, join_policy(settings, store.ledger), store.archive)
        yield Fixer(folder, store.ledger.citations, facts, SystemClock(), scope, kinds, local)


def local_options(settings: Settings, folder: DocumentFolder) -> LocalOptions | None:
    """How local links are read; the folder that `/` means is named from the root."""
    if not settings.track.local_links:
        return None
    top = setting_path(settings, "root_dir")
    return LocalOptions(folder.relative(top) if top else None, settings.track.wiki_links)


async def fix_documents(
    paths: Sequence[Path],
    settings: Settings,
    environment: Mapping[str, str],
    *,
    only: Sequence[str] | None = None,
    write: bool = False,
) -> FixReport:
    """Propose repairs, or write them; asked is only with consent (`fetch_external_urls`)."""
    from holdfast.jobs.fix import FixReport  # noqa: PLC0415 # lazy: parsers

    with open_fixer(paths, settings, only) as fixer:
        documents = fixer.read()
        fixer.name_archive(documents, settings.track.archive_url)
        asked = await _ask_for_fixes(fixer, documents, settings, environment)
        fixes = fixer.plan(documents)
        if write:
            fixer.write(fixes)
    return FixReport(tuple(fixes), write, asked)


async def _ask_for_fixes(
    fixer: Fixer, documents: Sequence[str], settings: Settings, environment: Mapping[str, str]
) -> int:
    from holdfast.jobs.track.options import rules_of  # noqa: PLC0415 # lazy: parsers

    if not settings.track.fetch_external_urls:
        return 0
    fetcher = make_fetcher(settings, environment=environment)
    try:
        return await fixer.ask(documents, fetcher, rules_of(settings))
    finally:
        await fetcher.close()


def touched_since(paths: Sequence[Path], revision: str) -> dict[str, list[range]]:
    """The lines of the tracked documents that a change touched, by path from their root."""
    return touched_lines(find_root(paths[0]), revision)


def baseline_path(settings: Settings) -> Path | None:
    """The baseline file that the settings name."""
    return setting_path(settings, "baseline")


def track_fetcher(settings: Settings, environment: Mapping[str, str]) -> Fetcher:
    """The door for cited URLs, none of which the user named. The tracker paces hosts and waits for them."""
    from holdfast.jobs.track.options import manner_of  # noqa: PLC0415 # lazy: parsers

    manner, fetch = manner_of(settings), replace(settings.fetch, max_slowdowns=0)
    if manner.adapts:
        fetch = replace(fetch, content_rate_limit=0.0, per_host=manner.width)
    return make_fetcher(replace(settings, fetch=fetch), environment=environment)


async def track_once(tracker: Tracker, settings: Settings, environment: Mapping[str, str]) -> TrackResult:
    """One run of tracking that asks, with a door of its own."""
    import asyncio  # noqa: PLC0415 # lazy: most commands never ask

    from holdfast.adapters.workers.distillery import Distillery  # noqa: PLC0415 # lazy: parsers

    async def keep_telling() -> None:
        while True:
            await asyncio.sleep(_TELL_EVERY)
            tracker.tell_outlook()

    fetcher = track_fetcher(settings, environment)
    spare = max((os.cpu_count() or 1) - 1, 1)  # this process asks and keeps, which takes a processor
    distiller = Distillery(tracker.recipe, tracker.distill_options, workers=min(spare, 4))
    telling = asyncio.create_task(keep_telling())
    try:
        return await tracker.run(fetcher, distiller)
    finally:
        telling.cancel()
        await fetcher.close()
        distiller.close()


def track_request(
    *,
    force: bool,
    eager: bool,
    touched: TouchedLines | None = None,
    force_exclude: bool = False,
    lychee_cache: Path | None = None,
    given: Sequence[tuple[str, bytes]] = (),
) -> TrackRequest:
    """What is wished of one run of tracking; `given` are documents that are not read from files, by the name
    that says what they are read as.
    """
    from holdfast.formats.document_kinds import DocumentFormat, format_of  # noqa: PLC0415 # lazy: parsers
    from holdfast.formats.importers import read_lycheecache  # noqa: PLC0415 # lazy: seldom needed
    from holdfast.jobs.track.options import TrackRequest  # noqa: PLC0415 # lazy: parsers
    from holdfast.ports import GivenDocument  # noqa: PLC0415 # lazy: parsers

    told = read_lycheecache(read_text(lychee_cache, "cache"), str(lychee_cache)) if lychee_cache else ()
    documents = (
        GivenDocument(name, format_of(name) or DocumentFormat.TEXT, content) for name, content in given
    )
    return TrackRequest(force, eager, touched, force_exclude, told, tuple(documents))


def document_path(settings: Settings, path: Path) -> tuple[Path, str]:
    """The state folder that knows a document, and the document as its ledger names it, from the root."""
    state = state_of(settings, path if path.exists() else None)
    root, resolved = state.resolve().parent, path.resolve()
    name = resolved.relative_to(root).as_posix() if resolved.is_relative_to(root) else path.as_posix()
    return state, name
