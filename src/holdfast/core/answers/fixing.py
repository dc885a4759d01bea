"""What is proposed for the citations of a URL, and for the links of documents."""

from __future__ import annotations

from holdfast.core.citation import Backlink
from holdfast.core.fixes import Declined, Mended
from holdfast.core.page import Mention
from holdfast.core.values import dataclass

__all__ = ["DocumentFix", "FixReport", "LinkFix", "ProposedFix", "ProposedFixes"]


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


@dataclass(frozen=True, slots=True)
class LinkFix:
    """A link, and what is proposed for it."""

    mention: Mention
    proposal: Mended | Declined


@dataclass(frozen=True, slots=True)
class DocumentFix:
    """A document before and after, the links that are mended in it, and those that are left alone."""

    path: str
    before: bytes
    after: bytes
    mended: tuple[LinkFix, ...]
    declined: tuple[LinkFix, ...]


@dataclass(frozen=True, slots=True)
class FixReport:
    """What can be mended in each document, or was (`written`), and how many addresses were asked for that."""

    documents: tuple[DocumentFix, ...]
    written: bool
    asked: int = 0

    @property
    def links(self) -> int:
        """How many links can be mended, or were."""
        return sum(len(fix.mended) for fix in self.documents)
