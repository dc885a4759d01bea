"""A decision, and all that follows from it: the one place where its variants are told apart.

`consequence` has a row for each: what the ledger is told, which answer is kept, what the checkpoint lists,
what the folder holds, where it leads, how it is counted. Whoever carries one of these out reads a field.

After a redirect the requested URL and the hops are aliases, and the final URL is done, whoever asks for it
later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, Literal, assert_never

from holdfast.core.base.values import dataclass
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
from holdfast.core.crawl.harvest import Harvest, LeftAlone, LinkRow, Pointer, Result
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
    PageLink,
)
from holdfast.core.page.page import LinkKind, PageWarning
from holdfast.core.url.scope import Noise
from holdfast.core.url.url import Place
from holdfast.core.web.capture import Capture, Failed, Fetched, Gone, Outcome

OPEN: Final = frozenset((EntryState.READY, EntryState.TAKEN, EntryState.DEFERRED, EntryState.UNASKED))
DONE: Final = frozenset(
    (EntryState.PAGE, EntryState.UNCHANGED, EntryState.DUPLICATE, EntryState.ALIAS, EntryState.SKIPPED)
)
_KINDS: Final = {str(kind): kind for kind in LinkKind}
_NOISE: Final = frozenset(map(str, Noise))
_WAS_THERE: Final = "was there already"
_NOTHING: Final = Finding()


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from one decision about one entry.

    `word`: under which word it is counted, "" where it is not; `refused`: under which reason besides.
    `finding`: what the ledger is told, but for the facts of a page's file and for what the links lead to.
    `leads`: whose links lead on, or where a refresh does; "stored": the links that the ledger keeps do.
    `page`: the page that is made; `stands_for`: what a placeholder stands for, with the answer where that was
    skipped and did not fail. `kept`: nothing was asked, and what is there stays.
    """

    word: str = ""
    finding: Finding = _NOTHING
    response: Response | None = None
    processed: tuple[str, ...] = ()
    leads: Harvest | Pointer | Literal["stored"] | None = None
    page: MakePage | None = None
    stands_for: tuple[Place, Capture | None] | None = None
    refused: str | None = None
    hint: str = ""
    kept: bool = False
    ends_run: bool = False

    @property
    def why(self) -> str:
        """What is noted of the entry's end, in words."""
        return self.finding.closed[-1].note.words


def consequence(  # noqa: C901, PLR0911, PLR0912, PLR0915 - a table is as long as its rows
    entry: FrontierEntry, decision: Decision, result: Result
) -> Consequence:
    """The row of a decision."""
    place, url = entry.place, entry.place.url
    match decision:
        case NothingLeft() | TryNext():
            return Consequence()
        case MakePage(capture, made):
            ended = _ended(entry, made, EntryState.PAGE, note_of_page(entry, decision), draft_of(made))
            answer, lines = _answer(capture, made, result), _lines(entry, made)
            return Consequence("page", ended, answer, lines, made, page=decision, hint=made.hint)
        case Skip(capture, made, why):
            return Consequence(
                "too large" if why == PageWarning.TOO_LARGE else "skipped",
                _ended(entry, made, EntryState.SKIPPED, EntryNote(why, names=_canonical_of(made))),
                _answer(capture, made, result),
                _lines(entry, made),
                made,
                stands_for=(made.place, capture),
                refused=why if why in _NOISE else None,
                hint=made.hint,
            )
        case JoinCanonical(capture, made, target, words):
            ended = _ended(entry, made, EntryState.DUPLICATE, EntryNote(words))
            ended = replace(ended, aliases=_aliases(entry, made, target.place, words))
            return Consequence("duplicate", ended, _answer(capture, made, result), _lines(entry, made), made)
        case JoinTwin(capture, made, target):
            ended = _ended(entry, made, EntryState.DUPLICATE, _twin_note(target))
            names = (made.place, *_other_names(entry, made))
            ended = replace(ended, aliases=tuple(_twin_alias(name, target) for name in names))
            return Consequence("duplicate", ended, _answer(capture, made, result), _lines(entry, made), made)
        case FollowRefresh(capture, made, target):
            ended = _ended(entry, made, EntryState.ALIAS, EntryNote(f"refreshes to {target.place.url}"))
            ended = replace(ended, aliases=_aliases(entry, made, target.place))
            return Consequence("alias", ended, _answer(capture, made, result), _lines(entry, made), target)
        case WaitForCanonical(capture, made, words):
            note = EntryNote(words, waiting=made.place.key, final=True)
            later = _end(entry, EntryState.DEFERRED, note, attempts=0)
            return Consequence("", later, _answer(capture, made, result), leads=made)
        case NameKnown(capture, made):
            known = _end(entry, EntryState.ALIAS, EntryNote(f"is {made.place.url}"))
            met = capture.last_redirect if result.ref is None else None
            return Consequence(
                "alias",
                replace(known, aliases=_redirects(entry, made)),
                Response(met, place) if met is not None else None,
                (url,),
            )
        case ConfirmPage(capture):
            note = EntryNote(names=result.named.place.url) if result.named else NO_NOTE
            same = replace(_end(entry, EntryState.UNCHANGED, note), made=Confirmed())
            answer = Response(capture, place, confirms=result.confirms)
            return Consequence("unchanged", same, answer, (url,), "stored")
        case LeaveAlone(LeftAlone(end, note)):
            left = _end(entry, end, note, attempts=0)
            if end in OPEN:  # it is counted when it is asked, or at the end
                return Consequence("", left, leads="stored")
            return Consequence("unchanged", left, None, (url,), "stored", kept=True)
        case LeaveAlone():
            there = _end(entry, EntryState.UNCHANGED, EntryNote(_WAS_THERE), attempts=0)
            return Consequence("already done", there, leads="stored")
        case TryLater(note):
            return Consequence("", _end(entry, EntryState.DEFERRED, note))
        case Refuse(reason, words):
            refused = _end(entry, EntryState.REFUSED, EntryNote(words))
            return Consequence("refused", refused, _dead_end(result.outcome, place), refused=reason)
        case Fail(outcome, words, ends_run):
            failed = _end(entry, EntryState.FAILED, EntryNote(words))
            kept = _whole(outcome, place, result) or _dead_end(outcome, place)
            return Consequence("failed", failed, kept, stands_for=(place, None), ends_run=ends_run)
        case _:
            assert_never(decision)


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


def in_final_pass(closed: Iterable[Closed], entry: FrontierEntry) -> tuple[Closed, ...]:
    """The same ends, each with the note that they came about in the final pass: should a crash reopen them,
    they belong there again.
    """
    waiting = entry.note.waiting
    return tuple(
        replace(end, note=replace(end.note, final=True, waiting=waiting)) if end.state in DONE else end
        for end in closed
    )


def _answer(capture: Capture, made: Harvest, result: Result) -> Response:
    """The answer that a page was read from."""
    return Response(capture, made.place, result.ref, result.confirms)


def _lines(entry: FrontierEntry, made: Harvest) -> tuple[str, ...]:
    """The lines of `_processed.txt` for all names of a page."""
    return tuple(dict.fromkeys((entry.place.url, made.place.url, *(hop.url for hop in made.hops))))


def _end(entry: FrontierEntry, end: EntryState, note: EntryNote, *, attempts: int = 1) -> Finding:
    """The end of an entry of whose answer nothing is made."""
    return Finding(closed=(Closed(entry.place.key, end, note, attempts),))


def _ended(
    entry: FrontierEntry, made: Harvest, end: EntryState, note: EntryNote, draft: Draft | None = None
) -> Finding:
    """The entries that end with a page, and those that must be there for it."""
    if made.place.key == entry.place.key:
        return Finding(made=draft, closed=(Closed(entry.place.key, end, note, 1),))
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
