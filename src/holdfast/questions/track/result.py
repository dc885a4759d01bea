"""What a run of tracking found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from holdfast.core.answers.citations import CitedUrl
from holdfast.core.answers.events import Occurrence, cited_event
from holdfast.core.citation import Backlink, CitedPlace, LedgerEvent
from holdfast.core.citation_state import standing
from holdfast.core.event_kind import EventKind
from holdfast.core.figures import counted
from holdfast.core.link_state import LinkState, Standing
from holdfast.core.redaction import shown
from holdfast.core.report import FindingKey, Report
from holdfast.core.values import dataclass
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
        happened = {event.place.web_key for event in self.events}
        if not happened:
            return ()
        citations = {
            key: tuple(entry.backlinks)
            for entry in self.cited
            if (key := entry.node.place.web_key) in happened
        }
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

    def unsure_of(self, known: Collection[FindingKey]) -> frozenset[str]:
        """The URLs of which this run cannot tell; of a part of the documents, all that it does not cite."""
        doubtful = (Standing.UNKNOWN, Standing.SUSPECT)
        cannot_tell = frozenset(
            shown(entry.node.place.url)
            for entry in self.cited
            if standing(entry.node, eager=self.eager) in doubtful
        )
        if self.is_whole:
            return cannot_tell
        cited = {shown(entry.node.place.url) for entry in self.cited}
        return cannot_tell | {key.subject.partition("#")[0] for key in known} - cited

    def hints(self, *, may_ask: bool) -> Iterator[str]:
        """Advice, one sentence each; `may_ask` is whether the user consented to asking."""
        if not may_ask and self.plan.asks:
            urls, hosts = counted(len(self.plan.asks), "URL"), counted(len(self.plan.hosts), "host")
            yield f"nothing was asked. --fetch-urls would ask {urls} on {hosts}; --plan lists them"
        states = self.states
        may_be_suspect = any(LinkState(state).standing is Standing.SUSPECT for state in states)
        if may_be_suspect and self.standings[Standing.SUSPECT]:
            yield (
                "what failed is not confirmed yet: run again. 404 and 410 count at the second look, other "
                "failures after three looks over 48 hours; --confirm takes the second look in the same run"
            )
        if states[LinkState.BOT_BLOCKED]:
            yield (
                "a server that turns programs away says nothing about the page: open it in a browser, "
                "or use skip_hosts"
            )
        if states[LinkState.REFUSED] and any(_is_denied(entry.node) for entry in self.cited):
            yield "private and loopback addresses are not asked; --allow-private asks them"
        if self.changes:
            yield "`holdfast diff URL` shows what changed"


def _is_denied(node: CitedPlace) -> bool:
    return node.state == LinkState.REFUSED and node.notes.evidence.rule == "denied-address"
