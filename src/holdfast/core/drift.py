"""Drift: how much a revision differs from the one before, between 0 and 1.

1. Drift is 1 minus the resemblance of the two texts' word shingles (`core.similarity`): 0 for the same
   words in the same order, 1 for nothing in common. It is rounded to three digits, upward from 0 and
   downward from 1: only equal texts have a drift of 0.
2. A changed title is said beside it: it is a sign of its own that a page is about something else now.
3. Texts of other than pages (images, archives) have no drift: their bytes differ or they do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.core.similarity import resemblance, shingles
from holdfast.core.values import dataclass

__all__ = ["Drift", "drift_between", "read_drift"]


@dataclass(frozen=True, slots=True, order=True)
class Drift:
    """How much of a page is different, and whether its title is."""

    amount: float
    title_changed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"amount": self.amount, "title_changed": self.title_changed}


def drift_between(old: str, new: str, *, old_title: str = "", new_title: str = "") -> Drift:
    """The drift from one text to the next."""
    titles_differ = " ".join(old_title.split()) != " ".join(new_title.split())
    if old == new:
        return Drift(0.0, titles_differ)
    amount = 1 - resemblance(shingles(old), shingles(new))
    edge = 0.001 if amount < 0.001 else 0.999 if 0.999 < amount < 1 else amount
    return Drift(round(edge, 3), titles_differ)


def read_drift(value: object) -> Drift | None:
    """What `as_dict` wrote; None where there is none."""
    if not isinstance(value, Mapping) or not isinstance(value.get("amount"), (int, float)):
        return None
    return Drift(float(value["amount"]), bool(value.get("title_changed")))
