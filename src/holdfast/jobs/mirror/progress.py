"""Where a crawl stands, told: a line for each URL, `_progress.json` every 100 URLs, the room left (MIR-9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from holdfast.core.base.values import dataclass
from holdfast.core.lineage.ledger_values import FrontierEntry
from holdfast.core.lineage.lineage import New, Superseding, Unchanged, Verdict
from holdfast.core.mirror.checkpoint import PROGRESS, Progress, write_progress
from holdfast.core.url.redaction import shown

if TYPE_CHECKING:
    from holdfast.adapters.ports import Mirror
    from holdfast.core.crawl.state import CrawlState
    from holdfast.core.lineage.batch import Effect
    from holdfast.jobs.session import Session


EVERY: Final = 100
QUICK_COUNT: Final = 5_000
_MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of a group's files: those that were refused, with the reason, and how many entries the
    frontier has now, if that was asked.
    """

    refused: dict[str, str]
    total: int | None = None


class CrawlReporter:
    """Counts, and tells the observer."""

    def __init__(self, session: Session, folder: Mirror, state: CrawlState) -> None:
        self._session = session
        self._folder = folder
        self._state = state
        self._began = session.clock.monotonic()
        self._counted = self._began
        self._written = state.progress.processed // EVERY
        self.is_disk_low = self._low()

    @property
    def progress(self) -> Progress:
        """The crawl at this moment."""
        at = self._state.progress
        elapsed = self._session.clock.monotonic() - self._began
        return Progress(at.processed, max(at.total, at.processed), at.fresh, elapsed)

    def start(self, entry: FrontierEntry) -> None:
        """An entry is under way."""
        at = self._state.progress
        at.started += 1
        at.total = max(at.total, at.started)
        self._session.tell("processing", number=at.started, total=at.total, url=shown(entry.fetch_url))

    def wait(self) -> None:
        """The entry will be taken again in the final pass: it does not count twice."""
        self._state.progress.started -= 1

    def finish(self) -> None:
        """The entry has come to its end."""
        self._state.progress.processed += 1
        self._state.progress.fresh += 1
        self._session.tell("processed", progress=self.progress, outcomes=self._state.counts.outcomes)

    @property
    def wants_total(self) -> bool:
        """Whether it is time to count the frontier again; that takes the longer the longer it is."""
        return (
            self._state.progress.total < QUICK_COUNT or self._session.clock.monotonic() - self._counted > 1.0
        )

    def flushed(
        self, effects: Sequence[Effect], verdicts: Sequence[Verdict | None], flushed: Flushed
    ) -> None:
        """A group is durable; a page whose file the folder refused is not there, and is asked for again."""
        at, counts = self._state.progress, self._state.counts
        if flushed.total is not None:
            at.total = max(flushed.total, at.started)
            self._counted = self._session.clock.monotonic()
        for effect, verdict in zip(effects, verdicts, strict=True):
            if not flushed.refused or not any(path in flushed.refused for path, _ in effect.files):
                if (word := _word(verdict)) is not None:
                    counts.changes[word] += 1
            elif effect.finding.page is not None:
                counts.pages -= 1
        for path, reason in flushed.refused.items():
            counts.not_written(path, reason)
            self._session.warn(f"{path} was not written: {reason}")
        self.is_disk_low = self._low()

    @property
    def is_due(self) -> bool:
        """Whether another hundred is done that is worth a file."""
        return self._state.progress.processed // EVERY > self._written and self._has_news

    @property
    def _has_news(self) -> bool:
        return not (self._state.counts.kept and self._state.is_quiet)

    def tell(self) -> None:
        """Write `_progress.json`, where there is something to tell. It waits for the disk."""
        if self._has_news:
            self._written = self._state.progress.processed // EVERY
            self._folder.write(PROGRESS, write_progress(self.progress))

    def _low(self) -> bool:
        least = self._state.plan.order.settings.min_free_mb * _MEGABYTE
        return self._folder.free_bytes() < least


def _word(verdict: Verdict | None) -> str | None:
    match verdict:
        case New():
            return "new"
        case Unchanged():
            return "unchanged"
        case Superseding() as found:
            return "changed" if found.is_change else "new"
        case None:
            return None
