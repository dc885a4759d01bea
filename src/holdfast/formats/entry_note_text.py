"""The note beside a frontier entry as the ledger keeps it: plain words, or a JSON object of facts."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from holdfast.core.entry_note import NO_NOTE, EntryNote

__all__ = ["note_text", "read_note"]

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
