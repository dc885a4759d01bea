"""`status` in words: one table of the mirrors of all stores, their documents, and calls of use now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from posixpath import join, normpath
from shlex import quote
from typing import TYPE_CHECKING, Final

from holdfast.core.base.figures import ago, counted, rows, size
from holdfast.core.base.shown_text import harmless
from holdfast.core.lineage.lineage import RunStatus
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.questions.rows.question import Line, Saying, StoreAnswers

if TYPE_CHECKING:
    from holdfast.questions.kept_here import KeptDocuments, KeptMirror, NextCall, StoreStatus

MOVED: Final = (LinkState.MOVED_PERMANENT, LinkState.MOVED_TEMPORARY)


def filled(call: str, known: Mapping[str, str]) -> str:
    """A call with what stands for its words in capitals."""
    return " ".join(known.get(word, word) for word in call.split())


def status_lines(answer: StoreAnswers[StoreStatus], say: Saying) -> Iterator[Line]:
    """All stores together: one table of mirrors, the documents, the calls."""
    mirrors = [(part.store, each) for part in answer.parts for each in part.value.mirrors]
    checked = [(part.store, part.value.documents) for part in answer.parts if part.value.documents]
    if not (mirrors or checked or answer.failed):
        yield "Nothing is kept here."
        yield from rows([(f"  holdfast {call}", about) for call, about in _FIRST_CALLS])
        return
    for store, documents in checked:
        yield from _document_lines(store if len(checked) > 1 else "", documents, say)
    if mirrors:
        width = max(len(f"{each.pages:,}") for _, each in mirrors)
        yield from rows([_HEAD, *(_mirror_row(store, each, width, say) for store, each in mirrors)])
    elif any(part.value.is_whole for part in answer.parts):
        yield "mirrors    none"
    for each in answer.failed:
        yield f"{harmless(each.store)}: this store cannot be read: {each.error}"
    yield from _store_line(answer)
    calls: dict[str, str] = {}
    for part in answer.parts:
        for named in part.value.next_calls:
            calls.setdefault(named.call.split()[0], _call(part.store, named))
    if calls:
        yield f"next: {', '.join(islice(calls.values(), _FEW))}"


_FEW: Final = 3
"""Calls that are named in words: one of each command, those first that mend."""
_HEAD: Final = ("MIRROR", "SOURCE", "PAGES", "SYNCED", "IN LAST RUN")
_FIRST_CALLS: Final = (
    ("mirror URL -o docs", "keep a site"),
    ("check PATH --fetch-urls", "see which links hold"),
)


def _mirror_row(store: str, mirror: KeptMirror, width: int, say: Saying) -> tuple[str, ...]:
    news = [
        f"{number:,} {what}"
        for number, what in (
            (mirror.new, "new"),
            (mirror.changed, "changed"),
            (mirror.gone_in_last_run, "gone"),
            (mirror.failed_in_last_run, "failed"),
        )
        if number
    ]
    status_of = mirror.last_run.status
    news += [str(status_of)] if status_of is not RunStatus.FINISHED else []
    news += [] if mirror.is_folder_there else ["its folder is gone"]
    return (
        harmless(_folder(store, mirror.mirror)),
        harmless(mirror.source or (f"{mirror.host} (a list)" if mirror.host else "-")),
        f"{mirror.pages:>{max(width, len('PAGES'))},}",
        ago(mirror.synced_at, say.now),
        ", ".join(news),
    )


def _document_lines(store: str, documents: KeptDocuments, say: Saying) -> Iterator[Line]:
    checked = f", checked {ago(documents.checked_at, say.now)}" if documents.checked_at else ""
    consent = f" (consent: {documents.consent})" if documents.consent else ""
    if documents.consent and not documents.is_consent_trusted:
        consent = f" (consent of {documents.consent} is not trusted: holdfast config trust)"
    where = f" in {harmless(store)}" if store else ""
    what = f"{documents.documents:,}{where}, {counted(documents.urls, 'cited URL')}"
    yield f"documents  {what}{checked}{consent}"
    states = documents.states
    shares = (
        ("dead", documents.standings[Standing.DEAD]),
        ("suspect", documents.standings[Standing.SUSPECT]),
        ("changed", states.get(LinkState.CHANGED, 0)),
        ("moved", sum(states.get(each, 0) for each in MOVED)),
        ("not asked", states.get(LinkState.UNCHECKED, 0)),
    )
    if told_of := [f"{what} {number:,}" for what, number in shares if number]:
        yield f"  {'  '.join(told_of)}"
    if documents.edited:
        yield f"  {counted(documents.edited, 'document')} edited since"


def _store_line(answer: StoreAnswers[StoreStatus]) -> Iterator[Line]:
    sizes = [part.value.size for part in answer.parts if part.value.size is not None]
    if sizes:
        yield f"{counted(len(answer.parts), 'store')}, {size(sum(sizes))}"


def _folder(store: str, label: str) -> str:
    return normpath(join(store, label))


def _call(store: str, call: NextCall) -> str:
    """A call as it is typed from where was asked."""
    where = f" --store {quote(store)}" if call.mirror is None and store != "." else ""
    folder = quote(_folder(store, call.mirror)) if call.mirror is not None else ""
    return harmless(f"holdfast {filled(call.call, {'MIRROR': folder})}{where}")
