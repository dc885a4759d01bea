"""A decision as what the ledger is told: which entries end, under which names, with which notes.

After a redirect the requested URL and the hops are aliases, and the final URL is done, whoever asks for it
later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from holdfast.core.crawl.decision import (
    ConfirmPage,
    Decision,
    Fail,
    FollowRefresh,
    JoinCanonical,
    JoinTwin,
    LeaveAlone,
    MakePage,
    NameKnown,
    NothingLeft,
    Refuse,
    Skip,
    TryLater,
    TryNext,
    WaitForCanonical,
)
from holdfast.core.crawl.harvest import Harvest, LeftAlone, LinkRow, Result
from holdfast.core.lineage.batch import Response
from holdfast.core.lineage.frontier_note import NO_NOTE, EntryNote
from holdfast.core.lineage.ledger_values import (
    Alias,
    AliasReason,
    Closed,
    Confirmed,
    Draft,
    EntryState,
    Finding,
    FrontierEntry,
    PageFacts,
    PageLink,
)
from holdfast.core.page.page import LinkKind
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Failed, Fetched, Gone, Outcome

OPEN: Final = frozenset((EntryState.READY, EntryState.TAKEN, EntryState.DEFERRED, EntryState.UNASKED))
DONE: Final = frozenset(
    (EntryState.PAGE, EntryState.UNCHANGED, EntryState.DUPLICATE, EntryState.ALIAS, EntryState.SKIPPED)
)
_KINDS: Final = {str(kind): kind for kind in LinkKind}
_WAS_THERE: Final = "was there already"
_OfAnswer = MakePage | Skip | JoinCanonical | JoinTwin | FollowRefresh | NameKnown | WaitForCanonical


def finding_of(entry: FrontierEntry, decision: Decision, note: EntryNote, page: PageFacts | None) -> Finding:
    """What the ledger is told of a decision; `note` and `page` are those of a page, the note also that of one
    that was not modified.
    """
    match decision:
        case MakePage() | Skip() | FollowRefresh() | NameKnown() | WaitForCanonical():
            return _of_answer(entry, decision, note, page)
        case JoinCanonical() | JoinTwin():
            return _of_answer(entry, decision, note, page)
        case NothingLeft() | TryNext():
            return Finding()
        case _:
            end, own, attempts = _plain_end(decision, note)
            made = Confirmed() if isinstance(decision, ConfirmPage) else None
            return Finding(made=made, closed=(_closed(entry, end, own, attempts=attempts),))


def _plain_end(
    decision: ConfirmPage | LeaveAlone | TryLater | Refuse | Fail, note: EntryNote
) -> tuple[EntryState, EntryNote, int]:
    """How an entry ends of whose answer nothing is made, its note, and how many attempts that took."""
    match decision:
        case ConfirmPage():
            return EntryState.UNCHANGED, note, 1
        case LeaveAlone(LeftAlone(end, own)):
            return end, own, 0
        case LeaveAlone():
            return EntryState.UNCHANGED, EntryNote(_WAS_THERE), 0
        case TryLater(own):
            return EntryState.DEFERRED, own, 1
        case Refuse(_, words):
            return EntryState.REFUSED, EntryNote(words), 1
        case Fail(_, words):
            return EntryState.FAILED, EntryNote(words), 1


def _of_answer(entry: FrontierEntry, decision: _OfAnswer, note: EntryNote, page: PageFacts | None) -> Finding:
    match decision:
        case MakePage(_, made):
            return _ended(entry, made, EntryState.PAGE, note, draft_of(made), page)
        case Skip(_, made, why):
            return _ended(entry, made, EntryState.SKIPPED, EntryNote(why, names=_canonical_of(made)))
        case JoinCanonical(_, made, target, words):
            ended = _ended(entry, made, EntryState.DUPLICATE, EntryNote(words))
            return replace(ended, aliases=_aliases(entry, made, target.place, words))
        case JoinTwin(_, made, target):
            ended = _ended(entry, made, EntryState.DUPLICATE, _twin_note(target))
            names = (made.place, *_other_names(entry, made))
            return replace(ended, aliases=tuple(_twin_alias(name, target) for name in names))
        case FollowRefresh(_, made, target):
            ended = _ended(entry, made, EntryState.ALIAS, EntryNote(f"refreshes to {target.place.url}"))
            return replace(ended, aliases=_aliases(entry, made, target.place))
        case NameKnown(_, made):
            return Finding(
                closed=(_closed(entry, EntryState.ALIAS, EntryNote(f"is {made.place.url}")),),
                aliases=_redirects(entry, made),
            )
        case WaitForCanonical(_, made, words):
            note = EntryNote(words, waiting=made.place.key, final=True)
            return Finding(closed=(_closed(entry, EntryState.DEFERRED, note, attempts=0),))


def join_twin(place: Place, target: Place) -> Finding:
    """What the ledger is told of a page that turns out to be another name of one, after it was made."""
    closed = Closed(place.key, EntryState.DUPLICATE, _twin_note(target))
    return Finding(aliases=(_twin_alias(place, target),), closed=(closed,))


def _twin_note(target: Place) -> EntryNote:
    return EntryNote(f"says the same as {target.url}")


def _twin_alias(place: Place, target: Place) -> Alias:
    return Alias(place, target, AliasReason.SAME_CONTENT, "the shorter address has equal content")


def draft_of(made: Harvest) -> Draft:
    """What a page says, as the ledger takes it."""
    said = made.content
    return Draft(
        said.content_sha256,
        said.title,
        page_links(made.links),
        sections=said.sections,
        links_digest=made.links_digest,
    )


def page_links(rows: tuple[LinkRow, ...]) -> tuple[PageLink, ...]:
    """The links of a harvest as the ledger takes them. A page has hundreds: they are made by `tuple` itself,
    which takes half as long as by the names of their classes.
    """
    made = tuple.__new__
    return tuple(
        [
            made(PageLink, (made(Place, (url, key, web_key)), href, text, _KINDS[kind], nofollow))
            for url, key, web_key, href, text, kind, nofollow in rows
        ]
    )


def note_of_page(entry: FrontierEntry, decision: MakePage) -> EntryNote:
    """What has to be known of a page after a restart; the trap rules count what links led to."""
    made = decision.made
    names = _canonical_of(made)
    gist = "" if entry.listed else made.content.gist
    if not (decision.words or names or gist) and decision.alike is None:
        return NO_NOTE
    return EntryNote(decision.words, names=names, alike=decision.alike, gist=gist)


def _canonical_of(made: Harvest) -> str | None:
    """Which other URL a page names as canonical."""
    names = made.canonical.place.url if made.canonical else None
    return None if names == made.place.url else names


def at_turn(closed: Iterable[Closed], turn: int) -> tuple[Closed, ...]:
    """The same ends, with the number by which they take effect in the same order after a crash."""
    return tuple(
        replace(end, note=replace(end.note, turn=turn)) if end.state in DONE else end for end in closed
    )


def at_dead_end(closed: Iterable[Closed]) -> tuple[Closed, ...]:
    """The same ends, with the note that the links of these pages are not followed."""
    return tuple(
        replace(end, note=replace(end.note, dead_end=True))
        if end.state in (EntryState.PAGE, EntryState.UNCHANGED, EntryState.UNASKED)
        else end
        for end in closed
    )


def response_of(entry: FrontierEntry, decision: Decision, result: Result) -> Response | None:
    """The answer that is kept with a decision: every one that was read whole, also of what failed."""
    match decision:
        case MakePage(capture, made) | Skip(capture, made) | WaitForCanonical(capture, made):
            return Response(capture, made.place, result.ref, result.confirms)
        case JoinCanonical(capture, made) | JoinTwin(capture, made) | FollowRefresh(capture, made):
            return Response(capture, made.place, result.ref, result.confirms)
        case ConfirmPage(capture):
            return Response(capture, entry.place, confirms=result.confirms)
        case Fail(outcome):
            return _whole(outcome, entry.place, result) or _dead_end(outcome, entry.place)
        case Refuse():
            return _dead_end(result.outcome, entry.place)
        case NameKnown(capture):
            met = capture.last_redirect if result.ref is None else None
            return Response(met, entry.place) if met is not None else None
        case _:
            return None


def processed_by(entry: FrontierEntry, decision: Decision) -> tuple[str, ...]:
    """The lines of `_processed.txt` that a decision is worth."""
    match decision:
        case (
            MakePage(_, made)
            | Skip(_, made)
            | JoinCanonical(_, made)
            | JoinTwin(_, made)
            | FollowRefresh(_, made)
        ):
            return tuple(dict.fromkeys((entry.place.url, made.place.url, *(hop.url for hop in made.hops))))
        case NameKnown() | ConfirmPage():
            return (entry.place.url,)
        case LeaveAlone(how) if how is not None and how.end not in OPEN:
            return (entry.place.url,)
        case _:
            return ()


def in_final_pass(closed: Iterable[Closed], entry: FrontierEntry) -> tuple[Closed, ...]:
    """The same ends, each with the note that they came about in the final pass: should a crash reopen them,
    they belong there again.
    """
    waiting = entry.note.waiting
    return tuple(
        replace(end, note=replace(end.note, final=True, waiting=waiting)) if end.state in DONE else end
        for end in closed
    )


def _closed(entry: FrontierEntry, end: EntryState, note: EntryNote, *, attempts: int = 1) -> Closed:
    return Closed(entry.place.key, end, note, attempts)


def _ended(
    entry: FrontierEntry,
    made: Harvest,
    end: EntryState,
    note: EntryNote,
    draft: Draft | None = None,
    page: PageFacts | None = None,
) -> Finding:
    """The entries that end with a page, and those that must be there for it."""
    if made.place.key == entry.place.key:
        return Finding(made=draft, page=page, closed=(_closed(entry, end, note),))
    names = _other_names(entry, made)
    known = (
        replace(
            entry,
            place=name,
            fetch_url=name.url,
            lastmod=None,
            state=EntryState.READY,
            note=NO_NOTE,
            attempts=0,
        )
        for name in (made.place, *names)
        if name.key != entry.place.key
    )
    closed = [Closed(name.key, EntryState.ALIAS, EntryNote(f"is {made.place.url}"), 1) for name in names]
    return Finding(
        made=draft,
        page=page,
        aliases=_redirects(entry, made),
        closed=(*closed, Closed(made.place.key, end, note, 1)),
        discovered=tuple(known),
    )


def _redirects(entry: FrontierEntry, made: Harvest) -> tuple[Alias, ...]:
    """The names that led to a page by redirects (ID-9)."""
    return tuple(Alias(name, made.place, AliasReason.REDIRECT) for name in _other_names(entry, made))


def _aliases(
    entry: FrontierEntry, made: Harvest, target: Place, words: str | None = None
) -> tuple[Alias, ...]:
    """All names of a page as names of another: by its canonical link, or, without words, by its refresh."""
    reason = AliasReason.REFRESH if words is None else AliasReason.CANONICAL_LINK
    names = (made.place, *_other_names(entry, made))
    return tuple(Alias(name, target, reason, words or "") for name in names)


def _other_names(entry: FrontierEntry, made: Harvest) -> tuple[Place, ...]:
    names = dict.fromkeys((entry.place, *made.hops))
    return tuple(name for name in names if name.key != made.place.key)


def _dead_end(outcome: Outcome | None, place: Place) -> Response | None:
    """The redirect that led to where there was no answer, or to where nobody asked: it is an answer, too."""
    met = outcome.trail.dead_end if outcome is not None else None
    return Response(met, place) if met is not None else None


def _whole(outcome: Outcome, place: Place, result: Result) -> Response | None:
    if not isinstance(outcome, (Fetched, Failed, Gone)) or outcome.capture is None:
        return None
    return Response(outcome.capture, place, result.ref)
