"""`holdfast backlinks`: who cites a URL, a host, or whatever matches a pattern."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from holdfast.core.citation import Backlink
from holdfast.core.citing import place_of_text
from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.settings import Settings
from holdfast.faces.cli.citing import backlink_json, place_json, place_words, where
from holdfast.faces.cli.console import json_document, note, out
from holdfast.faces.cli.flags import add_settings, settings_from
from holdfast.wiring import Store, read_store
from holdfast.wiring.tracking import web_policy

__all__ = ["HELP", "add_arguments", "run"]

HELP = """\
Show which documents cite a URL, anything on a host, or whatever matches a pattern with `*`, `?` or `[…]`:
document, line and column, the URL as written. A URL is found by its identity, however it is written. Mirrored
pages that link to a URL are shown too. Nothing is asked."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("target", metavar="URL|HOST|PATTERN", help="what is cited")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser, "state")


def run(args: argparse.Namespace) -> ExitStatus:
    """Answer from the ledger."""
    settings = settings_from(args)
    with read_store(settings) as store:
        if "://" in args.target and not set("*?[").intersection(args.target.partition("?")[0]):
            _of_url(args.target, settings, store, as_json=args.json)
        elif set("*?[").intersection(args.target):
            _show(args.target, store.ledger.citations.backlinks_like(args.target), as_json=args.json)
        else:
            _show(
                args.target, store.ledger.citations.backlinks_of_host(args.target.lower()), as_json=args.json
            )
    return ExitStatus.SUCCESS


def _of_url(target: str, settings: Settings, store: Store, *, as_json: bool) -> None:
    named = place_of_text(target, web_policy(settings))
    if named is None:
        raise UsageError(f"{target} is no URL", hint="give a whole URL, a host name, or a pattern with *")
    place = store.ledger.citations.place(named.web_key)
    backlinks = store.ledger.citations.backlinks(named.web_key)
    pages = [link.page.url for link in store.ledger.pages.pages_linking_to(named.web_key)]
    mirrored = [page.path for page in store.ledger.pages.mirrored(named.web_key)]
    if as_json:
        json_document(
            "backlinks",
            {
                "target": named.url,
                "node": place_json(place) if place else None,
                "mirrored_as": mirrored,
                "backlinks": [backlink_json(backlink) for backlink in backlinks],
                "pages": pages,
            },
        )
        return
    note(f"{named.url}: {place_words(place) if place else 'not cited by any document'}")
    for name in mirrored:
        note(f"  mirrored as {name}")
    for backlink in backlinks:
        out(_line(backlink))
    for page in dict.fromkeys(pages):
        out(f"{page} (a mirrored page)")


def _show(target: str, backlinks: Iterable[Backlink], *, as_json: bool) -> None:
    if not as_json:
        for backlink in backlinks:
            out(_line(backlink))
        return
    rows = [backlink_json(backlink) for backlink in backlinks]
    json_document("backlinks", {"target": target, "backlinks": rows})


def _line(backlink: Backlink) -> str:
    return f"{where(backlink.document, backlink.citation)}  {backlink.citation.mention.raw}"
