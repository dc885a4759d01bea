"""What is proposed for the citations of a URL."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.core.citation import Backlink
from holdfast.core.fixes import Declined, Mended

__all__ = ["ProposedFix", "ProposedFixes"]


@dataclass(frozen=True, slots=True)
class ProposedFix:
    """A citation, and what `fix` would write for it, or why it leaves it alone."""

    citation: Backlink
    proposal: Mended | Declined


@dataclass(frozen=True, slots=True)
class ProposedFixes:
    """What is proposed for every citation of a URL for which anything is."""

    url: str
    fixes: tuple[ProposedFix, ...]
