"""The JSON of commands about one URL or one page: canon, path, fetch, convert."""

from __future__ import annotations

from typing import Final

from holdfast.core.base.json_shape import (
    BOOLEAN,
    HASH,
    INTEGER,
    TEXT,
    Schema,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.page.page import PageKind, PageWarning
from holdfast.core.url.url import Url

_HEADING: Final = record(level=INTEGER, text=TEXT, anchor=optional(TEXT))


def _text(url: Url | None) -> str | None:
    return None if url is None else str(url)


PAGE: Final = Schema(
    "page",
    "What `holdfast convert --format json` prints.",
    record(
        url=at(
            lambda made: str(made.url) if made.url else None,
            described(optional(TEXT), "What --base-url gave."),
        ),
        kind=at("page.kind", one_of(PageKind)),
        title=at("page.title", TEXT),
        language=at("page.head.language", optional(TEXT)),
        canonical_link=at(lambda made: _text(made.page.head.canonical_link), optional(TEXT)),
        content_sha256=at("page.content_sha256", HASH),
        normalization_version=at(lambda made: str(made.page.recipe), TEXT),
        markdown_version=at("page.markdown_version", TEXT),
        generator=at(
            "page.head.generator", described(optional(TEXT), "The row of the generator table that fitted.")
        ),
        warnings=at("page.warnings", array(one_of(PageWarning))),
        headings=at("page.structure.headings", array(_HEADING)),
        links=array(
            record(url=at(lambda link: str(link.target), TEXT), text=TEXT, kind=TEXT, nofollow=BOOLEAN)
        ),
        markdown=at("page.markdown", TEXT),
        text=at("page.text", TEXT),
    ),
)
