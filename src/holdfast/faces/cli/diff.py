"""`holdfast diff`: what changed between two versions of a URL, or in a run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.recipe import Recipe
from holdfast.core.settings import Settings
from holdfast.core.versions import Version, choose, latest_recipe, versions_of
from holdfast.faces.cli.console import harmless, json_document, note, out, style
from holdfast.faces.cli.figures import iso, when
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.faces.cli.history import web_key_of
from holdfast.formats.diff_page import diff_table, html_page
from holdfast.formats.text_diff import Hunk, added_and_removed, compare, unified
from holdfast.wiring import Store, read_store
from holdfast.wiring.upkeep import distill_options

if TYPE_CHECKING:
    from holdfast.jobs.recall import Digest

HELP = """\
Show what changed between two versions of a URL, as Markdown, or everything that changed in a run.

A and B are versions: a number (see `holdfast history`), a date, or a run. With none the last two versions are
compared, with one that version and the last. Versions of one normalization version are compared, by default
the latest; --version names another. Nothing is fetched: versions are made anew from the archive."""

_COLOURS = {"-": "red", "+": "green", "@": "blue"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL", nargs="?")
    parser.add_argument("a", metavar="A", nargs="?", help="the older version")
    parser.add_argument("b", metavar="B", nargs="?", help="the newer version")
    parser.add_argument("--run", dest="of_run", metavar="R", help="all that changed in a run")
    parser.add_argument("--version", metavar="V", help="versions of this normalization version")
    parser.add_argument("--context", type=int, default=3, metavar="N", help="lines around a change (3)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--html", action="store_true", help="one HTML page, complete in itself")
    add_settings(parser, "state", "overrides", "content")


def run(args: argparse.Namespace) -> ExitStatus:
    """Compare, and show it."""
    settings = settings_from(args)
    if args.of_run is not None:
        if args.url is not None:
            raise UsageError("give a URL or --run, not both")
        with read_store(settings) as store:
            return _show_run(args, store, settings)
    if args.url is None:
        raise UsageError("which URL?", hint="or --run R, for everything that changed in a run")
    with read_store(settings) as store:
        return _show_url(args, store, settings)


def _show_url(args: argparse.Namespace, store: Store, settings: Settings) -> ExitStatus:
    from holdfast.jobs.recall import markdown_of  # noqa: PLC0415 # lazy: the parsers

    url, key = web_key_of(args.url, settings)
    seen = list(store.ledger.history.of_url(key))
    recipe = Recipe.parse(args.version) if args.version else latest_recipe(seen)
    versions = versions_of(seen, recipe) if recipe else ()
    if not versions:
        note(f"nothing is known of {url}" + (f" under {recipe}" if recipe else ""))
        return ExitStatus.FINDINGS
    old, new = _pair(args, versions)
    options = distill_options(settings)
    before, after = (markdown_of(store.archive, version, options) for version in (old, new))
    hunks = compare(before, after, max(args.context, 0))
    if args.json:
        _json(url, old, new, hunks)
    elif args.html:
        _html(f"{url}: version {old.number} to {new.number}", _url_body(url, old, new, hunks))
    else:
        _print(url, old, new, hunks)
    return ExitStatus.SUCCESS


def _pair(args: argparse.Namespace, versions: tuple[Version, ...]) -> tuple[Version, Version]:
    if args.a is None:
        return versions[max(len(versions) - 2, 0)], versions[-1]
    return choose(versions, args.a), choose(versions, args.b) if args.b else versions[-1]


def _print(url: str, old: Version, new: Version, hunks: tuple[Hunk, ...]) -> None:
    if not hunks:
        same = "there is only one version" if old.number == new.number else "the Markdown is the same"
        note(f"{url}: no difference between version {old.number} and {new.number} ({same})")
        return
    out(style(f"--- {url}  version {old.number}, {when(old.first_seen)}", "bold"))
    out(style(f"+++ {url}  version {new.number}, {when(new.first_seen)}", "bold"))
    _print_hunks(hunks)


def _print_hunks(hunks: Iterable[Hunk]) -> None:
    for mark, line in unified(tuple(hunks)):
        safe = harmless(line)
        out(style(safe, _COLOURS[mark]) if mark in _COLOURS else safe)


def _json(url: str, old: Version, new: Version, hunks: tuple[Hunk, ...]) -> None:
    added, removed = added_and_removed(hunks)
    document = {
        "url": url,
        "normalization_version": str(new.item.recipe),
        "a": _version_facts(old),
        "b": _version_facts(new),
        "added": added,
        "removed": removed,
        "hunks": [_hunk_facts(hunk) for hunk in hunks],
    }
    json_document("diff", document)


def _version_facts(version: Version) -> dict[str, Any]:
    return {
        "number": version.number,
        "item_id": version.item.item_id,
        "content_sha256": version.item.content_sha256,
        "title": version.item.title,
        "first_seen": iso(version.first_seen),
        "last_seen": iso(version.last_seen),
        "run_id": version.item.run_id,
    }


def _hunk_facts(hunk: Hunk) -> dict[str, Any]:
    return {
        "old_start": hunk.old_start,
        "old_count": hunk.old_count,
        "new_start": hunk.new_start,
        "new_count": hunk.new_count,
        "lines": [{"mark": mark, "text": text} for mark, text in hunk.lines],
    }


def _url_body(url: str, old: Version, new: Version, hunks: tuple[Hunk, ...]) -> Iterator[str]:
    yield f'<p><a href="{escape(url)}" rel="noreferrer">{escape(url)}</a></p>\n'
    yield f"<p>Version {old.number}, first seen {when(old.first_seen)} UTC, and version {new.number}, "
    yield f"first seen {when(new.first_seen)} UTC.</p>\n"
    yield from diff_table(hunks) if hunks else ["<p>No difference.</p>\n"]


def _html(title: str, body: Iterable[str]) -> None:
    sys.stdout.writelines(html_page(title, body))


def _show_run(args: argparse.Namespace, store: Store, settings: Settings) -> ExitStatus:
    from holdfast.faces.cli import run_digest  # noqa: PLC0415 # lazy: the parsers
    from holdfast.jobs.recall import digest_of  # noqa: PLC0415 # lazy: as above

    record = store.ledger.runs.run(args.of_run)
    if record is None:
        raise UsageError(f"there is no run {args.of_run!r}", hint="`holdfast runs` lists them")
    digest: Digest = digest_of(store.ledger, store.archive, record, distill_options(settings))
    if args.json:
        json_document("digest", run_digest.facts(digest))
    elif args.html:
        _html(run_digest.title(digest), run_digest.body(digest))
    else:
        run_digest.show(digest, _print_hunks)
    return ExitStatus.SUCCESS
