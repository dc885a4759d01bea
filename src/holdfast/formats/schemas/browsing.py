"""The JSON of lists that are read a part at a time: `next` is where the next part begins, null at the end."""

from __future__ import annotations

from typing import Final

from holdfast.core.link_state import LinkState, Standing
from holdfast.core.page import LinkKind
from holdfast.formats.schemas import history
from holdfast.formats.schemas.citations import CITED_URL
from holdfast.formats.schemas.pieces import HASH, WEB_URL
from holdfast.formats.schemas.shape import (
    BOOLEAN,
    COUNT,
    DATE_TIME,
    TEXT,
    Schema,
    array,
    at,
    counts_of,
    described,
    mapping,
    one_of,
    optional,
    record,
)

__all__ = ["CITED", "DOCUMENTS", "OVERVIEW", "PAGE_LINKS", "PAGE_LIST", "RUN"]

_NEXT: Final = described(optional(TEXT), "What to give as `after` for the next part; null at the end.")

OVERVIEW: Final = Schema(
    "overview",
    "What `holdfast serve` shows first: each state folder with its mirrors, its citations, its latest runs.",
    record(
        states=at(
            tuple,
            array(
                record(
                    name=TEXT,
                    mirrors=at("mirrors", history.MIRRORS.shape.keys["mirrors"].shape),
                    documents=at("citations.documents", COUNT),
                    standings=at("citations.standings", counts_of(Standing)),
                    runs=at("runs", history.RUNS.shape.keys["runs"].shape),
                    by_day=described(
                        mapping(array(COUNT)),
                        "For each mirror, how many pages came or changed on each of the last 30 days.",
                    ),
                    news=described(
                        optional(
                            record(
                                since=DATE_TIME,
                                changed=COUNT,
                                new=COUNT,
                                gone=COUNT,
                                died=COUNT,
                                first_run=optional(HASH),
                            )
                        ),
                        "What came since yesterday began (UTC); null for a day in the past.",
                    ),
                )
            ),
        )
    ),
)

PAGE_LIST: Final = Schema(
    "page-list",
    "Some pages of a mirror, by path.",
    record(label=TEXT, pages=array(history.PAGES.shape), next=_NEXT),
)

RUN: Final = Schema(
    "run",
    "Some of what a run brought; what it found gone and what failed only with the first part.",
    record(
        run=history.RUN,
        changes=at("changes", history.CHANGES.shape.keys["changes"].shape),
        new=at("brought.new", COUNT),
        changed=at("brought.changed", COUNT),
        gone=at(lambda news: [page.place.url for page in news.gone], array(WEB_URL)),
        failed=array(record(url=at("place.url", TEXT), state=TEXT, why=at("note.words", TEXT))),
        next=_NEXT,
    ),
)

CITED: Final = Schema(
    "cited",
    "Some cited URLs, by URL, with who cites each; `states` counts all there are.",
    record(
        urls=array(CITED_URL),
        states=at(lambda found: sorted(found.states.items()), counts_of(LinkState)),
        next=_NEXT,
    ),
)

DOCUMENTS: Final = Schema(
    "documents",
    "Some documents that are tracked, by path.",
    record(documents=array(TEXT), next=_NEXT),
)

PAGE_LINKS: Final = Schema(
    "page-links",
    "Where a page points to, as it was last seen.",
    record(
        url=WEB_URL,
        links=array(
            record(
                url=at("link.target.url", TEXT),
                href=at("link.href", TEXT),
                text=at("link.text", TEXT),
                kind=at("link.kind", one_of(LinkKind)),
                nofollow=at("link.nofollow", BOOLEAN),
                mirrored=at("is_mirrored", BOOLEAN),
            )
        ),
    ),
)
