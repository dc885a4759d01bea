"""The JSON of a corpus."""

from __future__ import annotations

from typing import Final

from holdfast.core.export import RecordChange
from holdfast.formats.schemas.pieces import HASH, WEB_URL
from holdfast.formats.schemas.shape import (
    DATE_TIME,
    TEXT,
    Schema,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)

__all__ = ["EXPORT"]

EXPORT: Final = Schema(
    "export",
    "A record of `holdfast export`, one a line: a page, a section, or a part of one.",
    record(
        id=TEXT,
        change=one_of(RecordChange),
        url=WEB_URL,
        title=TEXT,
        headings=array(TEXT),
        name=described(optional(TEXT), "The qualified name of an API entry, such as `flask.Flask.route`."),
        kind=one_of(("page", "prose", "code", "table", "api")),
        anchor=TEXT,
        part=TEXT,
        content=described(TEXT, "The hash of what it says: `section_v1-…` of a section, SHA-256 of a page."),
        page_url=at("page.url", WEB_URL),
        page_title=at("page.title", TEXT),
        language=at("page.language", optional(TEXT)),
        fetched_at=at("page.fetched_at", DATE_TIME),
        item_id=at("page.item_id", described(optional(HASH), "Null where the page was forgotten.")),
        text=TEXT,
        markdown=TEXT,
    ),
    is_line=True,
)
