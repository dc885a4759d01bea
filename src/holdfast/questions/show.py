"""`show`: a page as it was at a moment, from the archive; a section of it; a version; a run.

1. Where the page is gone since, that is said first, and how old the copy is.
2. A section comes with all that is below it, and alone, in every form.
3. An agent reads part after part. A long page comes as its outline first: an agent asks for the section it
   needs, or for the next part. Its texts have no characters that control a screen or turn the direction of
   writing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

from holdfast import questions
from holdfast.core.base.errors import FailedError, NotKeptError, UsageError
from holdfast.core.base.figures import ago, when
from holdfast.core.base.json_shape import COUNT, HASH, SECONDS, TEXT, Shape, at, optional, told
from holdfast.core.base.shown_text import harmless
from holdfast.core.base.values import dataclass
from holdfast.core.lineage.lineage import RunRecord
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import section_title
from holdfast.core.page.page import Page, PageKind
from holdfast.core.page.section import PageSection
from holdfast.core.targets.bound import EVERYTHING, Bound
from holdfast.core.targets.command_target import CommandTarget, TargetKind
from holdfast.core.url.policy import Policy
from holdfast.core.url.redaction import shown
from holdfast.questions.log.runs import RUN, run_lines
from holdfast.questions.rows.parameters import AT, TARGET
from holdfast.questions.rows.question import Content, Line, Saying, StoreAnswers, question

if TYPE_CHECKING:
    from holdfast.questions.log.page_as_of import PageAsOf
    from holdfast.storage.ledger.ledger import Ledger
    from holdfast.storage.store_ports import Archive


@dataclass(frozen=True, slots=True)
class ShownTarget:
    """What is kept of a target: a page, a section or a version of it; or a run."""

    page: PageAsOf | None = None
    run: RunRecord | None = None


@question()
def show(
    ledger: Ledger,
    archive: Archive,
    policy: Policy,
    options: DistillOptions,
    /,
    target: Annotated[CommandTarget, TARGET, "a page, a section (URL#name), a mirror's file, a run, an item"],
    *,
    at: Annotated[Bound, AT, "as it was then: a date, `7d`, `last`, `v2`, a run"] = EVERYTHING,
) -> ShownTarget:
    """Show a page as it was kept, now or at a moment, as Markdown: what a citation meant when it was
    written, also when the page has died since. Nothing is asked.

    A mirror's file is its page. An item is the text of that version of a page. A run is its facts.

    Exit status 0 when it is kept, 1 when nothing is known of it, or nothing was kept yet at that moment.

    Example:
        for part in holdfast.show("https://example.com/page", at="0d").parts:
            if part.value.page:
                print(part.store, part.value.page.record.fetched_at, part.value.page.markdown)
    """
    kept = questions.log.page_as_of  # help reads no page
    if target.kind is TargetKind.RUN:
        run = ledger.runs.run(target.value)
        if run is None:
            raise NotKeptError(f"no run {target.value[:12]} is kept")
        return ShownTarget(run=run)
    if target.kind is TargetKind.ITEM:
        return ShownTarget(kept.item_as_of(ledger, archive, options, target.value))
    url, _, fragment = target.value.partition("#")
    found = kept.page_as_of(ledger, archive, policy, options, url, at)
    number = questions.log.kept_page.section_meant(found.page, fragment)
    return ShownTarget(replace(found, section=number))


@show.json
def _json() -> Shape:
    page = told(
        questions.log.page_as_of.PageAsOf,
        "url final_url fetched_at status_code content_type title content_hash version versions seen_at"
        " gone_since anchor markdown",
        url=at("record.url", TEXT),
        final_url=at("record.final_url", TEXT),
        fetched_at=at("record.fetched_at", SECONDS),
        status_code=at("record.status", COUNT),
        content_type=at("record.content_type", TEXT),
        title=at("page.title", TEXT),
        content_hash=at("page.content_sha256", HASH),
        seen_at=optional(SECONDS),
        gone_since=optional(SECONDS),
    )
    return told(ShownTarget, page=optional(page), run=optional(RUN))


@show.remarks
def _remarks(found: ShownTarget, say: Saying) -> Iterator[str]:
    if (page := found.page) is None:
        return
    record = page.record
    if page.gone_since is not None:
        yield f"gone since {when(page.gone_since)}; this is the copy of {when(record.fetched_at)}"
    facts = f"{ago(record.fetched_at, say.now)} ({record.status} {record.content_type})"
    yield f"{shown(record.final_url)} as of {when(record.fetched_at)} UTC, {facts}"


@show.words
def _markdown(found: ShownTarget, say: Saying) -> Iterator[Line]:
    if found.run is not None:
        yield from run_lines((found.run,), say.paint)
    elif (page := found.page) is not None:
        yield from _content(page, page.markdown if page.page.kind is PageKind.PAGE else page.text)


@show.form("text", "the text that is hashed")
def _text(found: ShownTarget, say: Saying) -> Iterator[Line]:
    if found.page is None:
        yield from _markdown(found, say)
    else:
        yield from _content(found.page, found.page.text)


@show.form("raw", "the bytes as they came")
def _raw(found: ShownTarget, say: Saying) -> Iterator[Line]:
    if found.page is None:
        yield from _markdown(found, say)
    else:
        yield found.page.capture.body


def _content(page: PageAsOf, text: str) -> Iterator[Line]:
    body = page.capture.body
    if not text and body:
        raise FailedError(
            f"the copy is {len(body)} bytes of {page.capture.content_type or 'no type'}, not text",
            hint="--format raw writes its bytes",
        )
    yield Content(text.rstrip("\n"))


PART: Final = 12_000
"""Characters of text that one answer to an agent holds; of a longer page the outline comes first."""
_MANY: Final = 100
"""Sections that an outline lists at most, unless the page has more at its highest level."""


@show.tool(
    "Read a kept page as Markdown: `target` is its URL, or URL#section with an anchor or a heading. `at` (a "
    "date, 7d, v2) reads it as it was then. A long page comes with its outline and its first part; read a "
    "section, or go on at `next_offset`.",
    offset=0,
)
def _for_agents(answer: StoreAnswers[ShownTarget], *, offset: int) -> dict[str, Any]:
    page = answer.parts[0].value.page
    if page is None:
        raise UsageError("a run has no text", hint="`log` says what came")
    text = page.markdown or page.text
    extra: dict[str, Any] = {"gone_since": _stamp(page.gone_since)} if page.gone_since else {}
    if page.section is not None:
        section = page.page.structure.outline[page.section]
        extra |= {"section": harmless(section_title(section)), "anchor": section.anchor}
    elif len(text) > PART and offset == 0:
        outline = [
            {"level": each.level, "heading": harmless(section_title(each)), "section": each.anchor}
            for each in _highest(page.page.structure.outline)
        ]
        extra |= {"outline": outline, "note": "a long page: read a section, or go on at `next_offset`"}
    if not 0 <= offset <= len(text):
        raise UsageError(f"offset is a number from 0 to {len(text)}")
    following = offset + PART if offset + PART < len(text) else None
    return {
        **page_head(page),
        **extra,
        "text": _shown(text[offset : offset + PART]),
        "next_offset": following,
    }


def page_head(page: PageAsOf) -> dict[str, Any]:
    """Which page a text is of, and in which of its versions, as an agent cites it."""
    return {
        "url": page.record.place.url,
        "title": harmless(page.page.title),
        "version": page.version,
        "versions": page.versions,
        "fetched_at": _stamp(page.record.fetched_at),
        "content_sha256": page.page.content_sha256,
    }


def whole_page(page: Page) -> str:
    """All of its text, however long."""
    return _shown(page.markdown or page.text)


def _stamp(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None


def _shown(text: str) -> str:
    return "\n".join(harmless(line) for line in text.split("\n"))


def _highest(outline: Sequence[PageSection]) -> list[PageSection]:
    """The sections of as many levels as are not too many."""
    named = [section for section in outline if section.anchor]
    for level in sorted({section.level for section in named}, reverse=True):
        if len(named) <= _MANY:
            break
        named = [section for section in named if section.level < level] or named
    return named
