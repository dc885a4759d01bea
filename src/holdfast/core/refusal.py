"""A refusal is a value: why something that looked like a URL, or was one, gets no further.

The reasons are a closed set; their words are shown to people and written to JSON, so a reason is
renamed only with a change of schema.
"""

from __future__ import annotations

from dataclasses import dataclass  # the standard one: all that knows a URL rests on this file
from enum import StrEnum

__all__ = ["Refusal", "Refused"]


class Refusal(StrEnum):
    """Why a text is not a canonical URL (ID-3, ID-6)."""

    RELATIVE = "relative"
    SCHEME = "scheme"
    UNPARSEABLE = "unparseable"
    EMPTY_LABEL = "empty_label"
    TOO_LONG = "too_long"
    ENDLESS = "endless"

    @property
    def sentence(self) -> str:
        """What a person is told."""
        return _SENTENCES[self]


_SENTENCES = {
    Refusal.RELATIVE: "a relative URL has no identity of its own",
    Refusal.SCHEME: "only http and https URLs have an identity",
    Refusal.UNPARSEABLE: "not a URL by the WHATWG rules (host, port or address is invalid)",
    Refusal.EMPTY_LABEL: "the host has an empty label",
    Refusal.TOO_LONG: "longer than 8,192 bytes in canonical form",
    Refusal.ENDLESS: "the rewrites of its host never end",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """No URL came out of it; `reason` says why."""

    reason: Refusal
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail or self.reason.sentence}"
