"""What one look changes about a cited URL: its state, its revision, its count of failures, what is told of
it.

1. The node is keyed by its URL and never by what it says; `bid` is the revision on record (TRK-3, TRK-7).
2. `fetched_at`, status, content type and `final_url` are those of the fetch that established what is
   recorded: a look that finds the same leaves them alone (TRK-5). A temporary redirect may lead elsewhere
   each time; that alone establishes nothing.
3. `changed` says that the revision on record is not the first one. Content is taken from answers only,
   never from walls and errors.
4. Events: `changed` at a new revision, `moved` at a new permanent address, `died` when a failure is
   confirmed, `revived` when the dead answers.
5. `sections` are the hashes of the cited sections in the revision on record, `doubted_sections` those in
   the content that was seen once: a new revision is judged by both, section by section
   (`core/lineage/event_kind`).
6. What only the tracker needs is in the node's `Notes`.
7. A refusal of our own (address guard, robots, a rule of the user's, a host left for later) is not an
   answer: what was known stays, and a URL of which nothing was known is asked again at the next run
   (TRK-14).
8. A look that reads no content (`seen.content` is None, `--light`) leaves the revision, its sections and
   the validators alone: the next whole look must not be answered "not modified" for what nobody read.

What another link checker knew of a URL is taken as a light look at the time when it looked.

9. Only what nobody here has looked at takes it: an answer of our own is worth more.
10. A look of another's reads no page, so the first whole look here reads it; a light one is spared until
    the answer is too old. A failure is a first look, and is looked at again like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from holdfast.core.base.hashing import ContentHash
from holdfast.core.lineage.event_kind import ChangeDetail, EventKind, judge_sections
from holdfast.core.links.citation import CitedPlace, KeptEvidence, LedgerEvent, Notes, revision_bid
from holdfast.core.links.evidence import SeenContent, Sighting, is_own_refusal
from holdfast.core.links.link_state import (
    FAILING,
    LinkState,
    Revision,
    Standing,
    after_fetch,
    after_look,
    due_at,
    standing_of,
)
from holdfast.core.url.redaction import redacted

_EMPTY: Final[Mapping[str, Any]] = {}
_WITH_CONTENT: Final = (LinkState.OK, LinkState.MOVED_PERMANENT, LinkState.MOVED_TEMPORARY)


class Looked(NamedTuple):
    """The node after a look, and what happened."""

    node: CitedPlace
    events: tuple[LedgerEvent, ...]


def standing(node: CitedPlace, *, eager: bool = False) -> Standing:
    """What a node's state means."""
    return standing_of(node.state, node.looks, eager=eager)


def is_due(node: CitedPlace, now: datetime, ttl: timedelta, rest: timedelta = timedelta()) -> bool:
    """Whether a node may be asked again; never sooner than `rest` after it was asked."""
    if node.checked_at is not None and node.checked_at > now:
        return True  # by a clock that was wrong, then or now: nobody knows how long ago it was
    if node.checked_at is not None and now - node.checked_at < rest:
        return False
    notes = node.notes
    if notes.not_before and now < datetime.fromisoformat(notes.not_before):
        return False
    if node.state == LinkState.UNCHECKED or notes.doubted or is_refused_by_us(node):
        return True
    due = due_at(node.place.web_key, standing(node), node.checked_at, ttl=ttl, failures=node.looks.failures)
    return due is None or now >= due


def is_refused_by_us(node: CitedPlace) -> bool:
    """Whether all that is known of a node is that we did not ask it."""
    return is_own_refusal(node.notes.evidence.rule)


def look(before: CitedPlace, sighting: Sighting, at: datetime, *, eager: bool = False) -> Looked:
    """The node after one look."""
    if is_own_refusal(sighting.evidence.rule):
        return Looked(_not_asked(before, sighting), ())
    notes, seen = before.notes, sighting.seen
    not_modified = sighting.evidence.status == 304
    revision = Revision(before.content_sha256, notes.doubted)
    if sighting.state in _WITH_CONTENT:
        content = seen.content if seen else revision.last_seen if not_modified else None
        revision = after_fetch(revision, content, eager=eager) if content else revision
    first = notes.first or revision.recorded
    state = sighting.state
    if state is LinkState.OK and revision.recorded != first:
        state = LinkState.CHANGED
    status = (
        (before.status if before.state not in FAILING else None) or 200
        if not_modified
        else sighting.evidence.status
    )
    is_read = seen is not None and seen.content is not None
    final_url = _final_url(before, sighting, state)
    recorded = (before.state, before.status, before.final_url, before.content_sha256)
    is_same = recorded == (state, status, final_url, revision.recorded)
    noted = _notes(notes, sighting, revision, first, is_same=is_same)
    after = CitedPlace(
        place=before.place,
        url_bid=before.url_bid,
        state=state,
        fetch_url=before.fetch_url,
        looks=after_look(before.looks, state, at),
        status=status,
        final_url=final_url,
        bid=revision_bid(revision.recorded) if revision.recorded else None,
        content_sha256=revision.recorded,
        fetched_at=before.fetched_at if is_same else at,
        validators=seen.validators if seen and is_read else before.validators,
        notes=noted,
    )
    return Looked(after, _events(before, after, at, is_new=revision.is_new, eager=eager))


def _not_asked(before: CitedPlace, sighting: Sighting) -> CitedPlace:
    until = sighting.not_before.isoformat() if sighting.not_before else None
    if before.state is not LinkState.UNCHECKED and not is_refused_by_us(before):
        return before._replace(notes=before.notes._replace(not_before=until))
    state = LinkState.UNCHECKED if until else sighting.state
    notes = before.notes._replace(evidence=sighting.evidence, not_before=until)
    looks = before.looks._replace(last=None)
    return before._replace(state=state, notes=notes, status=None, final_url=None, looks=looks)


def _final_url(before: CitedPlace, sighting: Sighting, state: LinkState) -> str | None:
    if sighting.final is None or state in (LinkState.OK, LinkState.CHANGED):
        return None
    if state is LinkState.MOVED_TEMPORARY and before.state == state:
        return before.final_url
    final = redacted(sighting.final)
    return final if sighting.evidence.hops else None


def _notes(
    before: Notes,
    sighting: Sighting,
    revision: Revision,
    first: ContentHash | None,
    *,
    is_same: bool,
) -> Notes:
    seen = sighting.seen
    is_new = seen is not None and seen.content is not None and revision.recorded == seen.content
    established = seen if seen is not None and is_new and not is_same else before
    recorded, doubted = _sections(before, seen, revision)
    return Notes(
        evidence=sighting.evidence,
        first=first,
        doubted=revision.doubted,
        recipe=established.recipe,
        content_type=established.content_type,
        last_modified=established.last_modified,
        fragments={**before.fragments, **seen.fragments} if seen else before.fragments,
        warnings=seen.warnings if seen and seen.content else before.warnings,
        not_before=sighting.not_before.isoformat() if sighting.not_before else None,
        sections=recorded,
        doubted_sections=doubted,
    )


def _sections(
    before: Notes, seen: SeenContent | None, revision: Revision
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The hashes of sections in what is on record, and in what is doubted."""
    if revision.is_new:
        return (seen.sections if seen else before.doubted_sections), {}
    if seen is None or seen.content is None:
        return before.sections, before.doubted_sections if revision.doubted else {}
    if revision.doubted is not None and revision.doubted == seen.content:
        return before.sections, seen.sections
    if revision.recorded == seen.content:
        return {**before.sections, **seen.sections}, {}
    return before.sections, {}


def _events(
    before: CitedPlace, after: CitedPlace, at: datetime, *, is_new: bool, eager: bool
) -> tuple[LedgerEvent, ...]:
    events = []
    place = after.place
    if is_new:
        was_noted, noted = before.notes, after.notes
        detail = ChangeDetail(sections=judge_sections(was_noted.sections, noted.sections, noted.fragments))
        events.append(LedgerEvent(at, EventKind.CHANGED, place, before.bid, after.bid, detail))
    if after.state == LinkState.MOVED_PERMANENT and after.final_url != before.final_url:
        events.append(LedgerEvent(at, EventKind.MOVED, place, before.final_url, after.final_url))
    if before.state in FAILING or after.state in FAILING:  # else neither of them is dead
        was, now = standing(before, eager=eager), standing(after, eager=eager)
        if was is not Standing.DEAD and now is Standing.DEAD:
            events.append(LedgerEvent(at, EventKind.DIED, place, before.state, after.state))
        if was is Standing.DEAD and now is Standing.ALIVE:
            events.append(LedgerEvent(at, EventKind.REVIVED, place, before.state, after.state))
    return tuple(events)


_STATES = {404: LinkState.NOT_FOUND, 410: LinkState.GONE}


class ToldState(NamedTuple):
    """That a URL answered with a status at a time."""

    url: str
    status: int
    at: datetime


def with_told(node: CitedPlace, told: ToldState) -> CitedPlace | None:
    """The node as if it had been looked at then; None where what was told says nothing, or is not needed."""
    state = LinkState.OK if 200 <= told.status < 300 else _STATES.get(told.status)
    if state is None or node.state is not LinkState.UNCHECKED:
        return None
    evidence = KeptEvidence("told", told.status, unread=state is LinkState.OK)
    return look(node, Sighting(state, evidence), told.at).node
