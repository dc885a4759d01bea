"""`holdfast search`: where something is said."""

from __future__ import annotations

import argparse

from holdfast.core.base.errors import ExitStatus
from holdfast.core.lineage.versions import moment_asked
from holdfast.core.page.section import SectionKind
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, reader_from
from holdfast.questions.search import search_lines

HELP = """Find where something is said: the sections of all pages that were kept, by their words.

All words must be there; "words in quotes" stand one after the other, `begin*` finds what begins so. Exact
names (`flask.Flask.route`, `route`) and titles come first. The index is a file beside the ledger,
`search.db`; the first search builds it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("words", metavar="WORDS", nargs="+")
    parser.add_argument(
        "--in", dest="site", metavar="HOST", help="only this host, or what is below this address"
    )
    parser.add_argument("--at", metavar="DATE", help="the sections as they were then")
    parser.add_argument(
        "--kind",
        choices=tuple(map(str, SectionKind)),
        help="only sections that are mostly this; api: entries",
    )
    parser.add_argument("--limit", type=int, default=10, metavar="N", help="at most so many (10)")
    add_settings(parser, "store", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Search."""
    at = moment_asked(args.at) if args.at else None
    with reader_from(args) as reader:
        kind = SectionKind(args.kind) if args.kind else None
        found = reader.search(_typed(args.words), site=args.site, at=at, kind=kind, limit=args.limit)
    if args.json:
        answer("search", found)
    elif found.hits:
        out_lines(search_lines(found, style))
    else:
        note("nothing was found")
    return ExitStatus.SUCCESS if found.hits else ExitStatus.FINDINGS


def _typed(words: list[str]) -> str:
    """The question as it was typed: what the shell took as one word with spaces was in quotes."""
    if len(words) == 1:
        return words[0]
    return " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
