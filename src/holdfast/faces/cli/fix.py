"""`holdfast fix`: links that can be mended without losing anything."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import ExitStatus
from holdfast.core.fixes import Declined, FixKind, Mended
from holdfast.core.hosts import HostRules
from holdfast.core.settings import Settings
from holdfast.faces.cli.console import json_document, note
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.faces.cli.track import paths_from
from holdfast.formats.unified_diff import unified_diff
from holdfast.wiring import run as run_async
from holdfast.wiring.tracking import open_fixer, track_fetcher

if TYPE_CHECKING:
    from holdfast.jobs.fix import DocumentFix, Fixer, LinkFix

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show, as a diff, the links in documents that can be mended: permanent redirects that were seen at two looks,
http where https has the same content, tracking parameters, links to files of your own that have other letters
or lie elsewhere. Nothing is written without --write; what is
written changes the links' own bytes and nothing else.

Run `holdfast track --fetch-urls` before: what is known is used. Only with --fetch-urls anything is asked
here: whether pages that are cited by http are the same by https, and redirects that were seen once.

Exit status 0 when there is nothing to mend or it was written, 1 when a diff was shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="documents and folders; by default this folder"
    )
    parser.add_argument("--write", action="store_true", help="change the documents")
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
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(
        parser, "ask_hosts", "skip_hosts", "skip_urls", "local_links", "root_dir", "content_rate_limit",
        "allow_private", "overrides", "state",
    )  # fmt: skip


def run(args: argparse.Namespace) -> ExitStatus:
    """Show what can be mended, or mend it."""
    paths = paths_from(args.paths)
    settings = settings_from(args, start=paths[0])
    with open_fixer(paths, settings, args.only) as fixer:
        documents = fixer.read()
        if settings.track.fetch_external_urls:
            asked = run_async(_ask(fixer, documents, settings))
            note(f"{asked} addresses asked" if asked != 1 else "1 address asked")
        fixes = fixer.plan(documents)
        if args.write:
            fixer.write(fixes)
    _show(fixes, as_json=args.json, written=args.write)
    changed = any(fix.mended for fix in fixes)
    return ExitStatus.FINDINGS if changed and not args.write else ExitStatus.SUCCESS


async def _ask(fixer: Fixer, documents: Sequence[str], settings: Settings) -> int:
    track = settings.track
    fetcher = track_fetcher(settings, os.environ)
    try:
        rules = HostRules(track.ask_hosts, track.skip_hosts, track.skip_urls)
        return await fixer.ask(documents, fetcher, rules)
    finally:
        await fetcher.close()


def _show(fixes: Sequence[DocumentFix], *, as_json: bool, written: bool) -> None:
    if as_json:
        json_document("fix", {"written": written, "documents": [_document(fix) for fix in fixes]})
        return
    for fix in fixes:
        diff = unified_diff(fix.path, fix.before, fix.after)
        sys.stdout.flush()
        sys.stdout.buffer.write(diff.encode("utf-8", "surrogateescape"))
    for fix in fixes:
        for link in fix.declined:
            reason = link.proposal.reason if isinstance(link.proposal, Declined) else ""
            span = link.mention.span
            place = f"{fix.path}:{span.line}:{span.column}"
            note(f"{place}: left alone: {link.mention.raw}: {reason}")
    links = sum(len(fix.mended) for fix in fixes)
    documents = sum(bool(fix.mended) for fix in fixes)
    said = "mended" if written else "can be mended"
    note(f"{links} link{'s'[: links != 1]} {said} in {documents} document{'s'[: documents != 1]}")
    if links and not written:
        note("\nhint: --write changes the documents")


def _document(fix: DocumentFix) -> dict[str, Any]:
    return {
        "document": fix.path,
        "mended": [_link(link) for link in fix.mended],
        "declined": [_link(link) for link in fix.declined],
    }


def _link(link: LinkFix) -> dict[str, Any]:
    span = link.mention.span
    values: dict[str, Any] = {
        "line": span.line,
        "column": span.column,
        "start": span.start,
        "end": span.end,
        "url": link.mention.raw,
    }
    match link.proposal:
        case Mended(url, kinds):
            return {**values, "new_url": url, "why": list(kinds)}
        case Declined(reason):
            return {**values, "reason": reason}
