"""What an answer means, kept: the copy in the archive, the observation and the node in the ledger.

1. Only content is archived: answers that are alive, whether they could be read or not. Walls, errors and
   "not modified" are not copies.
2. The cited URL stays the identity; where it led is recorded beside it.
3. A light look keeps no copy and takes no content: only whether the cited sections are there.
4. Documents that were just read are written first, then nodes, after the captures they rest on and in the
   same group. What a crash loses is read and asked again.
5. How much a URL's new revision differs from the one before is measured: both copies are in the archive.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from holdfast.adapters.ports import Clock, Distiller, Undistilled
from holdfast.core.base.difference import drift_between
from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.figures import rfc3339
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.event_kind import EventKind
from holdfast.core.lineage.ledger_values import Draft, Finding
from holdfast.core.lineage.lineage import RecordRef, Run, Verdict
from holdfast.core.links.after_look import Looked, look
from holdfast.core.links.citation import CitedPlace, LedgerEvent, revision_bid
from holdfast.core.links.evidence import ACCEPTED, SeenContent, Sighting, sight
from holdfast.core.links.link_state import Standing
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.page import Gist, Page
from holdfast.core.url.policy import Recipe
from holdfast.core.web.capture import Capture, Outcome
from holdfast.jobs.check.options import LookOptions
from holdfast.storage.store_ports import Archive, Batching, Journal, Scribe

if TYPE_CHECKING:
    from holdfast.jobs.check.planning import LinkAsk
    from holdfast.jobs.check.read_report import ReadDocument
    from holdfast.storage.ledger.ledger import Ledger

GROUPS: Final = Batching(most=500, patience=0.5)
"""Nobody waits for one answer, and a large group writes fewer pages of the ledger."""
_NOTHING: Final = Finding()
_USUAL: Final = LookOptions()


class _Entry(NamedTuple):
    """One answer: the copy to keep of it, if it is one, and what it means."""

    looked: Looked
    finding: Finding = _NOTHING
    response: Response | None = None
    beside: None = None

    @property
    def weight(self) -> int:
        return len(self.response.capture.body) if self.response else 0


@dataclass(frozen=True, slots=True)
class CitedReading:
    """How cited pages are read: how much of them, where, and whether one look is enough.

    Pages of up to `here` bytes are read here and now, larger ones by the distiller, where there is one.
    """

    options: DistillOptions
    distiller: Distiller | None = None
    here: int = 0
    looks: LookOptions = _USUAL


class Recorder:
    """Takes answers from the event loop, and hands them to the scribe."""

    def __init__(self, scribe: Scribe, clock: Clock, run: Run, reading: CitedReading) -> None:
        self._reading = reading
        self._clock = clock
        self._run_id = run.run_id
        self._recipe = run.recipe
        self._recipe_text = str(run.recipe)
        self._scribe = scribe
        self._journal: Journal[_Entry] = scribe.journal(run.run_id, GROUPS, self._put, self._done)
        self._documents: Awaitable[None] | None = None
        self.events: list[LedgerEvent] = []

    def begin(self, documents: Sequence[ReadDocument]) -> None:
        """Have documents written that were just read, while the first answers are waited for."""
        if documents:
            self._documents = self._scribe.begin(lambda ledger, _: ledger.citations.put_documents(documents))

    async def take(self, ask: LinkAsk, outcome: Outcome) -> CitedPlace:
        """Note one answer; the node as it is now."""
        looks = self._reading.looks
        sighting = sight(outcome, looks.accepted)
        is_content = _is_content(sighting)
        if looks.light and is_content:
            sighting = sighting._replace(evidence=sighting.evidence._replace(unread=True))
        gist = await self._gist(sighting, ask.fragments) if not looks.light or ask.fragments else None
        seen, response, finding = None, None, _NOTHING
        if looks.light:
            seen = SeenContent(None, "", fragments=_fragments(ask, gist)) if gist is not None else None
        elif sighting.capture is not None and is_content:
            response = Response(sighting.capture, ask.node.place, told=True)
            if gist is not None:
                seen = self._seen(ask, sighting.capture, gist)
                finding = Finding(made=Draft(gist.content_sha256, gist.title, sections=gist.outline))
        looked = look(ask.node, sighting._replace(seen=seen), self._clock.now(), eager=looks.eager)
        await self._journal.submit(_Entry(looked, finding, response))
        return looked.node

    async def close(self) -> None:
        """Wait until everything is durable; nothing is taken any more."""
        try:
            if self._documents is not None:
                await self._documents
        finally:
            await self._journal.flush()

    def _put(self, ledger: Ledger, archive: Archive, group: Sequence[_Entry]) -> list[LedgerEvent]:
        """Write nodes and events; what changed is measured first, on what is now in the archive."""
        told = [
            with_drift(event, ledger, archive, self._recipe) if event.kind is EventKind.CHANGED else event
            for entry in group
            for event in entry.looked.events
        ]
        ledger.citations.put_places([entry.looked.node for entry in group], told)
        return told

    def _done(self, _: Sequence[_Entry], __: Sequence[Verdict | None], told: list[LedgerEvent]) -> None:
        self.events += told

    async def _gist(self, sighting: Sighting, fragments: frozenset[str]) -> Gist | None:
        """What an answer says, where it is content and can be read."""
        capture, reading = sighting.capture, self._reading
        if capture is None or not _is_content(sighting):
            return None
        if reading.distiller is None or len(capture.body) <= reading.here:
            options = replace(reading.options, fragments=fragments) if fragments else reading.options
            return distill(capture, self._recipe, options).gist
        gist = await reading.distiller.distill(capture, fragments)
        return None if isinstance(gist, Undistilled) else gist

    def _seen(self, ask: LinkAsk, capture: Capture, gist: Gist) -> SeenContent:
        validators = capture.validators
        return SeenContent(
            content=gist.content_sha256,
            recipe=self._recipe_text,
            content_type=capture.content_type,
            last_modified=rfc3339(validators.last_modified),
            fragments=_fragments(ask, gist),
            warnings=gist.warnings,
            sections={section.fragment: section.content for section in gist.sections if section.content},
            validators=validators,
        )


def _fragments(ask: LinkAsk, gist: Gist) -> dict[str, bool | None]:
    is_there = {section.fragment: section.is_there for section in gist.sections}
    return {name: is_there.get(name) for name in sorted(ask.fragments)}


def _is_content(sighting: Sighting) -> bool:
    """Whether an answer is a copy of what is cited."""
    capture = sighting.capture
    if sighting.evidence.rule == ACCEPTED:
        return False
    return capture is not None and sighting.state.standing is Standing.ALIVE and capture.status != 304


def with_drift(event: LedgerEvent, ledger: Ledger, archive: Archive, recipe: Recipe) -> LedgerEvent:
    """A `changed` event with its drift; as it is where a copy is gone, or has no text."""
    kept: dict[str, RecordRef] = {}
    for observation in ledger.history.of_url(event.place.web_key, recipe):
        if observation.item is not None and observation.capture.ref is not None:
            kept[revision_bid(observation.item.content_sha256)] = observation.capture.ref
    if event.old not in kept or event.new not in kept:
        return event
    try:
        old = _page(archive, kept[event.old], recipe)
        new = _page(archive, kept[event.new], recipe)
    except ArchiveError:
        return event
    if not old.text and not new.text:
        return event
    drift = drift_between(old.text, new.text, old_title=old.title, new_title=new.title)
    return replace(event, detail=replace(event.detail, drift=drift))


def _page(archive: Archive, ref: RecordRef, recipe: Recipe) -> Page:
    return distill(archive.read(ref), recipe, DistillOptions(glance=True))
