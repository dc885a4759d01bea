"""The library's work: what fetches, writes or takes long. Coroutines; `holdfast` has their plain forms."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from holdfast import jobs
from holdfast.adapters.ports import FetchRequest, Observer
from holdfast.core.base.errors import UsageError
from holdfast.core.settings.settings_file import SettingsFile
from holdfast.core.url.policy import Component, Version
from holdfast.core.url.url import Refused, parse_url
from holdfast.core.web.capture import Outcome
from holdfast.faces.library.calling import SILENT, settled
from holdfast.jobs.stop import Stop
from holdfast.jobs.upkeep.restore_row import Rebuilt, Reprocessed

if TYPE_CHECKING:
    from holdfast.faces.library.given_settings import GivenSettings
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.check.fixed import FixReport
    from holdfast.jobs.check.planning import TrackPlan
    from holdfast.jobs.mirror.summary import PlannedPage, Summary
    from holdfast.jobs.sync.sync_result import Synced

_MADE_WITH = ("anchors", "content", "sidecar")
"""Settings that change how the files of a mirror are made."""
_HASHES = {"text_v1": Component("text", Version(1)), "body_v1": Component("body", Version(1))}


async def fetch(
    url: str,
    *,
    etag: str | None = None,
    last_modified: str | None = None,
    **settings: Unpack[GivenSettings],
) -> Outcome | Refused:
    """Ask for one URL, politely and safely, and say how it ended. Nothing is stored.

    What can be expected of the web is a value: one of the outcomes, or `Refused` for what is not a URL.

    Example:
        match holdfast.fetch("https://example.com/page", content_rate_limit=0):
            case holdfast.Fetched(capture):
                print(capture.status, len(capture.body))
            case holdfast.TimedOut() | holdfast.Failed() as outcome:
                print(outcome.detail)
    """
    parsed = parse_url(url)
    if isinstance(parsed, Refused):
        return parsed
    request = FetchRequest(parsed, etag=etag, last_modified=last_modified, named_by_user=True)
    return await jobs.web_door.fetch_once(settled(settings), request, environment={}, named=[url])


async def mirror(
    *sources: str,
    output: str | PathLike[str] = "output",
    trust: bool = False,
    observer: Observer | None = None,
    owed_to: Collection[str] = (),
    **settings: Unpack[GivenSettings],
) -> Summary:
    """Mirror sites, sitemaps or files of URLs to a folder of Markdown, or go on with such a mirror.

    What goes wrong with single pages is in the summary; what goes wrong as a whole is raised. What
    happened is owed to the targets of these names (`owed_to`); `notify` tells them. An option that is not
    given and that the mirror remembers is obeyed if it reaches nothing (`links`), and else with `trust`
    (`assets`); without it that is a `ConsentError`.

    Example:
        summary = holdfast.mirror("https://example.com/", output="mirror", content_rate_limit=0)
        print(summary.status, summary.pages, summary.outcomes)
    """
    request = replace(_mirror_request(sources, output, settings, trust=trust), owed_to=tuple(owed_to))
    return await jobs.mirror.starting.make_mirror(request, observer or SILENT, Stop())


async def sync(
    *targets: str,
    fetch_urls: bool = False,
    dry_run: bool = False,
    trust: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[GivenSettings],
) -> Synced:
    """Bring mirrors and checked documents up to date: those that are named, or all in this folder and below.
    A mirror goes on by what it remembers: that is a stranger's word without `trust`, and refused. What
    documents cite is asked with `fetch_urls`; with `dry_run` nothing is done. `fail_on` says what makes the
    status 1 (`failed`).

    Example:
        done = holdfast.sync(trust=True, content_rate_limit=0)
        print(done.status, [(part.name, part.found) for part in done.parts])
    """
    own = settled(settings, trust=trust, update=True, fetch_external_urls=fetch_urls)
    plan_of = jobs.sync.sync_plan
    at = plan_of.SettingsAt(lambda folder, job: own, lambda folder: SettingsFile(), {})  # noqa: ARG005 - its own
    plan = plan_of.plan_sync(targets, own, at)
    if dry_run:
        return jobs.sync.sync_result.planned(plan)
    told = observer or SILENT
    return await jobs.sync.sync.sync(plan, (told, told), Stop(), settings.get("fail_on", ("failed",)))


async def mirror_plan(
    *sources: str,
    output: str | PathLike[str] = "output",
    trust: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[GivenSettings],
) -> list[PlannedPage]:
    """What a mirror would fetch first, and the paths it would have. Nothing is written.

    Example:
        for url, path in holdfast.mirror_plan("https://example.com/", content_rate_limit=0):
            print(url, "→", path)
    """
    return await jobs.mirror.previewing.plan_mirror(
        _mirror_request(sources, output, settings, trust=trust), observer or SILENT
    )


def _mirror_request(
    sources: tuple[str, ...], output: str | PathLike[str], settings: GivenSettings, *, trust: bool
) -> jobs.mirror_place.MirrorRequest:
    if not sources:
        raise UsageError("a mirror needs at least one source")
    return jobs.mirror_place.MirrorRequest(sources, Path(output), settled(settings, trust=trust), {})


async def check(
    *paths: str | PathLike[str],
    fetch_urls: bool = False,
    force_refetch: bool = False,
    eager: bool = False,
    observer: Observer | None = None,
    owed_to: Collection[str] = (),
    **settings: Unpack[GivenSettings],
) -> TrackResult:
    """Find what documents cite and tell what changed or died. Without `fetch_urls` no socket is opened.
    What happened is owed to the targets of these names (`owed_to`); `notify` tells them.

    Example:
        result = holdfast.check("notes.md", fetch_urls=True, allow_private=True)
        for url in result.urls:
            print(url.url, url.standing, [citation.line for citation in url.citations])
    """
    given = [Path(path) for path in paths or (".",)]
    settings_now = settled(settings, fetch_external_urls=fetch_urls)
    wished = jobs.check.check.track_request(force=force_refetch, eager=eager)
    request = replace(wished, owed_to=tuple(owed_to))
    with jobs.check.check.open_tracker(given, settings_now, request, observer or SILENT) as tracker:
        return (
            await jobs.check.asking_run.track_once(tracker, settings_now, {})
            if fetch_urls
            else tracker.report()
        )


async def check_plan(
    *paths: str | PathLike[str],
    force_refetch: bool = False,
    eager: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[GivenSettings],
) -> TrackPlan:
    """What `check` would ask, what a rule leaves out, and how many answers still count. Nothing is asked.

    Example:
        for host, urls in holdfast.check_plan("notes.md").by_host.items():
            print(host, len(urls))
    """
    given, settings_now = [Path(path) for path in paths or (".",)], settled(settings)
    request = jobs.check.check.track_request(force=force_refetch, eager=eager)
    with jobs.check.check.open_tracker(
        given, settings_now, request, observer or SILENT, plans=True
    ) as tracker:
        return tracker.plan()[1]


async def fix(
    *paths: str | PathLike[str],
    only: Sequence[str] | None = None,
    write: bool = False,
    fetch_urls: bool = False,
    **settings: Unpack[GivenSettings],
) -> FixReport:
    """Propose repairs of links (`redirect`, `https`, `tracker`), or write them.

    Example:
        report = holdfast.fix("notes.md")
        print(report.links, "links could be mended")
    """
    given = [Path(path) for path in paths or (".",)]
    settings_now = settled(settings, fetch_external_urls=fetch_urls)
    return await jobs.check.fix.fix_documents(given, settings_now, {}, only=only, write=write)


async def restore(
    folder: str | PathLike[str],
    *,
    to: str | PathLike[str] | None = None,
    at: str | None = None,
    move: bool = False,
    observer: Observer | None = None,
    **settings: Unpack[GivenSettings],
) -> Rebuilt:
    """Write a mirror's folder anew from ledger and archive; `to` another folder, `at` a date or a run.
    With `move` it is brought to the identity that the settings make first.

    Example:
        done = holdfast.restore("mirror", to="copy")
        print(done.pages, done.written)
    """
    settings_now = settled(settings)
    given = {name: str(value) for name, value in settings.items() if name in _MADE_WITH}
    place = jobs.mirror_place.place_of(Path(folder), settings_now)
    request = jobs.mirror_place.RebuildRequest(
        place, Path(to) if to is not None else None, at, settings.get("layout"), given, move
    )
    return await jobs.upkeep.mirrors.rebuild_mirror(request, settings_now, observer or SILENT)


async def reprocess(
    run: str,
    *,
    content_hash: str | None = None,
    observer: Observer | None = None,
    **settings: Unpack[GivenSettings],
) -> Reprocessed:
    """Go over a run with another `policy` or another content hash (`text_v1`, `body_v1`), from the archive.

    Example:
        run = holdfast.runs("mirror").parts[0].value.runs[0].run
        done = holdfast.reprocess(run.run_id, policy="docs", store="mirror/.holdfast")
        print(done.status, done.counts)
    """
    if content_hash is not None and content_hash not in _HASHES:
        raise UsageError(f"there is no content hash {content_hash!r}", hint=f"there are {', '.join(_HASHES)}")
    component = _HASHES[content_hash] if content_hash else None
    return await jobs.upkeep.mirrors.reprocess_run(
        run, component, settled(settings), observer or SILENT, Stop()
    )
