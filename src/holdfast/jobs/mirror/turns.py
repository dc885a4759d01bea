"""Whose turn it is, where an update may not ask for all (MIR-16).

1. What is to be asked for waits first; its stored links are followed all the same. When nothing else is left
   to do, those have their turn that were looked at longest ago, as far as the budget goes. What they lead to
   waits as well: it goes first if nobody has looked at it.
2. Where the budget does not suffice, pages that nothing names any more wait among the others: their answers
   say whether they are gone, not a list.
3. How old a look is, the order of the runs in the ledger says, not a clock. What was asked is counted by the
   ledger, too: a run that was killed goes on with the same budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from holdfast.core.crawl.harvest import LeftAlone, Named
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import EntryState, FrontierEntry, StoredPage
from holdfast.core.url.url import Url, parse_url

if TYPE_CHECKING:
    from holdfast.core.crawl.state import CrawlPlan, CrawlState
    from holdfast.storage.ledger.ledger import Ledger


_WORDS: Final = "waits for its turn"
"""What is noted of an entry that waits, and stays noted when its turn has come."""


def waiting(named: Named | None) -> LeftAlone:
    """How an entry is left that waits for its turn, and what it leads to meanwhile."""
    return LeftAlone(EntryState.UNASKED, EntryNote(_WORDS, names=named.place.url if named else None))


class Turns:
    """The turns of one update. Without a budget it is everybody's."""

    def __init__(self, state: CrawlState) -> None:
        self.budget = state.plan.order.settings.scope.max_pages
        self._state = state
        self._has_unnamed = False

    def has_come_to(self, entry: FrontierEntry) -> bool:
        """Whether an entry need not wait, or not any more."""
        note = entry.note
        return self.budget is None or entry.attempts > 0 or note.final or note.words == _WORDS

    def choose(self, ledger: Ledger) -> bool:
        """Give those their turn that were looked at longest ago; whether there is something to do now."""
        if self.budget is None:
            return False
        run_id = self._state.plan.run_id
        left = self.budget - ledger.frontier.count_asked(run_id)
        if not self._has_unnamed and self.count_waiting(ledger) > left:
            self._has_unnamed = True
            if ledger.frontier.add_entries(run_id, list(self._unnamed(ledger))):
                return True
        return left > 0 and ledger.frontier.choose_entries(run_id, left) > 0

    def count_waiting(self, ledger: Ledger) -> int:
        """How many entries wait for their turn."""
        return ledger.frontier.count_entries(self._state.plan.run_id).get(EntryState.UNASKED, 0)

    def _unnamed(self, ledger: Ledger) -> Iterator[FrontierEntry]:
        """Entries for the pages that no list and no link led to."""
        plan, progress = self._state.plan, self._state.progress
        for page in ledger.pages.pages_without(plan.order.label, plan.run_id, tuple(EntryState)):
            if page.gone_at is None and page.place.web_key not in plan.forgotten and is_ours(page, plan):
                progress.position += 1
                yield FrontierEntry(
                    place=page.place,
                    fetch_url=page.fetch_url,
                    depth=page.facts.depth,
                    source=0,
                    position=progress.position,
                    listed=not progress.follow,
                )


def is_ours(page: StoredPage, plan: CrawlPlan) -> bool:
    """Whether a page of the mirror is one that this order would mirror."""
    url = parse_url(page.place.url)
    return isinstance(url, Url) and plan.scope.refusal(url) is None
