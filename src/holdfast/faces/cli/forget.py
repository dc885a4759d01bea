"""`holdfast forget`: take a URL or a host out of ledger, archive and mirror."""

from __future__ import annotations

import argparse
import re

from holdfast import jobs
from holdfast.core.base.errors import ExitStatus
from holdfast.faces.cli.console import answer, note
from holdfast.faces.cli.flags import add_settings, say_what_is_odd, settings_from
from holdfast.jobs.upkeep.forget_row import forgotten_line

HELP = """\
Take everything that was seen of a URL, or of a whole host, out of ledger, archive and mirror. A tombstone
stays: the address and when it was forgotten. A mirror does not fetch it again.

This cannot be undone, and is the one thing that removes history."""

_HOST = re.compile(r"[^/\s]+\Z")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument(
        "what", metavar="URL|HOST", help="`https://example.com/page`, `example.com`, `h:8080`"
    )
    add_settings(parser, "store", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Forget, and say what."""
    settings = settings_from(args)
    if _HOST.match(args.what):
        done = jobs.running.run(jobs.upkeep.forget.forget_places(settings, host=args.what.lower()))
    else:
        say_what_is_odd(settings)
        done = jobs.running.run(jobs.upkeep.forget.forget_places(settings, url=args.what))
    if args.json:
        answer("forget", done)
    note(forgotten_line(done, args.what))
    return ExitStatus.SUCCESS if done.places else ExitStatus.FINDINGS
