"""What the crawl writes beside a frontier entry, to find it there after a restart.

A note is plain words (why an entry failed), or a JSON object of the facts that the rules need again:
what a page names as its canonical, how a comparison ended, whose capture waits in the archive, until when
a host wants to be left alone; whether the entry belongs to the final pass, and whether it took effect there
before a crash (`again`); the how-many-eth page found by links it was (`turn`), the gist of what it said, and
whether its links were left alone for that (`dead_end`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from holdfast.core.hashing import UrlKey

__all__ = ["Note"]

_MARKS = ("final", "again", "turn", "gist", "dead_end")


@dataclass(frozen=True, slots=True)
class Note:
    """The facts; what is absent is not written."""

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

    def __str__(self) -> str:
        facts: dict[str, Any] = {}
        if self.names is not None:
            facts["names"] = self.names
        if self.alike is not None:
            facts["alike"] = self.alike
        if self.waiting is not None:
            facts["waiting"] = self.waiting
        if self.until is not None:
            facts["until"] = self.until.isoformat()
        if self.asked_at is not None:
            facts["asked_at"] = self.asked_at.isoformat()
        facts |= {name: value for name in _MARKS if (value := getattr(self, name))}
        if not facts:
            return self.words
        if self.words:
            facts["words"] = self.words
        return json.dumps(facts, ensure_ascii=False)

    @classmethod
    def parse(cls, text: str) -> Note:
        """Read what `str` wrote."""
        if not text.startswith("{"):
            return cls(text)
        facts = json.loads(text)
        until, asked_at = facts.get("until"), facts.get("asked_at")
        return cls(
            words=facts.get("words", ""),
            names=facts.get("names"),
            alike=facts.get("alike"),
            waiting=facts.get("waiting"),
            until=datetime.fromisoformat(until) if until else None,
            asked_at=datetime.fromisoformat(asked_at) if asked_at else None,
            **{name: facts[name] for name in _MARKS if name in facts},
        )
