"""The JSON of answers about pages, their versions, runs and mirrors."""

from __future__ import annotations

from typing import Final

from holdfast.core.answers.history import PageHistory
from holdfast.core.event_kind import EventKind
from holdfast.core.ledger import AliasReason, Observation, RunStatus
from holdfast.core.lineage import EdgeKind, Job
from holdfast.core.section import SectionKind
from holdfast.core.section_moves import SectionChange
from holdfast.core.text_diff import added_and_removed
from holdfast.formats.schemas.pieces import HASH, RECIPE, SECONDS, WEB_URL
from holdfast.formats.schemas.shape import (
    ANY_OBJECT,
    BOOLEAN,
    COUNT,
    DATE_TIME,
    INTEGER,
    NUMBER,
    TEXT,
    Schema,
    Shape,
    array,
    at,
    described,
    inside,
    mapping,
    one_of,
    optional,
    record,
    tuple_of,
)

__all__ = [
    "CHANGES",
    "DIFF",
    "DIGEST",
    "HISTORY",
    "LINEAGE",
    "MIRRORS",
    "PAGES",
    "RUN",
    "RUNS",
    "SEARCH",
    "SEARCH_EVERYWHERE",
    "SECTION_CHANGES",
    "SHOW",
]

RUN: Final = record(
    run_id=at("run.run_id", HASH),
    job=at("run.job", one_of(Job)),
    label=at("run.label", TEXT),
    status=one_of(RunStatus),
    started_at=at("run.started_at", DATE_TIME),
    ended_at=optional(DATE_TIME),
    normalization_version=at("run.recipe", RECIPE),
    identity_digest=at("run.identity_digest", HASH),
    reprocessing_of_run_id=at("run.reprocessing_of", optional(HASH)),
    seal=optional(HASH),
    summary=at(lambda record: record.tally.flat(), mapping(INTEGER)),
)

RUNS: Final = Schema("runs", "What `holdfast runs --json` prints.", record(runs=array(RUN)))


class _HistoryLine:
    """An observation as `history` prints it: with the sections that it moved."""

    def __init__(self, found: PageHistory, one: Observation) -> None:
        self.capture, self.item, self.is_new = one.capture, one.item, one.is_new
        self.sections = found.sections.get(one.capture.capture_id, ())


def _of_item(name: str, shape: Shape) -> Shape:
    """Something of an observation's item; null where the capture showed none."""
    return optional(Shape(shape.schema, lambda item: shape.encode(getattr(item, name))))


_NAMES: Final = described(
    array(
        record(
            label=TEXT,
            url=at("alias.place.url", WEB_URL),
            duplicate_of=at("alias.target.url", WEB_URL),
            reason=at("alias.reason", one_of(AliasReason)),
            detail=at("alias.detail", TEXT),
        )
    ),
    "What was merged with the URL, in which mirror, and why: names of the page that it is, or names of it.",
)
_SECTION: Final = record(
    id=TEXT,
    url=WEB_URL,
    anchor=at("section.anchor", TEXT),
    headings=at("section.path", array(TEXT)),
    name=at("section.name", optional(TEXT)),
    kind=at("section.kind", one_of(SectionKind)),
    change=one_of(SectionChange),
    old_content=at(lambda move: move.old and move.old.content, optional(TEXT)),
    new_content=at(lambda move: move.new and move.new.content, optional(TEXT)),
)
_SECTIONS: Final = described(
    array(_SECTION),
    "Which sections differ from the version before, by the ledger: none of a page that is new, or whose"
    " sections an earlier Holdfast did not write (`holdfast reprocess` does).",
)

HISTORY: Final = Schema(
    "history",
    "What `holdfast history --json` prints: a URL's captures, the oldest first.",
    record(
        url=WEB_URL,
        web_key=HASH,
        captures=at(
            lambda found: [_HistoryLine(found, one) for one in found.observations],
            array(
                record(
                    capture_id=at("capture.capture_id", HASH),
                    run_id=at("capture.run_id", HASH),
                    fetched_at=at("capture.fetched_at", DATE_TIME),
                    url=at("capture.url", WEB_URL),
                    final_url=at("capture.final_url", WEB_URL),
                    canonical_url=at("capture.place.url", WEB_URL),
                    status=at("capture.status", INTEGER),
                    content_type=at("capture.content_type", TEXT),
                    payload_sha256=at("capture.payload_sha256", optional(HASH)),
                    item_id=at("item", _of_item("item_id", HASH)),
                    content_sha256=at("item", _of_item("content_sha256", HASH)),
                    normalization_version=at("item", _of_item("recipe", RECIPE)),
                    title=at("item", _of_item("title", TEXT)),
                    new=at("is_new", BOOLEAN),
                    sections=_SECTIONS,
                )
            ),
        ),
        names=_NAMES,
    ),
)

_EDGE: Final = record(edge_id=HASH, kind=one_of(EdgeKind), source=HASH, target=HASH, metadata=ANY_OBJECT)

LINEAGE: Final = Schema(
    "lineage",
    "What `holdfast lineage --json` prints: items and their edges.",
    record(
        items=array(
            record(
                item_id=at("item.item_id", HASH),
                canonical_url=at("item.place.url", WEB_URL),
                url_key=at("item.place.key", HASH),
                web_key=at("item.place.web_key", HASH),
                content_sha256=at("item.content_sha256", HASH),
                normalization_version=at("item.recipe", RECIPE),
                run_id=at("item.run_id", HASH),
                capture_id=at("item.capture_id", HASH),
                created_at=at("item.created_at", DATE_TIME),
                title=at("item.title", TEXT),
                outgoing=at("relations.outgoing", array(_EDGE)),
                incoming=at("relations.incoming", array(_EDGE)),
            )
        ),
        names=_NAMES,
    ),
)

SHOW: Final = Schema(
    "show",
    "What `holdfast show --json` prints: a page as it was.",
    record(
        url=at("record.url", TEXT),
        final_url=at("record.final_url", TEXT),
        fetched_at=at("record.fetched_at", SECONDS),
        status_code=at("record.status", COUNT),
        content_type=at("record.content_type", TEXT),
        title=at("page.title", TEXT),
        content_hash=at("page.content_sha256", HASH),
        markdown=TEXT,
    ),
)

_MARKS: Final = described(
    array(tuple_of(COUNT, COUNT)),
    "The words that were asked for, in the snippet: the first character, and the one after the last.",
)

_HIT: Final = record(
    id=TEXT,
    url=WEB_URL,
    page_url=WEB_URL,
    anchor=TEXT,
    title=TEXT,
    page_title=TEXT,
    headings=array(TEXT),
    name=optional(TEXT),
    kind=one_of(SectionKind),
    language=optional(TEXT),
    since=DATE_TIME,
    until=optional(DATE_TIME),
    snippet=at("snippet.text", TEXT),
    marks=at("snippet.marks", _MARKS),
)


def _found(hit: Shape) -> Shape:
    return record(
        query=TEXT,
        site=optional(TEXT),
        at=optional(DATE_TIME),
        kind=optional(one_of(SectionKind)),
        indexed=described(
            NUMBER, "The share of what was kept that was looked through: less than 1 while an index is built."
        ),
        hits=array(hit),
    )


SEARCH: Final = Schema(
    "search", "What `holdfast search --json` prints: sections, the best first.", _found(_HIT)
)

SEARCH_EVERYWHERE: Final = Schema(
    "search-everywhere",
    "What `/search.json` of `holdfast serve` answers: the sections of each state folder, the best first.",
    _found(record(state=described(TEXT, "The state folder that keeps it."), **inside("hit", _HIT))),
)

_VERSION: Final = record(
    number=INTEGER,
    item_id=at("item.item_id", HASH),
    content_sha256=at("item.content_sha256", HASH),
    title=at("item.title", TEXT),
    first_seen=DATE_TIME,
    last_seen=DATE_TIME,
    run_id=at("item.run_id", HASH),
)
_LINE: Final = record(mark=at(lambda line: line[0], one_of("-+ ")), text=at(lambda line: line[1], TEXT))

DIFF: Final = Schema(
    "diff",
    "What `holdfast diff URL --json` prints.",
    record(
        url=WEB_URL,
        normalization_version=at("new.item.recipe", RECIPE),
        a=at("old", _VERSION),
        b=at("new", _VERSION),
        added=INTEGER,
        removed=INTEGER,
        sections=described(
            array(
                record(
                    headings=array(TEXT),
                    anchor=optional(TEXT),
                    change=one_of(SectionChange),
                    added=INTEGER,
                    removed=INTEGER,
                )
            ),
            "The sections that the changed lines belong to, each named by the headings that hold it.",
        ),
        hunks=array(
            record(
                old_start=INTEGER,
                old_count=INTEGER,
                new_start=INTEGER,
                new_count=INTEGER,
                lines=array(_LINE),
            )
        ),
    ),
)

_RUN_CHANGE: Final = record(
    url=WEB_URL,
    title=TEXT,
    item_id=at("item.item_id", HASH),
    version=at("now.number", INTEGER),
    fetched_at=at("now.first_seen", DATE_TIME),
    added=at(lambda change: added_and_removed(change.hunks)[0], INTEGER),
    removed=at(lambda change: added_and_removed(change.hunks)[1], INTEGER),
    sections=at("moved", _SECTIONS),
    diff=at(
        lambda change: [
            f"{mark}{text}" for hunk in change.hunks for mark, text in [("", hunk.head), *hunk.lines]
        ],
        array(TEXT),
    ),
)

DIGEST: Final = Schema(
    "digest",
    "What `holdfast diff --run R --json` prints: all that changed in a run.",
    record(
        run_id=at("run.run.run_id", HASH),
        label=at("run.run.label", TEXT),
        started_at=at("run.run.started_at", DATE_TIME),
        ended_at=at("run.ended_at", optional(DATE_TIME)),
        normalization_version=at("run.run.recipe", RECIPE),
        changed=at(lambda found: found.of(EventKind.CHANGED), array(_RUN_CHANGE)),
        new=at(lambda found: found.of(EventKind.NEW), array(_RUN_CHANGE)),
        gone=at(lambda found: [page.place.url for page in found.gone], array(WEB_URL)),
        failed=array(record(url=WEB_URL, status=INTEGER)),
        unchanged=INTEGER,
    ),
)

CHANGES: Final = Schema(
    "changes",
    "What `holdfast changes --json` prints.",
    record(
        label=TEXT,
        changes=array(
            record(
                event_id=HASH,
                kind=one_of(EventKind),
                at=DATE_TIME,
                url=TEXT,
                title=TEXT,
                run_id=HASH,
                version=optional(INTEGER),
                item_id=at(lambda event: event.page.item.item_id if event.page else None, optional(HASH)),
                reason=TEXT,
                sections=at(lambda event: event.page.moved if event.page else (), _SECTIONS),
            )
        ),
    ),
)

SECTION_CHANGES: Final = Schema(
    "section-changes",
    "What `holdfast changes --sections --json` prints: which sections differ between two moments.",
    record(label=TEXT, since=DATE_TIME, until=optional(DATE_TIME), sections=array(_SECTION)),
)

MIRRORS: Final = Schema(
    "mirrors",
    "The mirrors of a state folder: how many pages each has, how many of them are gone, its last run.",
    record(
        mirrors=at(
            tuple,
            array(
                record(
                    label=TEXT,
                    pages=COUNT,
                    gone=COUNT,
                    bytes=at("size", COUNT),
                    new=at("brought.new", COUNT),
                    changed=at("brought.changed", COUNT),
                    last_run=RUN,
                )
            ),
        )
    ),
)

PAGES: Final = Schema(
    "pages",
    "A page of a mirror, one a line.",
    record(
        label=TEXT,
        url=WEB_URL,
        path=TEXT,
        title=TEXT,
        size=COUNT,
        depth=COUNT,
        fetched_at=DATE_TIME,
        content_sha256=HASH,
        item_id=HASH,
        warnings=array(TEXT),
        gone_at=optional(DATE_TIME),
    ),
    is_line=True,
)
