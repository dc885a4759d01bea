"""Answers about URLs alone: their canonical form, their name on disk, the URL of a name."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.canonical import Explained
from holdfast.core.identity import Identity
from holdfast.core.refusal import Refused

__all__ = ["CanonAnswer", "PathAnswer", "ReverseAnswer"]


class CanonAnswer(NamedTuple):
    """A URL as given, and its canonical form with the rules that fired; or why it has none."""

    input: str
    identity: Identity
    found: Explained | Refused

    @property
    def explained(self) -> Explained | None:
        """The canonical form and the rules, where there is one."""
        return self.found if isinstance(self.found, Explained) else None

    @property
    def refused(self) -> Refused | None:
        """Why there is none."""
        return self.found if isinstance(self.found, Refused) else None


class PathAnswer(NamedTuple):
    """A URL as given, its canonical form and the file it has in a mirror; or why it has none."""

    input: str
    canonical: str | None
    path: str | None
    refused: Refused | None = None


class ReverseAnswer(NamedTuple):
    """A path as given, and the URL of that file, if the name or a file beside it tells."""

    input: str
    url: str | None
