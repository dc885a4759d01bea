"""`holdfast notify`: notifications that wait: list them, send them, try a target, drop them."""

from __future__ import annotations

import argparse
import os

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus, UsageError
from holdfast.core.base.figures import counted
from holdfast.faces.cli.bars import say_deliveries
from holdfast.faces.cli.console import answer, note, out_lines, style
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.jobs.sync.notices import notice_lines

HELP = """\
Runs of `mirror` and `check` tell what is new or worse to the targets that holdfast.toml names
([notify.NAME]): a command, a webhook, a mail address, or whatever apprise reaches. Nothing is told twice.
What a target did not take is kept and tried again, after each run and by `holdfast sync --watch`, at longer
and longer intervals.

list      who is told, what waits for them and why, what was sent last
send      gather and send what waits now, whatever the time of day or of the next try; with --test a trial, to
          the named targets or to all
drop      drop what is waiting for the named target

The exit status is 1 when a target did not take what was sent."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("action", nargs="?", choices=("list", "send", "drop"), default="list")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the target, for drop")
    parser.add_argument(
        "--test", nargs="*", metavar="NAME", help="send a trial instead: to these targets, or to all"
    )
    add_settings(parser, "store")


def run(args: argparse.Namespace) -> ExitStatus:
    """Do what was asked."""
    if args.test is not None and args.action != "send":
        raise UsageError("--test is a trial of send", hint="holdfast notify send --test")
    return {"list": _list, "send": _send, "drop": _drop}[args.action](args)


def _list(args: argparse.Namespace) -> ExitStatus:
    found = jobs.sync.notify.list_notices(settings_from(args))
    if args.json:
        answer("notify-list", found)
        return ExitStatus.SUCCESS
    out_lines(notice_lines(found, style))
    if not found.targets:
        note("\nhint: add a [notify.NAME] to holdfast.toml to be told what happens")
    return ExitStatus.SUCCESS


def _send(args: argparse.Namespace) -> ExitStatus:
    settings = settings_from(args)
    if args.test is not None:
        _refuse_names(args)
        done = jobs.sync.notify.try_targets(settings, os.environ, args.test)
    else:
        _refuse_names(args)
        done = jobs.sync.notify.send_notices(settings, os.environ, at_once=True)
    if args.json:
        answer("notify-deliveries", done)
    say_deliveries(done)
    if not done.attempts:
        note("no notification is waiting")
    return ExitStatus.FINDINGS if done.failed else ExitStatus.SUCCESS


def _drop(args: argparse.Namespace) -> ExitStatus:
    if len(args.names) != 1:
        raise UsageError(
            "drop needs the name of one target", hint="`holdfast notify` lists what is waiting, by target"
        )
    done = jobs.sync.notify.drop_target(settings_from(args), args.names[0])
    if args.json:
        answer("notify-dropped", done)
    note(f"{done.target} waits for nothing any more; {counted(done.notices, 'notice')} dropped")
    return ExitStatus.SUCCESS


def _refuse_names(args: argparse.Namespace) -> None:
    if args.names:
        raise UsageError("send takes no names", hint="it sends everything that is waiting, to every target")
