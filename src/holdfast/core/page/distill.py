"""Capture + Recipe → Page: the meaning of the tool on one screen.

1. Total and pure: any bytes give a page, a text kept as it is, or the plain word that they are neither
   (`PageKind`). Equal captures, recipes and options give equal pages, on every machine.
2. One parse: Markdown, text, links, headings and warnings are read from one tree.
3. `content_sha256` is made by the recipe's content component alone: `text_v1`, or `body_v1`. What the
   Markdown looks like moves `markdown_version`, never the hash.
4. What is larger than `max_bytes`, or exceeds a structural limit, is hashed by its bytes and flagged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from holdfast.core.base.errors import FailedError, UsageError
from holdfast.core.base.hashing import content_hash
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import Section
from holdfast.core.page.html.signals import warnings_of
from holdfast.core.page.markdown.writer import MARKDOWN_VERSION
from holdfast.core.page.page import (
    NOWHERE,
    ConvertedPage,
    Page,
    PageHead,
    PageKind,
    PageStructure,
    PageWarning,
    own_title,
)
from holdfast.core.page.python_reader import read_page
from holdfast.core.page.reading import Reading
from holdfast.core.page.rust_reader import page_gist as page_gist  # noqa: PLC0414 - handed on by the late door
from holdfast.core.page.text_sections import text_outline, text_sections
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Capture
from holdfast.core.web.decoding import Decoded, decode
from holdfast.core.web.headers import BodyKind, body_kind

_NOT_THE_PAGE: Final = frozenset((PageWarning.EMPTY_SHELL, PageWarning.LOGIN_WALL, PageWarning.CONSENT_WALL))
_CONTENT_COMPONENTS: Final = ("text_v1", "body_v1")
_CONVERTED: Final = Recipe.parse("http_snapshot_url_v1_text_v1")
_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


def distill(capture: Capture, recipe: Recipe, options: DistillOptions) -> Page:
    """Make the page of a capture."""
    hash_text = _content_component(recipe) == "text_v1"
    kind = body_kind(capture.content_type, capture.body)
    if kind is BodyKind.BYTES:
        return _other(capture, recipe)
    if len(capture.body) > options.max_bytes:
        return _other(capture, recipe, PageWarning.TOO_LARGE)
    decoded = decode(
        capture.body,
        capture.header("content-type") or "",
        markup=kind in (BodyKind.HTML, BodyKind.DATA),
    )
    if kind is not BodyKind.HTML:
        page = _kept(decoded, kind, recipe, hash_text=hash_text)
        outline = text_outline(page.text, kind) if options.outline else ()
        sections = text_sections(page.text, kind, options.fragments)
        return replace(page, structure=PageStructure(sections=sections, outline=outline))
    reading = read_page(decoded.text, capture.final, options, decoded.utf8)
    page = _read(decoded, reading, recipe)
    return page if hash_text else replace(page, content_sha256=content_hash(decoded.text))


def convert(body: bytes, content_type: str, url: Url | None, options: DistillOptions) -> ConvertedPage:
    """The page that bytes at hand are."""
    here = url or NOWHERE
    capture = Capture(here, here, 200, (("content-type", content_type),), body, _NO_TIME)
    page = distill(capture, _CONVERTED, replace(options, absolute_links=url is not None))
    if page.kind is PageKind.OTHER and not page.text:
        raise FailedError(_why_not(page))
    return ConvertedPage(url, page)


def _why_not(page: Page) -> str:
    match page.warnings:
        case (PageWarning.TOO_LARGE,):
            return "larger than --max-page-bytes allows"
        case _:
            return "neither HTML nor text"


def _read(decoded: Decoded, reading: Reading, recipe: Recipe) -> Page:
    title = reading.head.full_title
    warnings = warnings_of(reading.signs, decoded.text, title, reading.text)
    reduced = (PageWarning.TOO_COMPLEX,) if reading.is_reduced else ()
    return Page(
        title=own_title(title, _first_heading_of(reading.structure)),
        markdown=reading.markdown,
        text=reading.text,
        content_sha256=reading.text_sha256,
        recipe=recipe,
        markdown_version=MARKDOWN_VERSION,
        links=reading.links,
        warnings=(*warnings, *_decoding(decoded), *reduced),
        head=reading.head,
        structure=_as_far_as_known(reading.structure, warnings),
    )


def _first_heading_of(read: PageStructure) -> str:
    """The heading of the whole page, where it has one."""
    if read.outline:
        return next((section.path[-1] for section in read.outline if section.level == 1), "")
    return next((heading.text for heading in read.headings if heading.level == 1), "")


def _as_far_as_known(read: PageStructure, warnings: Iterable[PageWarning]) -> PageStructure:
    """Where a wall or an empty shell hides the page, it is not known whether its cited sections are there."""
    if not read.sections or _NOT_THE_PAGE.isdisjoint(warnings):
        return read
    return read._replace(
        sections=tuple(Section(section.fragment, is_there=None) for section in read.sections)
    )


def _kept(decoded: Decoded, kind: BodyKind, recipe: Recipe, *, hash_text: bool) -> Page:
    """Text, Markdown, JSON, XML: the decoded text, line ends normalized."""
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    title = _first_heading(text) if kind is BodyKind.MARKDOWN else ""
    return Page(
        title=title,
        markdown="" if kind is BodyKind.DATA else text,
        text=text,
        content_sha256=content_hash(text if hash_text else decoded.text),
        recipe=recipe,
        markdown_version=MARKDOWN_VERSION,
        warnings=_decoding(decoded),
        kind=PageKind.OTHER if kind is BodyKind.DATA else PageKind.TEXT,
        head=PageHead(full_title=title),
    )


def _other(capture: Capture, recipe: Recipe, *warnings: PageWarning) -> Page:
    """No text: the bytes are the content."""
    return Page(
        title="",
        markdown="",
        text="",
        content_sha256=content_hash(capture.body),
        recipe=recipe,
        markdown_version=MARKDOWN_VERSION,
        warnings=warnings,
        kind=PageKind.OTHER,
    )


def _content_component(recipe: Recipe) -> str:
    component = str(recipe.content)
    if component in _CONTENT_COMPONENTS:
        return component
    raise UsageError(
        f"{recipe} asks for a content hash that this version of Holdfast cannot make",
        hint=f"known are {' and '.join(_CONTENT_COMPONENTS)}",
    )


def _decoding(decoded: Decoded) -> tuple[PageWarning, ...]:
    return (PageWarning.DECODING,) if decoded.malformed else ()


def _first_heading(markdown: str) -> str:
    lines = (line for line in markdown.split("\n") if line.startswith("# "))
    return next(lines, "").removeprefix("# ").strip()
