"""Captures of which no ledger tells, and what a ledger is told of them when they come in (STA-7).

1. A page is a draft; the redirects on its own way to it are other names of it.
2. A 304 of a place that showed a page before confirms that page.
3. A redirect is a record of its own, before or after what it leads to: when all are in, each address that
   leads to a page, by however many of them, is another name of it.
4. Anything else is a capture alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Final

from holdfast.core.base.hashing import UrlKey, id_of
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.consequences import draft_of
from holdfast.core.crawl.harvest import Harvest
from holdfast.core.crawl.mirror_spec import Standard, place_of
from holdfast.core.lineage.ledger_values import Alias, AliasReason, Confirmed, Finding
from holdfast.core.lineage.lineage import CaptureRecord, Job, RecordRef, Run
from holdfast.core.url.url import Place, Url
from holdfast.core.web.capture import Capture
from holdfast.core.web.outcome import REDIRECTS, next_hop

_NOT_MODIFIED: Final = 304
_MOST_HOPS: Final = 20


@dataclass(frozen=True, slots=True)
class BroughtCapture:
    """A capture, where it came from, and where the archive has it, if it has. `record` is its row, where the
    ledger knows the capture and not what it shows. `is_own`: the store took it, after all that the ledger
    knows.
    """

    capture: Capture
    origin: str
    ref: RecordRef | None = None
    record: CaptureRecord | None = None
    is_own: bool = False


@dataclass(slots=True)
class TakenIn:
    """How many captures came in and how many items they made; what was left out, and why."""

    captures: int = 0
    items: int = 0
    left_out: list[str] = field(default_factory=list)

    def __iadd__(self, other: TakenIn) -> TakenIn:
        self.captures += other.captures
        self.items += other.items
        self.left_out += other.left_out
        return self


def run_to_take_in(label: str, standard: Standard, names: Sequence[str], now: datetime) -> Run:
    """The run under which captures come in; `names` say which captures: the same ones again are the same
    run.
    """
    return Run(
        run_id=id_of("taken in", label, str(standard.recipe), *names),
        job=Job.MIRROR,
        recipe=standard.recipe,
        identity_digest=standard.digest,
        started_at=now,
        label=label,
    )


class BroughtPlaces:
    """The places that showed a page so far, and those that led elsewhere."""

    def __init__(self, standard: Standard) -> None:
        self._standard = standard
        self._shown: set[UrlKey] = set()
        self._led: dict[UrlKey, tuple[Place, Place]] = {}

    def finding_of(
        self, capture: Capture, place: Place, page: Harvest | None, *, is_own: bool = False
    ) -> Finding:
        """What the ledger is told of a capture, and the page that it is, if it is one."""
        return replace(self._told_of(capture, place, page), is_brought=not is_own)

    def _told_of(self, capture: Capture, place: Place, page: Harvest | None) -> Finding:
        if page is not None:
            self._shown.add(place.key)
            names = [name for name in page.hops if name.key != place.key]
            return Finding(
                made=draft_of(page),
                aliases=tuple(Alias(name, place, AliasReason.REDIRECT) for name in names),
            )
        if capture.status == _NOT_MODIFIED and place.key in self._shown:
            return Finding(made=Confirmed())
        if capture.status in REDIRECTS:
            target = next_hop(capture.final, capture.status, capture.header("location"))
            there = place_of(target, self._standard) if isinstance(target, Url) else None
            if there is not None:
                self._led[place.key] = place, there
        return Finding()

    def other_names(self) -> Iterator[Alias]:
        """The places that are not pages, and lead to one by redirects."""
        for name, there in self._led.values():
            end = there
            for _ in range(_MOST_HOPS):
                if end.key in self._shown or end.key not in self._led:
                    break
                end = self._led[end.key][1]
            if name.key not in self._shown and end.key in self._shown:
                yield Alias(name, end, AliasReason.REDIRECT)
