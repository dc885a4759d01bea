"""What the crawl notes beside a frontier entry, to find it there after a restart.

A note is words (why an entry failed), and the facts that the rules need again: what a page names as its
canonical, how a comparison ended, whose capture waits in the archive, until when a host wants to be left
alone; whether the entry belongs to the final pass; `turn`, its number among all that took effect since that
pass began (before, effects come in the order of the frontier); whether it took effect before a crash and is
to do so `again`; the gist of what it said, and whether its links were left alone for that (`dead_end`).

The ledger keeps it as plain words, or as a JSON object of facts.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from holdfast.core.base.hashing import UrlKey
from holdfast.core.base.values import dataclass


@dataclass(frozen=True, slots=True)
class EntryNote:
    """The facts; what is absent is not known."""

    words: str = ""
    names: str | None = None
    alike: bool | None = None
    waiting: UrlKey | None = None
    until: datetime | None = None
    asked_at: datetime | None = None
    final: bool = False
    again: bool = False
    turn: int = 0
    gist: str = ""
    dead_end: bool = False


NO_NOTE: Final = EntryNote()


_MARKS: Final = ("final", "again", "turn", "gist", "dead_end")


def note_text(note: EntryNote) -> str:
    """A note as text."""
    if note is NO_NOTE:
        return ""
    facts: dict[str, Any] = {}
    if note.names is not None:
        facts["names"] = note.names
    if note.alike is not None:
        facts["alike"] = note.alike
    if note.waiting is not None:
        facts["waiting"] = note.waiting
    if note.until is not None:
        facts["until"] = note.until.isoformat()
    if note.asked_at is not None:
        facts["asked_at"] = note.asked_at.isoformat()
    facts |= {name: value for name in _MARKS if (value := getattr(note, name))}
    if not facts:
        return note.words
    if note.words:
        facts["words"] = note.words
    return json.dumps(facts, ensure_ascii=False)


def read_note(text: str) -> EntryNote:
    """Read what `note_text` wrote."""
    if not text:
        return NO_NOTE
    if not text.startswith("{"):
        return EntryNote(text)
    facts = json.loads(text)
    until, asked_at = facts.get("until"), facts.get("asked_at")
    return EntryNote(
        words=facts.get("words", ""),
        names=facts.get("names"),
        alike=facts.get("alike"),
        waiting=facts.get("waiting"),
        until=datetime.fromisoformat(until) if until else None,
        asked_at=datetime.fromisoformat(asked_at) if asked_at else None,
        **{name: facts[name] for name in _MARKS if name in facts},
    )
