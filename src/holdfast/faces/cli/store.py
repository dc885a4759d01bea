"""`holdfast store …`: what keeps ledger and archive in order, a second word each.

A part is a row of `PARTS`: what help says, the flags, the work. `store prune` and `store reprocess` have
files of their own.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.core.base.figures import counted, size
from holdfast.faces.cli.console import RowCount, answer, note, notes, out_lines
from holdfast.faces.cli.flags import add_settings, say_what_is_odd, settings_from
from holdfast.faces.cli.parser import CommandPart
from holdfast.jobs.upkeep.forget_row import packed_lines
from holdfast.jobs.upkeep.store_commands import (
    adopted_lines,
    imported_lines,
    migrated_line,
    rebuilt_ledger_lines,
    rekeyed_lines,
)

_TOLD: Final = 100_000
"""URLs between two accounts of how far it is."""


def _taking(
    *places: tuple[str, str], settings: tuple[str, ...] = ()
) -> Callable[[argparse.ArgumentParser], None]:
    """The arguments of a part: its places with what they are, the store, further settings."""

    def add(parser: argparse.ArgumentParser) -> None:
        for name, words in places:
            count = {"FILE": "+", "VERSION": "?"}.get(name)
            parser.add_argument(name.lower(), nargs=count, metavar=name, help=words)
        add_settings(parser, "store", *settings)

    return add


def _migrate(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.check_store.migrate_ledger(settings_from(args))
    if args.json:
        answer("store-migrate", done)
    else:
        note(migrated_line(done))
    return ExitStatus.SUCCESS


def _rebuild(args: argparse.Namespace) -> ExitStatus:
    done = jobs.running.run(jobs.upkeep.salvage.rebuild_ledger(settings_from(args)))
    if args.json:
        answer("store-rebuild", done)
    notes(rebuilt_ledger_lines(done))
    return ExitStatus.SUCCESS


def _rekey(args: argparse.Namespace) -> ExitStatus:
    settings = settings_from(args)
    say_what_is_odd(settings)

    def tell(done: int, total: int) -> None:
        if done % _TOLD == 0:
            note(f"  {done} of {counted(total, 'URL')}")

    done = jobs.upkeep.rekey.rekey_state(settings, args.version, tell)
    if args.json:
        answer("store-rekey", done)
        return ExitStatus.SUCCESS
    notes(rekeyed_lines(done))
    return ExitStatus.SUCCESS


def _backup(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.copies.back_up(settings_from(args), Path(args.to))
    if args.json:
        answer("store-backup", done)
    else:
        note(f"{done.folder}: the ledger and {counted(done.files, 'archive file')}, {size(done.size)}")
    return ExitStatus.SUCCESS


def _copy(args: argparse.Namespace) -> ExitStatus:
    with RowCount() as count:
        done = jobs.upkeep.copies.copy_ledger_to(args.source, args.to, count.seen)
    if args.json:
        answer("store-copy", done)
    else:
        note(f"{counted(done.rows, 'row')} from {done.source} to {done.target}")
    return ExitStatus.SUCCESS


def _join(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.join.adopt_state(settings_from(args), Path(args.dir))
    if args.json:
        answer("store-join", done)
        return ExitStatus.SUCCESS
    notes(adopted_lines(done))
    return ExitStatus.SUCCESS


def _pack(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.prune.pack_archive(settings_from(args))
    if args.json:
        answer("store-pack", done)
    else:
        notes(packed_lines(done))
    return ExitStatus.FINDINGS if done.lost else ExitStatus.SUCCESS


def _index(args: argparse.Namespace) -> ExitStatus:
    out_lines(jobs.upkeep.check_store.archive_lines(settings_from(args)))
    return ExitStatus.SUCCESS


def _import(args: argparse.Namespace) -> ExitStatus:
    done = jobs.running.run(
        jobs.upkeep.take_in.import_warc(settings_from(args), [Path(name) for name in args.file])
    )
    if args.json:
        answer("store-import", done)
    notes(imported_lines(done))
    return ExitStatus.FINDINGS if done.flaws else ExitStatus.SUCCESS


PARTS: Final = {
    "store backup": CommandPart(
        """\
Copy ledger and archive to the folder TO, consistently, also while a mirror runs. To put a copy back,
copy the folder to where the store was; `--store TO` reads it where it is.""",
        _taking(("TO", "a folder that is not there yet")),
        _backup,
    ),
    "store copy": CommandPart(
        """\
Copy every row of the ledger SOURCE to the ledger TO, which has to be empty or not there yet. Each is a
store, or the address of a server: postgresql://user@host/database. The archive stays where it is; then
`ledger = "postgresql://…"` in holdfast.toml, or HOLDFAST_LEDGER, names the new one.""",
        _taking(("SOURCE", "the ledger that is there"), ("TO", "the ledger that is made")),
        _copy,
    ),
    "store join": CommandPart(
        """\
Bring the history that a mirror's folder DIR has of its own into that of its root (the nearest folder
above with a holdfast.toml or a history, or --store): there mirror and citations know each other. What
was the folder's own is kept beside it. Stopped anywhere, the same command goes on.""",
        _taking(("DIR", "the mirror's folder")),
        _join,
    ),
    "store migrate": CommandPart(
        """\
Apply the schema steps that this version of Holdfast brings; the file is copied first.""",
        _taking(),
        _migrate,
    ),
    "store rebuild": CommandPart(
        """\
Make a ledger from the archive and what lies beside it (archive/orphans): runs, captures, items,
lineage, links, files. A ledger that is there is kept beside the new one. What the archive does not tell
is said: captures of which it only has the answers are converted anew, under their own run.""",
        _taking(settings=("processes", "overrides")),
        _rebuild,
    ),
    "store rekey": CommandPart(
        """\
Make the keys anew by which everything that is known of a URL is joined: by the VERSION of the policy
`web` (`web@2`), or by the version the ledger has, with the overrides in force now. If it is killed, the
ledger has its old keys, and a second start goes on.""",
        _taking(("VERSION", "the version of `web`"), settings=("overrides",)),
        _rekey,
    ),
    "store pack": CommandPart(
        """\
Join the small files of the archive into full ones. In a bucket every batch of pages is an object of its
own. Files of more than half the size of a full one stay as they are.""",
        _taking(),
        _pack,
    ),
    "store index": CommandPart(
        """\
Print the CDXJ index by which pywb and other tools find records. The WARC files themselves are what such
tools read; they need no export.""",
        _taking(),
        _index,
    ),
    "store import": CommandPart(
        """\
Take in WARC files that others made, packed or plain: captures and items under a run of their own, to be
asked like all others. Records that cannot be read are named and skipped: exit status 1.

    holdfast store import crawl-2019.warc.gz --store archive-of-old""",
        _taking(("FILE", "*.warc or *.warc.gz"), settings=("processes",)),
        _import,
    ),
}
"""Each part of `holdfast store` by its whole name."""
