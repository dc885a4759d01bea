"""One result, and what follows from it: the crawl's table (MIR-12: a function of the responses alone).

    the result                                   what is known beside it          decision
    ------------------------------------------   ------------------------------   ----------------
    any                                          an earlier one ended the entry   NothingLeft
    any, of an entry found by links              it lies in a trap                Refuse
    not asked for                                                                 LeaveAlone
    fetched, a page                                                               MakePage
    fetched, reached by a redirect               the final URL is done            NameKnown
    fetched, sends its reader elsewhere          scope admits where               FollowRefresh
    fetched, sends its reader elsewhere          scope does not                   Refuse
    fetched, not a page                                                           Skip
    fetched, names another as its canonical      not known yet, not the end       WaitForCanonical
    fetched, names another as its canonical      it says the same (ID-10)         JoinCanonical
    fetched, the index file of a folder          the folder says the same         JoinTwin
    not modified                                                                  ConfirmPage
    redirected out of scope, denied                                               Refuse
    put off by the host                          not the final pass               TryLater
    failed, gone, timed out, unreadable          another address of the key       TryNext
    failed in a way that may pass                `retry`, not the final pass      TryLater
    failed, gone, timed out, unreadable                                           Fail

The first row that fits decides; what follows from it stands in `core/crawl/consequences`, and only there.
`Ending` says how a crawl can end.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, assert_never

from holdfast.core.base.values import dataclass
from holdfast.core.crawl.duplicates import CanonicalMode, Claim, KnownContent, KnownPageState, Twin, judge
from holdfast.core.crawl.harvest import Harvest, LeftAlone, Pointer, Result, Unreadable
from holdfast.core.crawl.mirror_spec import OnError
from holdfast.core.lineage.frontier_note import EntryNote
from holdfast.core.lineage.ledger_values import FrontierEntry
from holdfast.core.url.redaction import redacted, shown
from holdfast.core.url.url import Place
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denied,
    Failed,
    Fetched,
    Gone,
    NotModified,
    Outcome,
    RedirectedAway,
    TimedOut,
)
from holdfast.core.web.outcome import describe

AWAY: Final = "redirected out of scope"
_NOT_KNOWN: Final = KnownPageState(KnownContent.ABSENT)


@dataclass(frozen=True, slots=True)
class Manner:
    """What the user asked for that decides: the worth of a canonical link, what a failed page does."""

    canonical: CanonicalMode = CanonicalMode.CHECK
    on_error: OnError = OnError.SKIP


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside a result; only what the result makes one ask.

    `canonical` is how the page stands that this one names, `same_text` whether their texts are nearly equal,
    `twin` is the shorter address that shows an equal page, `alike` whether it is like the page before it of
    the same pattern, where the trap rules compare them.
    """

    is_settled: bool = False
    trap: str | None = None
    is_done: bool = False
    canonical: KnownPageState = _NOT_KNOWN
    same_text: bool | None = None
    twin: Place | None = None
    alike: bool | None = None
    next_address: str | None = None


@dataclass(frozen=True, slots=True)
class NothingLeft:
    """An earlier result has ended this entry."""


@dataclass(frozen=True, slots=True)
class TryNext:
    """The address that was asked failed; the entry has another (MIR-8)."""

    href: str


@dataclass(frozen=True, slots=True)
class TryLater:
    """To be asked again in the final pass."""

    note: EntryNote


@dataclass(frozen=True, slots=True)
class WaitForCanonical:
    """A page whose canonical is not known yet: kept in the archive, taken up in the final pass."""

    capture: Capture
    made: Harvest
    words: str


@dataclass(frozen=True, slots=True)
class LeaveAlone:
    """Not asked for: what an earlier run made of it stands. `how`: what an update found; None where another
    plan walks through what is there.
    """

    how: LeftAlone | None


@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """A 304: what is there is still true."""

    capture: Capture


@dataclass(frozen=True, slots=True)
class MakePage:
    """A page of its own. `disagrees`: it names another as canonical that does not say the same."""

    capture: Capture
    made: Harvest
    words: str = ""
    alike: bool | None = None
    disagrees: bool = False


@dataclass(frozen=True, slots=True)
class JoinCanonical:
    """A duplicate of the page that it names: another name of it (ID-10)."""

    capture: Capture
    made: Harvest
    target: Pointer
    words: str


@dataclass(frozen=True, slots=True)
class JoinTwin:
    """A page that its shorter address shows already: another name of it (MIR-14)."""

    capture: Capture
    made: Harvest
    target: Place


@dataclass(frozen=True, slots=True)
class NameKnown:
    """Another name of a page that is there already: the redirect to it is kept."""

    capture: Capture
    made: Harvest


@dataclass(frozen=True, slots=True)
class FollowRefresh:
    """A page that sends its reader elsewhere at once is a redirect (MIR-1)."""

    capture: Capture
    made: Harvest
    target: Pointer


@dataclass(frozen=True, slots=True)
class Skip:
    """Something that is not a page: a placeholder (MIR-2)."""

    capture: Capture
    made: Harvest
    why: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Not asked for, or its answer not taken: `reason` is counted, `words` are told."""

    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class Fail:
    """A page that could not be had; `ends_run`: and with it the run (MIR-6). Its answer, if any, is kept."""

    outcome: Outcome
    words: str
    ends_run: bool = False


Decision = (
    NothingLeft
    | TryNext
    | TryLater
    | WaitForCanonical
    | LeaveAlone
    | ConfirmPage
    | MakePage
    | JoinCanonical
    | JoinTwin
    | NameKnown
    | FollowRefresh
    | Skip
    | Refuse
    | Fail
)


def decide(entry: FrontierEntry, result: Result, known: Context, manner: Manner) -> Decision:
    """The row of the table for one result."""
    if known.is_settled:
        return NothingLeft()
    if known.trap is not None:
        return Refuse(known.trap, known.trap)
    if result.is_failure:
        return _failure(result, known, manner)
    if isinstance(result.outcome, Fetched) and isinstance(result.made, Harvest):
        return _fetched(entry, result.outcome.capture, result.made, known, manner)
    return _without_page(result)


def _without_page(result: Result) -> Decision:
    match result.outcome:
        case None:
            return LeaveAlone(result.kept)
        case NotModified(capture):
            return ConfirmPage(capture)
        case RedirectedAway(target):
            return Refuse(AWAY, f"redirects to {redacted(target)}")
        case Denied(denial, detail):
            return Refuse(str(denial), detail)
        case Deferred(until, detail):
            return TryLater(EntryNote(detail, until=until, final=True))
        case Fetched() | Failed() | Gone() | TimedOut():
            raise AssertionError("a failure was decided above")
        case _:
            assert_never(result.outcome)


def canonical_to_check(entry: FrontierEntry, made: Harvest) -> Pointer | None:
    """What a page names as its canonical, where that has to be known before the page can be decided."""
    pointer = made.canonical
    if made.skip is not None or _refresh(entry, made) or pointer is None or pointer.refusal:
        return None
    return None if pointer.place.key == made.place.key else pointer


def twin_of(made: Harvest, known: Context, manner: Manner) -> tuple[Twin, str]:
    """Whether a page is a duplicate of what it names, and the reason in words (ID-10). `Twin.COMPARE`: their
    texts have to be compared first.
    """
    pointer = made.canonical
    if pointer is None or pointer.place.key == made.place.key:
        return Twin.OWN, ""
    words = f"names {pointer.place.url} as canonical"
    if pointer.refusal:
        return Twin.OWN, f"{words}, which is not admitted: {pointer.refusal}"
    claim = Claim(made.place.url, made.content.content_sha256, pointer.place.url)
    twin = judge(manner.canonical, claim, known.canonical)
    if twin is Twin.COMPARE and known.same_text is not None:
        twin = Twin.DUPLICATE if known.same_text else Twin.DISAGREES
    return twin, f"{words}, but they are not the same" if twin is Twin.DISAGREES else words


def _fetched(
    entry: FrontierEntry, capture: Capture, made: Harvest, known: Context, manner: Manner
) -> Decision:
    if known.is_done:
        return NameKnown(capture, made)
    if refresh := _refresh(entry, made):
        if refresh.refusal:
            return Refuse(AWAY, f"refreshes to {shown(refresh.href)}")
        return FollowRefresh(capture, made, refresh)
    if made.skip is not None:
        return Skip(capture, made, made.skip)
    twin, words = twin_of(made, known, manner)
    if twin is Twin.WAIT:
        return WaitForCanonical(capture, made, words)
    if twin is Twin.DUPLICATE and made.canonical:
        return JoinCanonical(capture, made, made.canonical, words)
    if known.twin is not None:
        return JoinTwin(capture, made, known.twin)
    return MakePage(capture, made, words, known.alike, disagrees=twin is Twin.DISAGREES)


def _refresh(entry: FrontierEntry, made: Harvest) -> Pointer | None:
    """Where a page sends its reader, if that is another place."""
    refresh = made.refresh
    if refresh is None or refresh.place.key in (made.place.key, entry.place.key):
        return None
    return refresh


def _failure(result: Result, known: Context, manner: Manner) -> Decision:
    if known.next_address is not None:
        return TryNext(known.next_address)
    outcome = result.outcome
    if outcome is None:
        raise AssertionError("what was not asked for cannot fail")
    words = describe(outcome)
    if isinstance(outcome, Fetched):
        why = result.made.why if isinstance(result.made, Unreadable) else "it was not read"
        words = f"cannot be converted: {why}"
    if result.may_pass and not result.final and manner.on_error is OnError.RETRY:
        return TryLater(EntryNote(f"to be tried again: {words}", final=True))
    return Fail(outcome, words, ends_run=manner.on_error is OnError.ABORT)


class Ending(StrEnum):
    """How a crawl ended; `crawl.status` of the manifest."""

    FINISHED = "finished"
    MAX_PAGES = "max_pages"
    INTERRUPTED = "interrupted"
    ABORTED = "aborted"
    NO_SPACE = "no_space"
