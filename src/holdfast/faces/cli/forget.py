"""`holdfast forget`: take a URL or a host out of ledger, archive and mirror."""

from __future__ import annotations

import argparse
import re

from holdfast import wiring
from holdfast.core.errors import ExitStatus
from holdfast.core.redaction import shown
from holdfast.faces.cli.console import answer, note
from holdfast.faces.cli.figures import counted
from holdfast.faces.cli.flags import add_settings, say_what_is_odd, settings_from

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
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Forget, and say what."""
    settings = settings_from(args)
    if _HOST.match(args.what):
        done = wiring.loop.run(wiring.forgetting.forget_places(settings, host=args.what.lower()))
    else:
        say_what_is_odd(settings)
        done = wiring.loop.run(wiring.forgetting.forget_places(settings, url=args.what))
    facts = {"captures": done.purged.captures, "items": done.purged.items, "files": len(done.files)}
    if done.orphans:
        facts["orphans"] = done.orphans
    if args.json:
        answer("forget", done)
    if not done.places:
        note(f"nothing is known of {shown(args.what)}")
        return ExitStatus.FINDINGS
    if not any(facts.values()):
        note(f"there was nothing left to forget of {shown(args.what)}")
        return ExitStatus.SUCCESS
    counts = ", ".join(counted(count, name.removesuffix("s")) for name, count in facts.items())
    note(f"forgotten: {counted(len(done.places), 'address')} ({counts})")
    return ExitStatus.SUCCESS
