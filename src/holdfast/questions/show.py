"""A page as it was at a moment, from the archive; and a kept page as an agent reads it.

1. A mirror may keep pages apart that have one key: `?a=1&b=2` and `?b=2&a=1` under `site`. The page as it
   was is that of the page that was asked for by its own address, else of the one that was seen last.
2. An agent reads a page whole, a section of it, or part after part. A long page comes as its outline first:
   an agent asks for the section it needs, or for the next part.
3. A section comes with all that is below it.
4. Texts are as the page has them, without characters that control a screen or turn the direction of
   writing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.errors import FailedError, UsageError
from holdfast.core.base.json_shape import COUNT, HASH, SECONDS, TEXT, Schema, at, record
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import named_section, section_markdown, section_title
from holdfast.core.page.page import Page
from holdfast.core.page.section import PageSection
from holdfast.core.url.policy import Policy
from holdfast.core.web.capture import Capture
from holdfast.questions.log.kept_page import capture_of, page_from
from holdfast.questions.log.page_log import AS_CITED, NOT_MODIFIED, captures_of_others, key_of_page
from holdfast.questions.rows.resolve_target import find_place

if TYPE_CHECKING:
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


@dataclass(frozen=True, slots=True)
class PageAsOf:
    """The copy of a URL that was current at a moment: the ledger's row, the response, the page made of it."""

    record: CaptureRecord
    capture: Capture
    page: Page

    @property
    def markdown(self) -> str:
        """The page as Markdown."""
        return self.page.markdown


def page_as_of(
    ledger: Ledger,
    archive: Archive,
    url: str,
    policy: Policy,
    moment: datetime | None = None,
    options: DistillOptions | None = None,
) -> PageAsOf:
    """The last copy of a URL that was kept, or the last one up to a moment, from the archive.

    An answer goes before an error page: what a citation meant is what the page said while it was there.
    """
    place = find_place(ledger, url, policy)
    if place is None:
        raise UsageError(f"{url!r} is not a URL", hint="write it whole: https://example.com/")
    lost = ledger.archived.lost()
    key = key_of_page(ledger, place.web_key, ledger.pages.names_of(place.web_key))
    seen = tuple(ledger.history.of_url(key))
    others = captures_of_others(seen, url)
    captures = (each.capture for each in seen if each.capture.capture_id not in others)
    kept = [c for c in captures if c.ref and c.status != NOT_MODIFIED and c.capture_id not in lost]
    record = _current(kept, url, moment)
    capture = capture_of(archive, record)
    outlined = replace(options or DistillOptions(), outline=True)
    return PageAsOf(record, capture, page_from(capture, AS_CITED, outlined))


def _current(kept: list[CaptureRecord], url: str, moment: datetime | None) -> CaptureRecord:
    if not kept:
        raise FailedError(
            f"no copy of {url} was kept",
            hint="a copy is kept of every page that `holdfast track --fetch-urls` or a mirror sees alive",
        )
    in_time = [record for record in kept if moment is None or record.fetched_at <= moment]
    if not in_time:
        first = min(record.fetched_at for record in kept)
        raise FailedError(
            f"no copy of {url} is as old as {moment:%Y-%m-%d %H:%M}",
            hint=f"the first one is of {first.date().isoformat()}",
        )
    answers = [record for record in in_time if record.status < 400]
    return (answers or in_time)[-1]


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


PART: Final = 12_000
"""Characters of text that one answer holds; of a longer page the outline comes first."""
_MANY: Final = 100
"""Sections that an outline lists at most, unless the page has more at its highest level."""
_FEW: Final = 40


def page_part(page: Page, section: str, offset: int) -> dict[str, Any]:
    """The text that was asked for; the outline, where it is long and no part was named."""
    text = page.markdown or page.text
    extra: dict[str, Any] = {}
    if section:
        number = _number(page.structure.outline, text, section)
        found = page.structure.outline[number]
        text = section_markdown(page.structure.outline, number, text)
        extra = {"section": harmless(section_title(found)), "anchor": found.anchor}
    elif len(text) > PART and offset == 0:
        outline = [
            {"level": each.level, "heading": harmless(section_title(each)), "section": each.anchor}
            for each in _highest(page.structure.outline)
        ]
        extra = {"outline": outline, "note": "a long page: read a `section`, or go on at `next_offset`"}
    if not 0 <= offset <= len(text):
        raise UsageError(f"offset is a number from 0 to {len(text)}")
    part = text[offset : offset + PART]
    following = offset + PART if offset + PART < len(text) else None
    return {**extra, "text": _shown(part), "next_offset": following}


def whole_page(page: Page) -> str:
    """All of its text, however long."""
    return _shown(page.markdown or page.text)


def _shown(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))


def _number(outline: Sequence[PageSection], text: str, wanted: str) -> int:
    number = named_section(outline, text, wanted)
    if number is None:
        named = [section.anchor for section in outline if section.anchor]
        names = ", ".join(named[:_FEW]) + (f" and {len(named) - _FEW} more" if len(named) > _FEW else "")
        hint = f"it has: {names}" if named else "it has none; read it whole"
        raise UsageError(f"the page has no section {wanted[:80]!r}", hint=hint)
    return number


def _highest(outline: Sequence[PageSection]) -> list[PageSection]:
    """The sections of as many levels as are not too many."""
    named = [section for section in outline if section.anchor]
    for level in sorted({section.level for section in named}, reverse=True):
        if len(named) <= _MANY:
            break
        named = [section for section in named if section.level < level] or named
    return named
