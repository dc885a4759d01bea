"""`holdfast fix`: links that can be mended without losing anything."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from holdfast import jobs
from holdfast.core.base.difference import unified_diff
from holdfast.core.base.errors import ExitStatus
from holdfast.core.links.mendable import FixKind
from holdfast.faces.cli.check_inputs import paths_from
from holdfast.faces.cli.console import answer, note, notes, out_content
from holdfast.faces.cli.flags import add_settings, add_shared, after_local_answer, settings_from
from holdfast.jobs.check.fixed import fix_notes

if TYPE_CHECKING:
    from holdfast.jobs.check.fixed import FixReport


HELP = """\
Show, as a diff, the links in documents that can be mended: permanent redirects that were seen at two looks,
http where https has the same content, tracking parameters, links to files of your own that have other letters
or lie elsewhere. Nothing is written without --write; what is written changes the links' own bytes and
nothing else. A redirect that would lose what was cited is left alone, with the reason: where a copy was kept,
it is compared with the page that answers now.

--only dead proposes for links that are confirmed dead the living page of the same content, if another cited
page or a page of a mirror is that, or a copy in a public archive (public_archive), which is asked only with
--fetch-urls; and says where the copy is that was kept.

Run `holdfast check --fetch-urls` before: what is known is used. Only with --fetch-urls anything is asked
here: whether pages that are cited by http are the same by https, and redirects that were seen once.

Exit status 0 when there is nothing to mend or it was written, 1 when a diff was shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="documents and folders; by default this folder"
    )
    parser.add_argument("--write", action="store_true", help="change the documents")
    add_shared(parser, "--dry-run")
    parser.add_argument(
        "--only",
        action="append",
        choices=tuple(kind.value for kind in FixKind),
        help="mend for this reason only; may be given again",
    )
    parser.add_argument(
        "--fetch-urls",
        dest="fetch_external_urls",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="consent to ask: the https form of pages, and redirects a second time",
    )
    add_settings(
        parser, "ask_hosts", "skip_hosts", "skip_urls", "local_links", "strict_local", "root_dir",
        "content_rate_limit", "public_archive", "allow_private", "overrides", "store",
    )  # fmt: skip


def run(args: argparse.Namespace) -> ExitStatus:
    """Show what can be mended, or mend it."""
    paths = paths_from(args.paths)
    settings = settings_from(args, start=paths[0])
    report = jobs.running.run(
        jobs.check.fix.fix_documents(
            paths, settings, os.environ, only=args.only, write=args.write and not args.dry_run
        )
    )
    if settings.check.asking.fetch_external_urls:
        note(f"{report.asked} addresses asked" if report.asked != 1 else "1 address asked")
    if args.json:
        answer("fix", report)
    else:
        _show(report)
    status = ExitStatus.FINDINGS if report.links and not report.written else ExitStatus.SUCCESS
    return after_local_answer(status, settings)


def _show(report: FixReport) -> None:
    for fix in report.documents:
        diff = unified_diff(fix.path, fix.before, fix.after)
        if sys.stdout.isatty():
            out_content(diff.rstrip("\n"))
            continue
        sys.stdout.flush()
        sys.stdout.buffer.write(diff.encode("utf-8", "surrogateescape"))
    notes(fix_notes(report))
