"""A corpus in records: pages or sections, what became of each, and long ones in parts (EXP-1).

1. A record's id is the page's key, or the section's id (SCT-1); it stays while the heading does.
2. Beside an earlier moment a record is `new`, `changed` (it says something else, or stands elsewhere on the
   page), `same` or `gone`. What is gone has no text. A page that was forgotten is one record of the kind
   `page`, whatever the unit: nobody knows its sections any more.
3. A record of more than so many tokens is cut at paragraph borders, never in a block of code. A token is
   taken as four bytes. A part's id is the record's, `~`, and the beginning of its first paragraph's hash.
4. Where parts begin follows from the paragraphs themselves: one whose hash says so begins a part once that
   before it is half full. So an edit moves the parts around it, and no others.
5. `EXPORT` is the JSON of a record.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.base.errors import UsageError
from holdfast.core.base.hashing import ContentHash, UrlKey
from holdfast.core.base.json_shape import (
    DATE_TIME,
    HASH,
    TEXT,
    WEB_URL,
    Schema,
    array,
    at,
    described,
    one_of,
    optional,
    record,
)
from holdfast.core.base.values import dataclass
from holdfast.core.page.section import section_id

EXPORT_FORMATS: Final = ("jsonl", "parquet", "sqlite")
_BYTES_A_TOKEN: Final = 4
_ONE_IN: Final = 4
"""One paragraph in so many may begin a part."""


class ExportUnit(StrEnum):
    """What a record is."""

    PAGE = "page"
    SECTION = "section"


def export_unit(text: str) -> ExportUnit:
    """A unit by its name."""
    if text not in set(ExportUnit):
        raise UsageError(f"{text[:40]!r} is not a unit", hint=f"there are: {', '.join(ExportUnit)}")
    return ExportUnit(text)


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What to export: `since` a moment what differs, and what is the same too if `same`; `after` a record of
    an export that was cut off.
    """

    unit: ExportUnit = ExportUnit.SECTION
    since: datetime | None = None
    same: bool = False
    max_tokens: int | None = None
    after: str | None = None


class RecordChange(StrEnum):
    """What became of a record since a moment."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    GONE = "gone"


class ExportedPage(NamedTuple):
    """The page that a record is of; one that was forgotten has its address, and when it went, alone."""

    url: str
    url_key: UrlKey
    title: str
    language: str | None
    fetched_at: datetime
    item_id: str | None
    content_sha256: ContentHash


class ExportRecord(NamedTuple):
    """A page or a section; `content` is the hash of what it says, `part` what tells its parts apart."""

    page: ExportedPage
    change: RecordChange
    anchor: str
    headings: tuple[str, ...]
    name: str | None
    kind: str
    content: str
    text: str
    markdown: str
    part: str = ""

    @property
    def id(self) -> str:
        """The record's id."""
        own = section_id(self.page.url_key, self.anchor)
        return f"{own}~{self.part}" if self.part else own

    @property
    def url(self) -> str:
        """Where it is on the web."""
        return f"{self.page.url}#{self.anchor}" if self.anchor else self.page.url

    @property
    def title(self) -> str:
        """Its name, where it has one, else its heading, else the page's title."""
        return self.name or (self.headings[-1] if self.headings else "") or self.page.title


def in_parts(record: ExportRecord, max_tokens: int | None) -> Iterator[ExportRecord]:
    """A record, or its parts. The text of a part is its Markdown with the spaces joined."""
    if max_tokens is None or _tokens(record.markdown) <= max_tokens:
        yield record
        return
    names: dict[str, int] = {}
    for part in _parts(paragraphs(record.markdown), max_tokens):
        name = _hash(part[0])[:8]
        names[name] = names.get(name, 0) + 1
        own = name if names[name] == 1 else f"{name}-{names[name]}"
        markdown = "\n\n".join(part)
        yield record._replace(markdown=markdown, text=" ".join(markdown.split()), part=own)


def paragraphs(markdown: str) -> list[str]:
    """The blocks of a text between empty lines; a fenced block is whole."""
    found: list[str] = []
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        mark = line.lstrip(" >")[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        elif not line.strip():
            found += ["\n".join(lines)] if lines else []
            lines = []
            continue
        lines.append(line)
    return [*found, "\n".join(lines)] if lines else found


def _parts(blocks: Sequence[str], max_tokens: int) -> Iterator[list[str]]:
    """Paragraphs in groups of at most so many tokens; one that is longer alone stays whole."""
    part: list[str] = []
    size = 0
    for block in blocks:
        tokens = _tokens(block)
        begins = size * 2 >= max_tokens and int(_hash(block)[-4:], 16) % _ONE_IN == 0
        if part and (begins or size + tokens > max_tokens):
            yield part
            part, size = [], 0
        part.append(block)
        size += tokens
    if part:
        yield part


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


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
