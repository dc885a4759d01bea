"""`status`: what is kept here, how fresh it is, what needs attention, and what to do next.

1. It reads the sums that the ledger keeps, and of the documents their dates on disk: it costs as much in a
   store of a hundred thousand pages as in one of a hundred.
2. In a folder without a store nothing is kept, and that is an answer. A store that cannot be read stands in
   it beside the others.
3. A mirror stands by the folder it has below the store; one whose folder is gone is shown as such.
4. What to do next are calls that this program has. In each, MIRROR stands for the mirror's folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol
from urllib.parse import urlsplit

from holdfast.core.base.errors import UsageError
from holdfast.core.base.json_shape import COUNT, TEXT, Shape, array, at, counts_of, described, optional, told
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import Job, RunRecord, failed_pages
from holdfast.core.links.after_look import standing
from holdfast.core.links.link_state import LinkState, Standing
from holdfast.core.targets.command_target import CommandTarget, DocumentsForm, TargetKind
from holdfast.core.url.redaction import shown
from holdfast.questions.kept_words import MOVED, filled, status_lines
from holdfast.questions.links import citation_counts
from holdfast.questions.log.runs import RUN, as_interrupted
from holdfast.questions.log.timeline import gone_in
from holdfast.questions.rows.parameters import TARGET, Hidden
from holdfast.questions.rows.question import StoreAnswers, question

if TYPE_CHECKING:
    from holdfast.core.links.citation import Document
    from holdfast.storage.ledger.ledger import Ledger


class StorePlace(Protocol):
    """What stands on disk around a ledger, what its settings say, and what commands are called today."""

    def has_folder(self, label: str) -> bool:
        """Whether the folder of a mirror is there."""
        ...

    def size(self) -> int | None:
        """Bytes of ledger and archive; None where they are on a server."""
        ...

    def is_edited(self, document: Document) -> bool:
        """Whether a document is another than when it was read, or gone."""
        ...

    def consent(self) -> tuple[str, bool]:
        """Which settings let the web be asked (nothing: none), and whether the user trusts them."""
        ...

    def call(self, call: str) -> str:
        """What is typed today in the place of a call."""
        ...


@dataclass(frozen=True, slots=True)
class KeptMirror:
    """A mirror: its folder below the store, where it begins (nothing: it is made of lists), its pages, how
    many of them are gone, what its last run brought, lost and failed at.
    """

    mirror: str
    source: str | None
    pages: int
    gone: int
    size: int
    new: int
    changed: int
    gone_in_last_run: int
    is_folder_there: bool
    last_run: RunRecord
    host: str = ""

    @property
    def synced_at(self) -> datetime:
        """When its last run ended, or was last heard of."""
        return self.last_run.ended_at or self.last_run.updated_at

    @property
    def failed_in_last_run(self) -> int:
        """How many pages the last run failed at."""
        return failed_pages(self.last_run.tally.counts)


@dataclass(frozen=True, slots=True)
class KeptDocuments:
    """The documents that were checked, the URLs they cite by what is known of them, how many documents were
    edited since, when the last check ended, and which settings let the web be asked.
    """

    documents: int
    urls: int
    standings: Mapping[str, int]
    states: Mapping[str, int]
    edited: int
    checked_at: datetime | None
    consent: str
    is_consent_trusted: bool


@dataclass(frozen=True, slots=True)
class NextCall:
    """A call that is of use now: what stands behind `holdfast`. `mirror` is the mirror it is about."""

    call: str
    mirror: str | None = None


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """What a store holds, and what needs attention. `failing` counts what `fail_on` names; `is_whole`: all of
    the store was asked for.
    """

    mirrors: tuple[KeptMirror, ...]
    documents: KeptDocuments | None
    size: int | None
    attention: Mapping[str, int]
    failing: int
    next_calls: tuple[NextCall, ...]
    is_whole: bool = True


KINDS: Final = ("dead", "suspect", "unknown", "changed", "moved", "gone", "failed")
"""What can need attention: of cited URLs, then of pages in the last runs."""
_NOTHING: Final = CommandTarget(TargetKind.NONE)


@question(finds=lambda found: found.failing > 0)
def status(
    ledger: Ledger,
    is_idle: Callable[[], bool],
    place: StorePlace,
    /,
    target: Annotated[CommandTarget, TARGET, "a mirror, documents, a folder, a check"] = _NOTHING,
    *,
    fail_on: Annotated[
        str,
        f"end with 1 where there are some: {', '.join(KINDS)}; several with commas",
        Hidden("api"),
        Hidden("agents"),
        Hidden("library"),
    ] = "",
) -> StoreStatus:
    """Show what is kept here, how fresh it is, what needs attention, and what to do next. Nothing is asked,
    and nothing is changed.

    Of a mirror: its pages, and what its last run brought. Of documents: how the URLs that they cite stand.

    Exit status 0, also where nothing is kept; 1 where there is some of what --fail-on names; 3 when a store
    could not be read.

    Example:
        for part in holdfast.status().parts:
            for mirror in part.value.mirrors:
                print(part.store, mirror.mirror, mirror.pages, mirror.synced_at)
    """  # fmt: skip
    wanted = _kinds(fail_on)
    is_whole = _is_whole(target)
    mirrors = tuple(_mirrors(ledger, target, is_idle=is_idle(), place=place))
    documents = None if target.kind is TargetKind.MIRROR else _documents(ledger, target, place)
    attention = _attention(mirrors, documents)
    return StoreStatus(
        mirrors,
        documents,
        place.size() if is_whole else None,
        attention,
        sum(attention[kind] for kind in wanted),
        tuple(_next_calls(mirrors, documents, attention, place)),
        is_whole,
    )


def _kinds(text: str) -> tuple[str, ...]:
    named = tuple(filter(None, (word.strip() for word in text.split(","))))
    for word in named:
        if word not in KINDS:
            raise UsageError(f"{word[:40]!r} is no kind", hint=f"there are: {', '.join(KINDS)}")
    return tuple(dict.fromkeys(named))


def _is_whole(target: CommandTarget) -> bool:
    return target.kind is TargetKind.NONE or (target.form is DocumentsForm.FOLDER and target.value == ".")


def _is_below(path: str, folder: str) -> bool:
    return folder in (".", path) or path.startswith(f"{folder}/")


def _mirrors(
    ledger: Ledger, target: CommandTarget, *, is_idle: bool, place: StorePlace
) -> Iterator[KeptMirror]:
    last: dict[str, RunRecord] = {}
    for each in ledger.runs.latest_first(job=Job.MIRROR):
        last.setdefault(each.run.label, each)
    for label, record in sorted(last.items()):
        is_meant = label == target.value if target.kind is TargetKind.MIRROR else _is_whole(target)
        if is_meant or (target.form is DocumentsForm.FOLDER and _is_below(label, target.value)):
            yield _mirror(ledger, as_interrupted(record, is_idle=is_idle), place)


def _mirror(ledger: Ledger, record: RunRecord, place: StorePlace) -> KeptMirror:
    label = record.run.label
    counts = ledger.pages.count(label)
    brought = ledger.history.count_brought(record.run.run_id)
    first = next(iter(ledger.frontier.entries(record.run.run_id)), None)
    begins = shown(first.place.url) if first is not None else ""
    return KeptMirror(
        mirror=label,
        source=begins if begins and record.tally.marks.follows else None,
        pages=counts.pages,
        gone=counts.gone,
        size=counts.size,
        new=brought.new,
        changed=brought.changed,
        gone_in_last_run=len(gone_in(ledger, record)),
        is_folder_there=place.has_folder(label),
        last_run=record,
        host=urlsplit(begins).netloc,
    )


def _documents(ledger: Ledger, target: CommandTarget, place: StorePlace) -> KeptDocuments | None:
    """What is known of the documents that are meant; None where none were checked."""
    every = tuple(ledger.citations.documents())
    known = every if _is_whole(target) else tuple(each for each in every if _is_meant(each.path, target))
    if not known:
        return None
    if len(known) == len(every):
        counts = citation_counts(ledger)
        standings, states = Counter(counts.standings), Counter(counts.states)
    else:
        standings, states = _cited_by(ledger, known)
    last = next(iter(ledger.runs.latest_first(job=Job.TRACK)), None)
    consent, is_trusted = place.consent()
    return KeptDocuments(
        documents=len(known),
        urls=sum(standings.values()),
        standings={each: standings[each] for each in Standing},
        states={each: states[each] for each in sorted(states)},
        edited=sum(1 for each in known if place.is_edited(each)),
        checked_at=(last.ended_at or last.updated_at) if last else None,
        consent=consent,
        is_consent_trusted=is_trusted,
    )


def _is_meant(path: str, target: CommandTarget) -> bool:
    match target.form:
        case DocumentsForm.FILE:
            return path == target.value
        case DocumentsForm.GLOB:
            return _fits(path.split("/"), target.value.split("/"))
        case _:  # a folder, and the paths of a check
            return any(_is_below(path, each) for each in target.value.split("\n"))


def _fits(steps: list[str], pattern: list[str]) -> bool:
    """Whether a path fits a glob, in which only `**` crosses folders."""
    if not pattern or not steps:
        return pattern in ([], ["**"]) and not steps
    if pattern[0] == "**":
        return _fits(steps, pattern[1:]) or _fits(steps[1:], pattern)
    return fnmatchcase(steps[0], pattern[0]) and _fits(steps[1:], pattern[1:])


def _cited_by(ledger: Ledger, documents: Iterable[Document]) -> tuple[Counter[Standing], Counter[LinkState]]:
    """How the URLs that some documents cite stand, each counted once."""
    keys = {link.place.web_key for each in documents for link in ledger.citations.of_document(each.path)}
    places = [place for key in sorted(keys) if (place := ledger.citations.place(key)) is not None]
    return Counter(map(standing, places)), Counter(place.state for place in places)


def _attention(mirrors: tuple[KeptMirror, ...], documents: KeptDocuments | None) -> dict[str, int]:
    standings = documents.standings if documents else {}
    states = documents.states if documents else {}
    return {
        **{each: standings.get(each, 0) for each in (Standing.DEAD, Standing.SUSPECT, Standing.UNKNOWN)},
        "changed": states.get(LinkState.CHANGED, 0),
        "moved": sum(states.get(each, 0) for each in MOVED),
        "gone": sum(each.gone_in_last_run for each in mirrors),
        "failed": sum(each.failed_in_last_run for each in mirrors),
    }


def _next_calls(
    mirrors: tuple[KeptMirror, ...],
    documents: KeptDocuments | None,
    attention: Mapping[str, int],
    place: StorePlace,
) -> Iterator[NextCall]:
    there = [each for each in mirrors if each.is_folder_there]
    lost = [each for each in mirrors if not each.is_folder_there]
    yield from (NextCall(place.call("restore MIRROR"), each.mirror) for each in lost)
    if attention[Standing.DEAD]:
        yield NextCall(place.call("links --only dead"))
    if there:
        oldest = min(there, key=lambda each: each.synced_at)
        known = {"SOURCE": quote(oldest.source) if oldest.source else "SOURCE", "DIR": "MIRROR"}
        yield NextCall(filled(place.call("sync"), known), oldest.mirror)
    if attention["moved"] or attention[Standing.DEAD]:
        yield NextCall(place.call("fix"))
    for each in there:
        if each.new or each.changed or each.gone_in_last_run:
            log = place.call("log MIRROR")
            yield NextCall(f"{log} --since last" if log == "log MIRROR" else log, each.mirror)
    if documents is not None and documents.edited:
        yield NextCall(place.call("check"))
    elif documents is not None and documents.states.get(LinkState.UNCHECKED):
        yield NextCall(place.call("check --fetch-urls"))


@status.json
def _json() -> Shape:
    mirror = told(
        KeptMirror,
        "mirror source pages gone bytes new changed gone_in_last_run failed_in_last_run is_folder_there"
        " synced_at last_run",
        pages=COUNT,
        gone=COUNT,
        bytes=at("size", COUNT),
        last_run=RUN,
    )
    documents = told(
        KeptDocuments,
        documents=COUNT,
        standings=counts_of(Standing),
        states=counts_of(LinkState),
        consent=described(TEXT, "The settings that let the web be asked; empty: nothing is asked."),
    )
    from_here = described(TEXT, "What stands behind `holdfast`; MIRROR is the mirror's folder.")
    return told(
        StoreStatus,
        "mirrors documents bytes attention failing next_calls",
        mirrors=at("mirrors", array(mirror)),
        documents=optional(documents),
        bytes=at("size", optional(COUNT)),
        attention=counts_of(KINDS),
        next_calls=at("next_calls", array(told(NextCall, call=from_here))),
    )


status.whole(status_lines)

_COLUMNS: Final = tuple(
    "mirror source pages gone new changed gone_in_last_run failed_in_last_run synced_at".split()
)


@status.rows(*_COLUMNS)
def _rows(found: StoreStatus) -> Iterator[tuple[Any, ...]]:
    for each in found.mirrors:
        yield tuple(getattr(each, name) for name in _COLUMNS)


@status.tool(
    "What is kept here: mirrors with their pages and last runs, documents and how the URLs they cite stand. "
    "`target` is a mirror, a document or a folder; without it all. `next` are calls that a person can type."
)
def _for_agents(answer: StoreAnswers[StoreStatus]) -> dict[str, Any]:
    return {
        "stores": [_store_row(part.store, part.value) for part in answer.parts],
        "failed": [{"store": each.store, "error": each.error} for each in answer.failed],
    }


def _store_row(store: str, kept: StoreStatus) -> dict[str, Any]:
    documents = kept.documents
    return {
        "store": store,
        "mirrors": [
            {
                "mirror": each.mirror,
                "source": each.source,
                "pages": each.pages,
                "gone": each.gone,
                "last_run": each.last_run.run.started_at.astimezone(UTC).isoformat(timespec="seconds"),
                "status": each.last_run.status,
                "changed_in_last_run": each.changed,
                "new_in_last_run": each.new,
            }
            for each in kept.mirrors
        ],
        "documents": documents.documents if documents else 0,
        "links": {str(each): documents.standings[each] if documents else 0 for each in Standing},
        "next": [filled(each.call, {"MIRROR": quote(each.mirror or "")}) for each in kept.next_calls],
    }
