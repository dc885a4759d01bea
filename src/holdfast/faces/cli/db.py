"""`holdfast db`: the ledger's file."""

from __future__ import annotations

import argparse
from pathlib import Path

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted, size
from holdfast.faces.cli.console import RowCount, answer, note, notes
from holdfast.faces.cli.flags import add_settings, say_what_is_odd, settings_from
from holdfast.jobs.upkeep.store_commands import (
    adopted_lines,
    migrated_line,
    rebuilt_ledger_lines,
    rekeyed_lines,
)

HELP = """Look after the ledger's file: bring its schema up to date, make it anew from the
archive, copy it, move it to a server or back, join two. `holdfast verify` checks it.

migrate   apply the schema steps that this version of Holdfast brings; the file is copied first.
rebuild   make a ledger from the archive and what lies beside it (archive/orphans): runs, captures, items,
          lineage, links, files. A ledger that is there is kept beside the new one. What the archive does not
          tell is said: captures of which it only has the answers are converted anew, under their own run.
rekey     make the keys anew by which everything that is known of a URL is joined: by the version TO of the
          policy `web` (`web@2`), or by the version the ledger has, with the overrides in force now. If it is
          killed, the ledger has its old keys, and a second start goes on.
backup    copy ledger and archive to the folder TO, consistently, also while a mirror runs. To put a copy
          back, copy the folder to where the state folder was; `--state TO` reads it where it is.
copy      copy every row of the ledger FROM to the ledger TO, which has to be empty or not there yet. Each is
          a state folder, or the address of a server: postgresql://user@host/database. The archive stays where
          it is; then `ledger = "postgresql://…"` in holdfast.toml, or HOLDFAST_LEDGER, names the new one.
adopt     bring the history that a mirror's folder DIR has of its own into that of its root (the nearest
          folder above with a holdfast.toml or a history, or --state): there mirror and citations know each
          other. What was the folder's own is kept beside it. Stopped anywhere, the same command goes on."""


_TOLD = 100_000
"""URLs between two accounts of how far it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", choices=tuple(_ACTIONS))
    parser.add_argument(
        "places",
        nargs="*",
        metavar="PLACE",
        help="for backup: TO, a folder that is not there yet; for copy: FROM and TO; for adopt: DIR; "
        "for rekey, if you like: `web@2`",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "workers", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Do what was asked."""
    wanted = {"backup": ("TO",), "copy": ("FROM", "TO"), "adopt": ("DIR",)}.get(args.action, ())
    is_rekey = args.action == "rekey" and len(args.places) <= 1
    if len(args.places) != len(wanted) and not is_rekey:
        what = " and ".join(wanted) or "no place"
        raise UsageError(f"{args.action} takes {what}", hint=" ".join(("holdfast db", args.action, *wanted)))
    return _ACTIONS[args.action](args)


def _migrate(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.check_store.migrate_ledger(settings_from(args))
    if args.json:
        answer("db-migrate", done)
    else:
        note(migrated_line(done))
    return ExitStatus.SUCCESS


def _rebuild(args: argparse.Namespace) -> ExitStatus:
    done = jobs.running.run(jobs.upkeep.salvage.rebuild_ledger(settings_from(args)))
    if args.json:
        answer("db-rebuild", done)
    notes(rebuilt_ledger_lines(done))
    return ExitStatus.SUCCESS


def _rekey(args: argparse.Namespace) -> ExitStatus:
    settings = settings_from(args)
    say_what_is_odd(settings)

    def tell(done: int, total: int) -> None:
        if done % _TOLD == 0:
            note(f"  {done} of {counted(total, 'URL')}")

    done = jobs.upkeep.rekey.rekey_state(settings, args.places[0] if args.places else None, tell)
    if args.json:
        answer("db-rekey", done)
        return ExitStatus.SUCCESS
    notes(rekeyed_lines(done))
    return ExitStatus.SUCCESS


def _backup(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.copies.back_up(settings_from(args), Path(args.places[0]))
    if args.json:
        answer("db-backup", done)
    else:
        note(f"{done.folder}: the ledger and {counted(done.files, 'archive file')}, {size(done.size)}")
    return ExitStatus.SUCCESS


def _adopt(args: argparse.Namespace) -> ExitStatus:
    done = jobs.upkeep.join.adopt_state(settings_from(args), Path(args.places[0]))
    if args.json:
        answer("db-adopt", done)
        return ExitStatus.SUCCESS
    notes(adopted_lines(done))
    return ExitStatus.SUCCESS


def _copy(args: argparse.Namespace) -> ExitStatus:
    source, target = args.places
    with RowCount() as count:
        done = jobs.upkeep.copies.copy_ledger_to(source, target, count.seen)
    if args.json:
        answer("db-copy", done)
    else:
        note(f"{counted(done.rows, 'row')} from {done.source} to {done.target}")
    return ExitStatus.SUCCESS


_ACTIONS = {
    "migrate": _migrate,
    "rebuild": _rebuild,
    "rekey": _rekey,
    "backup": _backup,
    "copy": _copy,
    "adopt": _adopt,
}
