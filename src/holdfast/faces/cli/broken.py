"""`holdfast broken`: the links that died."""

from __future__ import annotations

import argparse

from holdfast.core.errors import ExitStatus
from holdfast.core.link_state import FAILING, LinkState, Standing
from holdfast.core.look import standing
from holdfast.faces.cli.citing import backlink_json, citing_line, place_json
from holdfast.faces.cli.console import json_document, note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import read_store

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show every citation of a dead URL, as the last `holdfast track` left it. Dead is what was confirmed: 404 and
410 at the second look, other failures after three looks over 48 hours. Nothing is asked.

Exit status 0 when nothing is dead, 1 when something is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("--suspect", action="store_true", help="show what failed and is not confirmed, too")
    parser.add_argument("--eager", action="store_true", help="count every failure as dead")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer from the ledger."""
    wanted = {Standing.DEAD, *((Standing.SUSPECT,) if args.suspect else ())}
    with read_store(settings_from(args)) as store:
        failing = list(store.ledger.citations.places(tuple(FAILING)))
        places = [place for place in failing if standing(place, eager=args.eager) in wanted]
        rows = [(place, store.ledger.citations.backlinks(place.place.web_key)) for place in places]
    rows = [
        (place, tuple(link for link in backlinks if not link.citation.ignored)) for place, backlinks in rows
    ]
    rows = [(place, backlinks) for place, backlinks in rows if backlinks]
    dead = [place for place, _ in rows if standing(place, eager=args.eager) is Standing.DEAD]
    if args.json:
        urls = [
            {**place_json(place, eager=args.eager), "citations": [backlink_json(link) for link in backlinks]}
            for place, backlinks in rows
        ]
        json_document("broken", {"urls": urls})
    else:
        for place, backlinks in rows:
            for backlink in backlinks:
                out(citing_line(backlink, place, eager=args.eager))
        suspects = sum(LinkState(p.state) in FAILING and standing(p) is Standing.SUSPECT for p in failing)
        note(f"{len(dead)} dead, {suspects} suspect")
    return ExitStatus.FINDINGS if dead else ExitStatus.SUCCESS
