"""What `fix` would propose for a cited URL, by what is known; nothing is asked, no document is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from holdfast.core.answers.fixing import ProposedFix, ProposedFixes
from holdfast.core.fixes import mend
from holdfast.core.policy import Policy
from holdfast.ports import Archive, Ledger
from holdfast.questions.history import find_place
from holdfast.questions.track.facts import LedgerFacts

__all__ = ["proposed_fixes"]

T = TypeVar("T")


class _OpenStore(NamedTuple):
    """A ledger and an archive, where one thing happens at a time (the `Keeper` port)."""

    ledger: Ledger
    archive: Archive

    def now(self, question: Callable[[Ledger, Archive], T]) -> T:
        """Put a question."""
        return question(self.ledger, self.archive)


def proposed_fixes(ledger: Ledger, archive: Archive, url: str, policy: Policy) -> ProposedFixes:
    """What can be mended without losing anything, and what looks so and is left alone."""
    named = find_place(ledger, url, policy)
    node = ledger.citations.place(named.web_key) if named else None
    if named is None or node is None:
        return ProposedFixes(url, ())
    facts = LedgerFacts(_OpenStore(ledger, archive), policy, compares=True)
    found = [
        ProposedFix(link, proposal)
        for link in ledger.citations.backlinks(named.web_key)
        if (proposal := mend(link.citation, node, policy, facts)) is not None
    ]
    return ProposedFixes(named.url, tuple(found))
