"""What a run of tracking found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from holdfast.core.answers.citations import CitedUrl
from holdfast.core.answers.events import Occurrence, cited_event
from holdfast.core.citation import Backlink, LedgerEvent
from holdfast.core.citation_state import standing
from holdfast.core.event_kind import EventKind
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.report import Report
from holdfast.questions.track.planning import Cited, TrackPlan
from holdfast.questions.track.read_report import ReadReport

__all__ = ["TrackResult"]

_NOTHING: Final = Report((), {})


@dataclass(frozen=True, slots=True, repr=False)  # asyncio writes out what it returns, however long
class TrackResult:
    """What a run found; `report` is what somebody may have to act on."""

    read: ReadReport
    plan: TrackPlan
    cited: tuple[Cited, ...]
    asked: int
    events: tuple[LedgerEvent, ...]
    manifests: tuple[str, ...]
    eager: bool = False
    is_whole: bool = True
    report: Report = _NOTHING

    @property
    def states(self) -> Counter[str]:
        """How many URLs are in each state."""
        return Counter(entry.node.state for entry in self.cited)

    @property
    def standings(self) -> Counter[Standing]:
        """How many URLs are alive, suspect, dead, unknown."""
        return Counter(standing(entry.node, eager=self.eager) for entry in self.cited)

    @property
    def dead(self) -> tuple[Cited, ...]:
        """The dead that are cited where no ignore covers it."""
        return tuple(
            entry
            for entry in self.cited
            if entry.counts and standing(entry.node, eager=self.eager) is Standing.DEAD
        )

    @property
    def urls(self) -> tuple[CitedUrl, ...]:
        """Every cited URL, what its state means, and its citations."""
        return tuple(
            CitedUrl(entry.node, standing(entry.node, eager=self.eager), tuple(entry.backlinks))
            for entry in self.cited
        )

    @property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """What happened to URLs, and who cites them."""
        citations = {entry.node.place.web_key: tuple(entry.backlinks) for entry in self.cited}
        return tuple(cited_event(event, citations.get(event.place.web_key, ())) for event in self.events)

    @property
    def changes(self) -> tuple[Occurrence, ...]:
        """The URLs with a new revision, and who cites them."""
        return tuple(event for event in self.occurrences if event.kind is EventKind.CHANGED)

    @property
    def fragments_missing(self) -> tuple[Backlink, ...]:
        """The citations whose section is not there."""
        return tuple(
            backlink
            for entry in self.cited
            for backlink in entry.backlinks
            if backlink.citation.finding == LinkState.FRAGMENT_MISSING and not backlink.citation.ignored
        )
