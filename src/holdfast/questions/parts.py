"""Lists that may be long, a part at a time: what somebody asks who looks around."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.core.answers.browsing import CitedPart, Overview, PagesPart, RunNews
from holdfast.core.answers.changes import PageChange
from holdfast.core.policy import Policy
from holdfast.formats.graph import Graph
from holdfast.ports import Ledger
from holdfast.questions import browsing
from holdfast.questions.browsing import CitedFilter
from holdfast.questions.changes import require_run

__all__ = ["PartReader"]


@dataclass(frozen=True, slots=True)
class PartReader:
    """Each answer says after what the next part begins."""

    _ledger: Ledger
    _policy: Policy
    _is_idle: Callable[[], bool]

    def overview(self, name: str = "", runs: int = 60) -> Overview:
        """Mirrors, citations and the latest runs."""
        return browsing.overview(self._ledger, name, is_idle=self._is_idle(), runs=runs)

    def pages(self, label: str, after: str = "", limit: int = 100) -> PagesPart:
        """The pages of a mirror after a path."""
        return browsing.pages_part(self._ledger, label, after, limit)

    def run_news(self, name: str, after: str = "", limit: int = 50) -> RunNews:
        """What a run brought after a capture, without the differences."""
        return browsing.run_news(self._ledger, name, after, limit)

    def next_change(self, name: str, after: str = "") -> PageChange | None:
        """The next page that a run found changed, after a capture."""
        return browsing.next_change(self._ledger, require_run(self._ledger, name), after)

    def cited(self, wanted: CitedFilter, after: str = "", limit: int = 50) -> CitedPart:
        """Cited URLs after a URL, each with who cites it."""
        return browsing.cited(self._ledger, wanted, after, limit)

    def neighbourhood(self, target: str, limit: int = 40) -> Graph:
        """A document and what it cites, or a URL and who cites it."""
        return browsing.neighbourhood(self._ledger, target, self._policy, limit)
