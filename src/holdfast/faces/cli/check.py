"""`holdfast check`: what documents cite, and what became of it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast import jobs
from holdfast.core.base.errors import ConsentError, ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.core.settings.resolve import Settings
from holdfast.faces.cli.bars import TrackProgress, tell_targets
from holdfast.faces.cli.check_flags import add_track_flags
from holdfast.faces.cli.check_inputs import inputs_from
from holdfast.faces.cli.check_report import report_wish, tell
from holdfast.faces.cli.console import answer, note, out
from holdfast.faces.cli.flags import after_local_answer, settings_from
from holdfast.questions.rows.table import schema_of

if TYPE_CHECKING:
    from holdfast.core.findings.cited_findings import TouchedLines
    from holdfast.jobs.check.check import Tracker
    from holdfast.jobs.check.check_result import TrackResult
    from holdfast.jobs.check.options import TrackRequest
    from holdfast.jobs.check.planning import TrackPlan


HELP = """\
Read the documents in files and folders, find every URL they cite, and tell which of them changed or died.

Nothing is asked without your consent: give --fetch-urls, or set fetch_external_urls = true in holdfast.toml.
A link counts as dead once it is confirmed: 404 and 410 at the second look, other failures after three looks
over 48 hours; --confirm takes the second look in the same run, --eager counts it at once. What is known is
in .holdfast/ at the root, and for review in a .url-manifest file beside the documents.

Exit status 0 when no cited link is dead and no linked file is missing, 1 when one is; --fail-on says
otherwise, and what is in the --baseline does not count."""


_FEW: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments, and the settings of tracking."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="documents, folders, patterns ('docs/**/*.md'), - for standard input, addresses of pages and of "
        "sitemaps; by default this folder",
    )
    add_track_flags(parser)


def run(args: argparse.Namespace) -> ExitStatus:
    """Track, and tell."""
    inputs, job = inputs_from(args), f"check.{args.job}" if args.job else None
    settings = settings_from(args, start=inputs.start, job=job)
    wish = report_wish(args, settings)
    touched = _touched(inputs.start, args.changed_since)
    request = jobs.check.check.track_request(
        force=args.force_refetch,
        eager=args.eager,
        touched=touched,
        force_exclude=args.force_exclude,
        lychee_cache=Path(args.lychee_cache) if args.lychee_cache else None,
        given=inputs.given,
        pages=inputs.pages,
    )
    plans, may_ask = args.dry_run, settings.check.asking.fetch_external_urls and not args.offline
    if args.force_refetch and not (may_ask or plans):
        raise ConsentError(
            "--force-refetch asks the network, and that needs your consent",
            hint="add --fetch-urls, or set fetch_external_urls = true in holdfast.toml",
        )
    if inputs.pages and plans:
        raise UsageError(f"--dry-run asks nothing, and {inputs.pages[0]} is read by asking for it")
    if inputs.pages and not may_ask:
        raise ConsentError(
            f"reading {inputs.pages[0]} asks the network, and that needs your consent",
            hint="add --fetch-urls, or set fetch_external_urls = true in holdfast.toml",
        )
    with (
        TrackProgress() as progress,
        jobs.check.check.open_tracker(inputs.paths, settings, request, progress, plans=plans) as tracker,
    ):
        if plans:
            _, plan = tracker.plan()
            _show_plan(plan, as_json=args.json)
            return ExitStatus.SUCCESS
        asker = _ask_workers(request, progress) if args.cluster else _ask_here(inputs.pages)
        result = _ask(tracker, settings, asker) if may_ask else tracker.report()
    if args.json:
        answer("track", result)
    status = tell(result, wish, touched, quiet=args.json)
    if args.format == "text" and not args.json:
        _tell_of_manifests(result)
        for hint in result.hints(may_ask=settings.check.asking.fetch_external_urls):
            note(f"\nhint: {hint}")
    if args.on_change:
        _on_change(args.on_change, result)
    if may_ask and settings.notify:
        tell_targets(jobs.check.check.state_of_documents(inputs.paths, settings), settings)
    return status if args.offline else after_local_answer(status, settings)


def _touched(start: Path, since: str | None) -> TouchedLines | None:
    return jobs.check.check.touched_since([start], since) if since else None


Asker = Callable[["Tracker", Settings], Coroutine[Any, Any, "TrackResult"]]
"""One run of tracking that asks."""


def _ask_here(pages: list[str]) -> Asker:
    return lambda tracker, settings: jobs.check.asking_run.track_once(tracker, settings, os.environ, pages)


def _ask_workers(request: TrackRequest, progress: TrackProgress) -> Asker:
    return lambda tracker, settings: jobs.cluster.shared_tracking.track_by_workers(
        tracker, settings, request, progress
    )


def _ask(tracker: Tracker, settings: Settings, asker: Asker) -> TrackResult:
    try:
        return jobs.running.run(asker(tracker, settings))
    except KeyboardInterrupt:
        note("what was answered is kept; the same command asks for the rest")
        raise


def _show_plan(plan: TrackPlan, *, as_json: bool) -> None:
    if as_json:
        answer("check-plan", plan)
        return
    by_host = plan.by_host
    for host, urls in by_host.items():
        out(f"{host} ({len(urls)})")
        for url in urls:
            out(f"  {url}")
    note(f"would ask {counted(len(plan.asks), 'URL')} on {counted(len(by_host), 'host')}")
    note(f"would not ask {len(plan.skipped)} that a rule leaves out, {plan.fresh} whose answer still counts")


def _tell_of_manifests(result: TrackResult) -> None:
    """What was written beside the documents; what it is for, and how to do without."""
    if result.manifests:
        written = counted(len(result.manifests), "manifest")
        named = ", ".join(result.manifests[:_FEW]) + (", …" if len(result.manifests) > _FEW else "")
        note(
            f"wrote {written} beside the documents, for review: {named} (--manifest-format none: write none)"
        )


def _on_change(command: str, result: TrackResult) -> None:
    for change in result.changes:
        variables = {
            "HOLDFAST_CHANGED_URL": change.url,
            "HOLDFAST_CHANGED_OLD": change.old or "",
            "HOLDFAST_CHANGED_NEW": change.new or "",
        }
        text = json.dumps(schema_of("check-change").encode(change), ensure_ascii=False).encode()
        status = jobs.check.check.run_command(
            command, given=text, variables=variables, environment=os.environ
        )
        if status:
            note(f"warning: the --on-change command ended with status {status} for {change.url}")
