"""What a run of tracking found, for whoever has to act on it: formats, baseline, changes, exit status."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast import __version__, jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.core.base.values import dataclass
from holdfast.core.findings.baseline import (
    FAIL_WORDS,
    FailOn,
    compare,
    new_baseline,
    read_baseline,
    write_baseline,
)
from holdfast.core.findings.cited_findings import TouchedLines, limited
from holdfast.core.findings.report import FindingKey, Report
from holdfast.core.findings.report_lines import summary_lines, write_report
from holdfast.core.settings.resolve import Settings
from holdfast.faces.cli.console import note

if TYPE_CHECKING:
    from holdfast.jobs.check.check_result import TrackResult


@dataclass(frozen=True, slots=True)
class ReportWish:
    """How a run shall be told, checked before anything is asked."""

    format: str
    fails: FailOn
    baseline: Path | None
    known: frozenset[FindingKey]
    update: bool
    since: str | None


def report_wish(args: argparse.Namespace, settings: Settings) -> ReportWish:
    """Read the wish off flags and settings; a baseline that cannot be read is an error now, not later."""
    try:
        fails = FailOn.of(settings.check.fail_on)
    except ValueError as error:
        words = "\n".join(f"  {word}: {meaning}" for word, meaning in FAIL_WORDS.items())
        raise UsageError(f"fail_on: {error}", hint=f"these words, or the codes of rules:\n{words}") from None
    path = jobs.load_settings.baseline_path(settings)
    if args.update_baseline and path is None:
        raise UsageError(
            "--update-baseline needs a file",
            hint='name it: --baseline FILE, or baseline = "FILE" in holdfast.toml',
        )
    known: frozenset[FindingKey] = frozenset()
    if path is not None and path.is_file():
        known = read_baseline(jobs.load_settings.read_text(path, "baseline"), str(path))
    elif path is not None and path.exists():
        raise UsageError(f"{path} is not a file", hint="name the baseline's file")
    elif path is not None and not args.update_baseline:
        raise UsageError(f"there is no baseline {path}", hint="write it first: add --update-baseline")
    return ReportWish(args.format, fails, path, known, args.update_baseline, args.changed_since)


def tell(
    result: TrackResult, wish: ReportWish, touched: TouchedLines | None, *, quiet: bool = False
) -> ExitStatus:
    """Write the report unless `quiet`, and the baseline if that is wished; the exit status."""
    report = replace(result.report, version=__version__)
    report = compare(report, wish.known, result.unsure_of(wish.known))
    if wish.update and wish.baseline is not None:
        report = _update(report, wish, wish.baseline)
    if touched is not None:
        report = limited(report, touched, wish.since or "")
    if not quiet:
        sys.stdout.write(write_report(report, wish.format))
        sys.stdout.flush()
        for line in summary_lines(report):
            note(line)
    if report.settled and not wish.update:
        settled = counted(len(report.settled), "finding")
        note(f"\nhint: settled since the baseline was written: {settled}; --update-baseline takes them out")
    return ExitStatus.FINDINGS if any(map(wish.fails.fails, report.findings)) else ExitStatus.SUCCESS


def _update(report: Report, wish: ReportWish, path: Path) -> Report:
    after = new_baseline(report, wish.known)
    added, taken = len(set(after) - wish.known), len(wish.known - set(after))
    text = write_baseline(after)
    if not path.is_file() or jobs.load_settings.read_text(path, "baseline") != text:
        jobs.load_settings.write_text(path, text)
    note(f"{path}: {counted(len(after), 'known finding')}, {added} new, {taken} settled")
    if not _merges_by_union(path):
        note(
            "\nhint: git merges the baseline of two branches without conflicts if .gitattributes has\n"
            f"      {path.name} merge=union"
        )
    return replace(compare(report, after), settled=())


def _merges_by_union(path: Path) -> bool:
    attributes = path.parent / ".gitattributes"
    return attributes.is_file() and any(
        line.split()[:1] == [path.name] and "merge=union" in line.split()
        for line in jobs.load_settings.read_text(attributes, "attributes").splitlines()
    )
