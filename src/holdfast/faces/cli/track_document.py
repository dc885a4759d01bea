"""What a run of tracking found, as JSON: for `--json`, and for the commands that `--on-change` starts."""

from __future__ import annotations

from typing import Any

from holdfast.core.citation import Backlink, LedgerEvent
from holdfast.core.link_state import Standing
from holdfast.faces.cli.citing import backlink_json, place_json
from holdfast.jobs.track import Cited, TrackResult

__all__ = ["change_document", "track_document"]


def track_document(result: TrackResult) -> dict[str, Any]:
    """All that is known, not only findings."""
    return {
        "documents": len(result.read.paths),
        "parsed": result.read.parsed,
        "asked": result.asked,
        "fresh": result.plan.fresh,
        "states": dict(sorted(result.states.items())),
        "standings": {each: result.standings[each] for each in Standing},
        "urls": [_url_document(entry, result) for entry in result.cited],
        "changed": [change_document(event, entry.backlinks) for event, entry in result.changed],
        "events": [_event(event) for event in result.events],
        "problems": [
            {"document": problem.path, "line": problem.line, "message": problem.message}
            for problem in result.read.problems
        ],
        "manifests": list(result.manifests),
    }


def _url_document(entry: Cited, result: TrackResult) -> dict[str, Any]:
    citations = [backlink_json(backlink) for backlink in entry.backlinks]
    return {**place_json(entry.place, eager=result.eager), "citations": citations}


def _event(event: LedgerEvent) -> dict[str, Any]:
    return {"kind": event.kind, "url": event.place.url, "old": event.old, "new": event.new}


def change_document(event: LedgerEvent, backlinks: list[Backlink]) -> dict[str, Any]:
    """A URL that changed, and who cites it."""
    return {**_event(event), "citations": [backlink_json(backlink) for backlink in backlinks]}
