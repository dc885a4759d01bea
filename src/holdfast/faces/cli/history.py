"""`holdfast history`: what a URL said, capture by capture."""

from __future__ import annotations

import argparse
from typing import Any

from holdfast.core.errors import ExitStatus, UsageError
from holdfast.core.hashing import UrlKey, url_key
from holdfast.core.ledger import Observation
from holdfast.core.recipe import Recipe
from holdfast.core.refusal import Refused
from holdfast.core.settings import Settings
from holdfast.core.shortcut import canonical_text
from holdfast.faces.cli.console import json_document, loggable, note, out, style
from holdfast.faces.cli.figures import iso, rows, short, when
from holdfast.faces.cli.flags import add_settings, settings_from, web_policy_from
from holdfast.wiring import read_store

HELP = """Show what a URL said, capture by capture, the oldest first.

A capture that brought something new starts an item; one that saw the same again is an observation of it. A
URL is looked up by its `web` key, so every way to write it that `holdfast canon` calls equal finds it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--version", metavar="V", help="only items of this normalization version")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    add_settings(parser, "state", "overrides")


def run(args: argparse.Namespace) -> ExitStatus:
    """Show them."""
    settings = settings_from(args)
    url, key = web_key_of(args.url, settings)
    recipe = Recipe.parse(args.version) if args.version else None
    with read_store(settings) as store:
        found = list(store.ledger.history.of_url(key, recipe))
        forgotten = [stone for stone in store.ledger.forgetting.tombstones() if stone.place.web_key == key]
    if args.json:
        facts = [observation_facts(observation) for observation in found]
        json_document("history", {"url": url, "web_key": key, "captures": facts})
    elif found:
        _print(found)
    else:
        note(f"nothing is known of {url}")
    for stone in forgotten:
        note(f"{stone.place.url} was forgotten on {when(stone.forgotten_at)} UTC")
    return ExitStatus.SUCCESS if found else ExitStatus.FINDINGS


def web_key_of(text: str, settings: Settings) -> tuple[str, UrlKey]:
    """The canonical form by which every table finds a URL, and its key (ID-12)."""
    canonical = canonical_text(web_policy_from(settings))(text)
    if isinstance(canonical, Refused):
        raise UsageError(f"{loggable(text)}: {canonical}")
    return canonical, url_key(canonical)


def observation_facts(observation: Observation) -> dict[str, Any]:
    """A capture as JSON has it."""
    capture, item = observation.capture, observation.item
    return {
        "capture_id": capture.capture_id,
        "run_id": capture.run_id,
        "fetched_at": iso(capture.fetched_at),
        "url": capture.url,
        "final_url": capture.final_url,
        "canonical_url": capture.canonical_url,
        "status": capture.status,
        "content_type": capture.content_type,
        "payload_sha256": capture.payload_sha256,
        "item_id": item.item_id if item else None,
        "content_sha256": item.content_sha256 if item else None,
        "normalization_version": str(item.recipe) if item else None,
        "title": item.title if item else None,
        "new": observation.is_new,
    }


def _print(found: list[Observation]) -> None:
    table = [("FETCHED", "STATUS", "", "CONTENT", "ITEM", "RUN", "TITLE")]
    for observation in found:
        capture, item = observation.capture, observation.item
        what = "-" if item is None else "new" if observation.is_new else "same"
        ids = (short(item.content_sha256), short(item.item_id)) if item else ("-", "-")
        title = item.title if item else ""
        table.append(
            (when(capture.fetched_at), str(capture.status), what, *ids, short(capture.run_id), title)
        )
    head, *lines = rows(table)
    out(style(head, "bold"))
    for line, observation in zip(lines, found, strict=True):
        out(line if observation.is_new else style(line, "dim"))
