"""What an answer means, kept: the copy in the archive, the observation and the node in the ledger.

1. Only content is archived: answers that are alive. Walls, errors and "not modified" are no copies.
2. The cited URL stays the identity; where it led is recorded beside it.
3. Nodes are written after the captures they rest on, in groups: when there are many, or the first has waited
   a second. What a crash loses is asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from holdfast.core.capture import Capture, Outcome
from holdfast.core.citation import CitedPlace, EventKind, LedgerEvent
from holdfast.core.citation_state import Looked, SeenContent, look
from holdfast.core.ledger import Committed, Draft, Finding
from holdfast.core.lineage import CaptureRecord, Run, capture_id
from holdfast.core.link_evidence import Sighting, sight
from holdfast.core.link_state import Standing
from holdfast.core.page import Gist
from holdfast.core.redaction import redacted
from holdfast.distill import DistillOptions, distill
from holdfast.formats.http_date import rfc3339
from holdfast.jobs.commit import GroupCommit, Submission
from holdfast.jobs.track.drifting import with_drift
from holdfast.jobs.track.planning import LinkAsk
from holdfast.ports import Archive, Clock, Distiller, Ledger, Undistilled

__all__ = ["CitedReading", "Recorder"]

_GROUP: Final = 1_000
_PATIENCE: Final = timedelta(seconds=1)


class _Entry(NamedTuple):
    at: datetime
    looked: Looked
    acknowledged: asyncio.Future[Committed] | None


@dataclass(frozen=True, slots=True)
class CitedReading:
    """How cited pages are read: how much of them, where, and whether one look is enough.

    Pages of up to `here` bytes are read here and now, larger ones by the distiller, where there is one.
    """

    options: DistillOptions
    distiller: Distiller | None = None
    here: int = 0
    eager: bool = False


class Recorder:
    """Takes answers from the event loop, and makes them durable."""

    def __init__(
        self,
        commit: GroupCommit,
        archive: Archive,
        clock: Clock,
        run: Run,
        reading: CitedReading,
    ) -> None:
        self._reading = reading
        self._commit = commit
        self._archive = archive
        self._clock = clock
        self._run_id = run.run_id
        self._recipe = run.recipe
        self._recipe_text = str(run.recipe)
        self._waiting: list[_Entry] = []
        self._writing: set[asyncio.Task[None]] = set()
        self.events: list[LedgerEvent] = []

    async def take(self, ask: LinkAsk, outcome: Outcome) -> CitedPlace:
        """Note one answer; the node as it is now."""
        sighting = sight(outcome)
        gist = await self._gist(sighting, ask.fragments)
        seen, acknowledged = None, None
        if sighting.capture is not None and gist is not None:
            record = self._record(ask, sighting.capture)
            seen = self._seen(ask, record, gist)
            finding = Finding(record, Draft(gist.content_sha256, gist.title))
            acknowledged = self._commit.submit(Submission(finding, sighting.capture))
        now = self._clock.now()
        looked = look(ask.node, sighting, seen, now, eager=self._reading.eager)
        self._waiting.append(_Entry(now, looked, acknowledged))
        if len(self._waiting) >= _GROUP or now - self._waiting[0].at >= _PATIENCE:
            self._start_writing()
        return looked.node

    async def close(self) -> None:
        """Wait until everything is durable; nothing is taken any more."""
        try:
            self._start_writing()
            await self._commit.flush()
            if self._writing:
                await asyncio.gather(*self._writing)
        finally:
            await self._commit.close()

    def _start_writing(self) -> None:
        group, self._waiting = self._waiting, []
        if group:
            task = asyncio.create_task(self._write(group))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)

    async def _write(self, group: list[_Entry]) -> None:
        waiting = [entry.acknowledged for entry in group if entry.acknowledged is not None]
        if waiting:
            await asyncio.wait(waiting[-1:])  # they are acknowledged in the order they were handed in
            for error in [each.exception() for each in waiting]:
                if error is not None:
                    raise error
        places = [entry.looked.node for entry in group]
        events = [event for entry in group for event in entry.looked.events]
        self.events += await self._commit.ask(lambda ledger: self._put(ledger, places, events))

    def _put(self, ledger: Ledger, places: list[CitedPlace], events: list[LedgerEvent]) -> list[LedgerEvent]:
        """Write nodes and events; what changed is measured first, on what is now in the archive."""
        told = [
            with_drift(event, ledger, self._archive, self._recipe)
            if event.kind is EventKind.CHANGED
            else event
            for event in events
        ]
        ledger.citations.put_places(places, told)
        return told

    async def _gist(self, sighting: Sighting, fragments: frozenset[str]) -> Gist | None:
        """What an answer says, where it is content and can be read."""
        capture, reading = sighting.capture, self._reading
        alive = sighting.state.standing is Standing.ALIVE
        if capture is None or not alive or capture.status == 304:
            return None
        if reading.distiller is None or len(capture.body) <= reading.here:
            options = replace(reading.options, fragments=fragments) if fragments else reading.options
            return distill(capture, self._recipe, options).gist
        gist = await reading.distiller.distill(capture, fragments)
        return None if isinstance(gist, Undistilled) else gist

    def _seen(self, ask: LinkAsk, record: CaptureRecord, gist: Gist) -> SeenContent:
        is_there = {section.fragment: section.is_there for section in gist.sections}
        return SeenContent(
            content=gist.content_sha256,
            recipe=self._recipe_text,
            content_type=record.content_type,
            last_modified=rfc3339(record.last_modified),
            fragments={name: is_there.get(name) for name in sorted(ask.fragments)},
            warnings=gist.warnings,
            sections={section.fragment: section.content for section in gist.sections if section.content},
            validators=(record.etag, record.last_modified),
        )

    def _record(self, ask: LinkAsk, capture: Capture) -> CaptureRecord:
        payload = hashlib.sha256(capture.body).hexdigest()
        place = ask.node.place
        url = redacted(capture.requested)
        return CaptureRecord(
            capture_id=capture_id(self._run_id, url, capture.fetched_at, capture.status, payload),
            run_id=self._run_id,
            url=url,
            url_key=place.key,
            web_key=place.web_key,
            final_url=url if capture.final is capture.requested else redacted(capture.final),
            status=capture.status,
            fetched_at=capture.fetched_at,
            content_type=capture.content_type,
            etag=capture.header("etag"),
            last_modified=capture.header("last-modified"),
            payload_sha256=payload,
            ref=None,
            canonical_url=place.url,
        )
