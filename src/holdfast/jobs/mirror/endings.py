"""How an entry can end without a page of its own; each function makes the effect and counts it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from holdfast.core.canonical import CanonicalUrl
from holdfast.core.capture import Capture, Failed, Fetched, Gone, Outcome
from holdfast.core.ledger import Alias, AliasReason, Closed, Confirmed, EntryState, FrontierEntry, Place
from holdfast.core.redaction import shown
from holdfast.jobs.mirror.group import Effect, Seen
from holdfast.jobs.mirror.harvest import Harvest, Pointer
from holdfast.jobs.mirror.knowledge import DONE
from holdfast.jobs.mirror.notes import Note
from holdfast.jobs.mirror.pages import failed_placeholder, skipped_placeholder, timestamp
from holdfast.jobs.mirror.state import CrawlState
from holdfast.jobs.mirror.updating import Kept

__all__ = [
    "aliases_of",
    "also_known",
    "confirmed",
    "deferred",
    "duplicate",
    "ends",
    "failed",
    "kept",
    "of_final_pass",
    "refreshed",
    "refused",
    "skipped",
    "urls_of",
]


def ends(
    state: CrawlState, entry: FrontierEntry, made: Harvest, end: EntryState, note: str
) -> tuple[tuple[Closed, ...], tuple[FrontierEntry, ...]]:
    """The entries that end with this result, and those that must be there for it: after a redirect the
    requested URL and the hops are aliases, and the final URL is done, whoever asks for it later.
    """
    if made.place.key == entry.place.key:
        return (Closed(entry.place.key, end, note, 1),), ()
    names = _other_names(entry, made)
    state.settled.update((made.place.key, *(name.key for name in names)))
    known = tuple(
        FrontierEntry(
            place=name,
            fetch_url=name.url,
            depth=entry.depth,
            source=entry.source,
            position=entry.position,
            listed=entry.listed,
            parent=entry.parent,
        )
        for name in (made.place, *names)
        if name.key != entry.place.key
    )
    closed = [Closed(name.key, EntryState.ALIAS, f"is {made.place.url}", 1) for name in names]
    return (*closed, Closed(made.place.key, end, note, 1)), known


def aliases_of(entry: FrontierEntry, made: Harvest) -> tuple[Alias, ...]:
    """The names that led to a page by redirects (ID-9)."""
    return tuple(Alias(name, made.place, AliasReason.REDIRECT) for name in _other_names(entry, made))


def urls_of(entry: FrontierEntry, made: Harvest) -> tuple[str, ...]:
    """The lines of `_processed.txt` that a result is worth."""
    return tuple(dict.fromkeys((entry.place.url, made.place.url, *(hop.url for hop in made.hops))))


def refused(state: CrawlState, entry: FrontierEntry, at: datetime, *, reason: str, words: str) -> Effect:
    """Not asked for, or its answer not taken."""
    state.refused[reason] += 1
    state.outcomes["refused"] += 1
    if entry.depth == 0:
        state.note_trouble(f"refused: {shown(entry.fetch_url)}: {words}")
    return Effect(
        closed=(Closed(entry.place.key, EntryState.REFUSED, words, 1),),
        log=_log(at, "refused", entry.fetch_url, words),
    )


def failed(state: CrawlState, entry: FrontierEntry, at: datetime, *, outcome: Outcome, words: str) -> Effect:
    """A page that could not be had."""
    state.outcomes["failed"] += 1
    state.note_trouble(f"failed: {shown(entry.fetch_url)}: {words}")
    state.has_placeholders = True
    canonical = CanonicalUrl(entry.place.url, state.order.standard.policy.component)
    return Effect(
        closed=(Closed(entry.place.key, EntryState.FAILED, words, 1),),
        seen=_response(outcome, entry.place),
        files=(failed_placeholder(state.names, canonical, entry.fetch_url, words),),
        log=_log(at, "failed", entry.fetch_url, words),
    )


def deferred(entry: FrontierEntry, note: Note) -> Effect:
    """To be tried again in the final pass."""
    detail = str(replace(note, final=True))
    return Effect(closed=(Closed(entry.place.key, EntryState.DEFERRED, detail, 1),))


def of_final_pass(effect: Effect, entry: FrontierEntry) -> Effect:
    """The same ends, each with the note that they came about in the final pass: should a crash reopen them,
    they belong there again.
    """
    waiting = Note.parse(entry.detail).waiting
    closed = (
        replace(end, detail=str(replace(Note.parse(end.detail), final=True, waiting=waiting)))
        if end.state in DONE
        else end
        for end in effect.closed
    )
    return replace(effect, closed=tuple(closed))


def skipped(state: CrawlState, entry: FrontierEntry, made: Harvest, seen: Seen, why: str) -> Effect:
    """Something that is no page: a placeholder (MIR-2)."""
    state.outcomes["skipped"] += 1
    state.has_placeholders = True
    closed, known = ends(state, entry, made, EntryState.SKIPPED, why)
    canonical = CanonicalUrl(made.place.url, state.order.standard.policy.component)
    return Effect(
        closed=closed,
        seen=seen,
        aliases=aliases_of(entry, made),
        discovered=known,
        files=(skipped_placeholder(state.names, canonical, seen.capture, why),),
        processed=urls_of(entry, made),
    )


def duplicate(
    state: CrawlState, entry: FrontierEntry, made: Harvest, target: Pointer, seen: Seen, words: str
) -> Effect:
    """A page that says what its canonical says: an alias of it (ID-10)."""
    state.outcomes["duplicate"] += 1
    closed, known = ends(state, entry, made, EntryState.DUPLICATE, words)
    names = (made.place, *_other_names(entry, made))
    return Effect(
        closed=closed,
        seen=seen,
        aliases=tuple(Alias(name, target.place, AliasReason.CANONICAL_LINK, words) for name in names),
        discovered=known,
        processed=urls_of(entry, made),
    )


def refreshed(state: CrawlState, entry: FrontierEntry, made: Harvest, target: Pointer, seen: Seen) -> Effect:
    """A page that sends its reader elsewhere at once is a redirect (MIR-1)."""
    state.outcomes["alias"] += 1
    closed, known = ends(state, entry, made, EntryState.ALIAS, f"refreshes to {target.place.url}")
    names = (made.place, *_other_names(entry, made))
    return Effect(
        closed=closed,
        seen=seen,
        aliases=tuple(Alias(name, target.place, AliasReason.REFRESH) for name in names),
        discovered=(*known, state.next_entry(target.place, target.href, entry)),
        processed=urls_of(entry, made),
    )


def also_known(state: CrawlState, entry: FrontierEntry, made: Harvest) -> Effect:
    """Another name of a page that is there already."""
    state.outcomes["alias"] += 1
    return Effect(
        closed=(Closed(entry.place.key, EntryState.ALIAS, f"is {made.place.url}", 1),),
        aliases=aliases_of(entry, made),
        processed=(entry.place.url,),
    )


def confirmed(state: CrawlState, entry: FrontierEntry, capture: Capture) -> Effect:
    """A 304: what is there is still true."""
    state.outcomes["unchanged"] += 1
    return Effect(
        closed=(Closed(entry.place.key, EntryState.UNCHANGED, "", 1),),
        seen=Seen(capture, entry.place),
        made=Confirmed(),
        processed=(entry.place.url,),
    )


def kept(state: CrawlState, entry: FrontierEntry, kept: Kept) -> Effect:
    """Not asked for: what an earlier run made of it stands (MIR-11)."""
    state.outcomes["unchanged"] += 1
    state.kept += 1
    return Effect(closed=(Closed(entry.place.key, kept.end, kept.note),), processed=(entry.place.url,))


def _other_names(entry: FrontierEntry, made: Harvest) -> tuple[Place, ...]:
    names = dict.fromkeys((entry.place, *made.hops))
    return tuple(name for name in names if name.key != made.place.key)


def _response(outcome: Outcome, place: Place) -> Seen | None:
    """The answer to keep: also one that could not be converted (raw first), so that it can be tried again."""
    if not isinstance(outcome, (Fetched, Failed, Gone)) or outcome.capture is None:
        return None
    return Seen(outcome.capture, place)


def _log(at: datetime, word: str, url: str, words: str) -> str:
    line = " ".join(words.split())
    return f"{timestamp(at)}\t{word}\t{shown(url)}\t{line}\n"
