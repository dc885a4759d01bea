"""How an entry came out, before anybody decided what follows."""

from __future__ import annotations

from holdfast.core.capture import Deferred, Failed, Fetched, Gone, Outcome, TimedOut
from holdfast.core.crawl.harvest import Harvest, Unreadable
from holdfast.core.entry_note import EntryNote
from holdfast.core.ledger import EntryState
from holdfast.core.lineage import RecordRef
from holdfast.core.place import Place
from holdfast.core.response import Response
from holdfast.core.values import dataclass

__all__ = ["LeftAlone", "Named", "Result"]


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """An entry that was not asked for, and how it ends."""

    end: EntryState
    note: EntryNote


@dataclass(frozen=True, slots=True)
class Named:
    """What an entry leads to, and the address to fetch it from. `is_same`: the entry redirects there, so that
    it is where the entry is in the frontier; otherwise it is found on the entry's page.
    """

    place: Place
    href: str
    is_same: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """How an entry came out. No outcome: it was not asked for, an earlier run has the page; `kept` says how
    it ends. `ref` is set when the capture was read from the archive; `final`: this is the last pass, nothing
    waits any more. `beside` is another answer that was needed for it: the page that named its own
    Markdown, or Markdown that was not taken; `confirms`: see `Response`. `named` is what an entry that is not
    read again leads to: what it is another name of, or names as canonical.
    """

    outcome: Outcome | None
    made: Harvest | Unreadable | None = None
    ref: RecordRef | None = None
    final: bool = False
    kept: LeftAlone | None = None
    beside: Response | None = None
    confirms: str | None = None
    named: Named | None = None

    @property
    def is_failure(self) -> bool:
        """Whether nothing came of it, for now or for good."""
        match self.outcome:
            case Fetched():
                return not isinstance(self.made, Harvest)
            case Deferred():
                return self.final
            case Failed() | Gone() | TimedOut():
                return True
            case _:
                return False

    @property
    def may_pass(self) -> bool:
        """Whether it failed in a way that may pass."""
        outcome = self.outcome
        return isinstance(outcome, TimedOut) or (isinstance(outcome, Failed) and outcome.transient)

    @property
    def weight(self) -> int:
        """How many bytes of answers it holds."""
        beside = len(self.beside.capture.body) if self.beside else 0
        return beside + (len(self.outcome.capture.body) if isinstance(self.outcome, Fetched) else 0)
