"""An event in words: one line for a title, and one for what else is known. Feeds, notifications and lists say
the same of the same event.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.answers.events import Occurrence
from holdfast.core.change_detail import SectionVerdict
from holdfast.core.event_kind import EventKind
from holdfast.core.redaction import shown
from holdfast.core.text_diff import unified

__all__ = ["diff_lines", "facts_of", "headline", "subject_of_event"]

_HEADS: Final = {EventKind.DIED: "Dead", EventKind.REVIVED: "Back"}
_TOLD: Final = (SectionVerdict.CHANGED, SectionVerdict.MISSING)


def headline(event: Occurrence) -> str:
    """What happened, and to what: `Changed: The handbook`."""
    return f"{_HEADS.get(event.kind, event.kind.capitalize())}: {subject_of_event(event)}"


def subject_of_event(event: Occurrence) -> str:
    """What it happened to, by its title where it has one; a run by the name of its mirror."""
    return event.title or (shown(event.url) if event.url else f"mirror {event.label}")


def facts_of(event: Occurrence) -> str:
    """What else is known, in a few words; an empty text where nothing is."""
    facts = [event.reason] if event.reason else []
    if event.drift is not None:
        facts.append(f"drift {event.drift.amount:g}{', new title' if event.drift.title_changed else ''}")
    facts += [
        f"the cited section #{name} {'is missing' if verdict is SectionVerdict.MISSING else 'changed'}"
        for name, verdict in event.sections.items()
        if verdict in _TOLD
    ]
    if event.kind is EventKind.MOVED and event.new:
        facts.append(f"to {shown(event.new)}")
    if event.kind is EventKind.DIED and event.new:
        facts.append(str(event.new).replace("_", " "))
    return ", ".join(facts)


def diff_lines(event: Occurrence) -> tuple[str, ...]:
    """The difference, line by line, where it was asked for."""
    return tuple(line for _, line in unified(event.page.hunks)) if event.page else ()
