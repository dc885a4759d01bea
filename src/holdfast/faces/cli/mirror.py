"""`holdfast mirror`: a site as Markdown."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, HoldfastError, UsageError, nearest
from holdfast.core.url.redaction import shown
from holdfast.core.url.url import Url, parse_url
from holdfast.faces.cli.bars import tell_targets, watcher
from holdfast.faces.cli.console import answer, note, notes, out
from holdfast.faces.cli.flags import add_grouped_settings, add_shared, settings_file_of, settings_from
from holdfast.jobs.mirror.summary import exit_status, hints, report_lines

if TYPE_CHECKING:
    from holdfast.jobs.mirror.summary import Summary


HELP = """\
Mirror a site to a folder of Markdown. SOURCE is a site, a page, a sitemap or feed, a file of URLs, or the
name of a [mirror.NAME] in holdfast.toml. It goes to the folder `output`, unless --output names another.

Start the same command again to go on where it stopped: what is done is skipped, what failed is tried
again. Ctrl-C once finishes the pages in flight; twice stops at once.

Exit status 0 when everything is there, 1 when pages failed, 3 when nothing could be mirrored or a page
failed under --on-error abort, 5 when the disk is full, 130 when interrupted."""

_SETTINGS: Final = {
    "common flags": (
        "update",
        "mirror.include",
        "mirror.exclude",
        "max_pages",
        "convert_links",
        "assets",
        "layout",
        "on_error",
        "content_rate_limit",
        "llms_txt",
    ),
    "what belongs to the mirror": (
        "discover",
        "allow_host",
        "max_depth",
        "rel_canonical",
        "dedupe",
        "keep_noise",
        "mirror.robots",
        "meta_robots",
        "trap_pages",
        "trap_similar",
    ),
    "what an update does": ("mirror.max_age", "delete_gone"),
    "what is written": ("content", "anchors", "sidecar", "prefer_markdown"),
    "identity": ("policy", "overrides", "allow_query", "trailing_slash", "identity_version"),
    "fetching": (
        "contact",
        "allow_private",
        "timeout",
        "max_body_bytes",
        "max_page_bytes",
        "max_redirects",
        "max_wait",
        "max_wait_sum",
        "max_slowdowns",
        "per_host",
        "proxy",
        "ca_file",
    ),
    "this machine": ("processes", "min_free_mb", "store", "notifications"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own flags and the settings of the mirror."""
    parser.add_argument("source", nargs="+", metavar="SOURCE", help="where to begin")
    add_shared(parser, "--output", "--dry-run")
    parser.add_argument(
        "--cluster", action="store_true", help="have workers make it, wait for them, then write the folder"
    )
    add_grouped_settings(parser, _SETTINGS)


def run(args: argparse.Namespace) -> ExitStatus:
    """Mirror, and say how it went."""
    request = _request(args)
    if args.dry_run:
        return _dry_run(args, request)
    with watcher(quiet=args.quiet) as watching:
        name = _shared_name(args) if args.cluster else None
        try:
            summary = jobs.running.run_until_stopped(
                lambda stop: (
                    jobs.cluster.cluster.mirror_by_workers(request, name, watching, stop)
                    if name
                    else jobs.mirror.starting.make_mirror(request, watching, stop)
                ),
                watching.say,
                "the pages in flight",
            )
        except HoldfastError:
            _tell_targets(request)
            raise
    status = _tell(summary, request, as_json=args.json)
    _tell_targets(request)
    return status


def _tell_targets(request: jobs.mirror_place.MirrorRequest) -> None:
    if request.settings.notify:
        tell_targets(jobs.mirror_place.mirror_state_of(request.output, request.settings), request.settings)


def _shared_name(args: argparse.Namespace) -> str:
    """What a shared ledger calls the mirror."""
    name = _job_named(args)
    if name is None:
        raise UsageError(
            "a shared ledger knows mirrors by name",
            hint="make a [mirror.NAME] in holdfast.toml, and name that",
        )
    return name


def named_request(args: argparse.Namespace, name: str) -> jobs.mirror_place.MirrorRequest:
    """What a [mirror.NAME] of the settings file asks for."""
    settings = settings_from(args, job=f"mirror.{name}")
    keys = settings_file_of(args).work("mirror", name)
    if "source" not in keys:
        raise UsageError(f"[mirror.{name}] in holdfast.toml has no source", hint='add source = "https://…"')
    given = keys["source"]
    config = jobs.load_settings.config_file(Path.cwd())
    base = config.parent if config else Path.cwd()
    sources = tuple(_from_file(text, base) for text in ([given] if isinstance(given, str) else given))
    return jobs.mirror_place.MirrorRequest(sources, base / keys.get("output", name), settings, os.environ)


def _tell(summary: Summary, request: jobs.mirror_place.MirrorRequest, *, as_json: bool) -> ExitStatus:
    if as_json:
        answer("mirror-summary", summary, on_one_line=True)
    notes(report_lines(summary, str(request.output)))
    for text in hints(summary, _again(), request.settings.fetch.contact):
        note(f"\nhint: {text}")
    return exit_status(summary)


def _dry_run(args: argparse.Namespace, request: jobs.mirror_place.MirrorRequest) -> ExitStatus:
    with watcher(quiet=True) as watching:
        rows = jobs.running.run(jobs.mirror.previewing.plan_mirror(request, watching))
    for planned in rows:
        if args.json:
            answer("mirror-plan", planned)
        else:
            out(f"{planned.url} → {request.output / planned.path}")
    note(f"{len(rows)} URL{'' if len(rows) == 1 else 's'} would be fetched; nothing was written")
    if len(rows) == 1 and request.settings.mirror.scope.discover != "sitemap":
        note("\nhint: pages that links lead to are not known before the first page is fetched")
    return ExitStatus.SUCCESS


def _request(args: argparse.Namespace) -> jobs.mirror_place.MirrorRequest:
    """What was asked for: sources from the command line, or a named job of the settings file."""
    sources, output, job = tuple(args.source), args.output, _job_named(args)
    if job is None:
        settings = settings_from(args)
        return jobs.mirror_place.MirrorRequest(sources, Path(output or "output"), settings, os.environ)
    request = named_request(args, job)
    return replace(request, output=Path(output)) if output else request


def _job_named(args: argparse.Namespace) -> str | None:
    """The job that the one source names, if it does."""
    sources: list[str] = args.source
    if len(sources) != 1 or isinstance(parse_url(sources[0]), Url) or Path(sources[0]).is_file():
        return None
    known = settings_file_of(args).jobs.get("mirror", {})
    if sources[0] in known:
        return sources[0]
    if jobs.mirror_place.manifest_in(Path(sources[0])):
        raise UsageError(
            f"{sources[0]!r} is a mirror, and a source is where one comes from",
            hint=f"to bring it up to date: `holdfast sync {shlex.quote(sources[0])}`",
        )
    if known and (guess := nearest(sources[0], known)):
        raise UsageError(
            f"{sources[0]!r} is neither a URL, nor a file, nor a job in holdfast.toml",
            hint=f"did you mean `holdfast mirror {guess}`?",
        )
    return None


def _from_file(text: str, base: Path) -> str:
    """A source in the settings file: a path is relative to that file."""
    return text if isinstance(parse_url(text), Url) else str(base / text)


def _again() -> str:
    """The command to go on with."""
    return shlex.join(["holdfast", *map(shown, sys.argv[1:])])
