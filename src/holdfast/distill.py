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

from holdfast.core.answers.pages import NOWHERE, ConvertedPage
from holdfast.core.capture import Capture
from holdfast.core.distill_options import DistillOptions
from holdfast.core.errors import FailedError, UsageError
from holdfast.core.fragment import Section
from holdfast.core.hashing import content_hash
from holdfast.core.page import Page, PageKind, PageWarning
from holdfast.core.recipe import Recipe
from holdfast.core.url import Url
from holdfast.formats.decoding import Decoded, decode
from holdfast.formats.html.guard import breach
from holdfast.formats.html.head import base_of, read_head
from holdfast.formats.html.links import Resolver, page_links
from holdfast.formats.html.listed_sections import listed_sections, numbers_by_element
from holdfast.formats.html.main_content import NAMES, MainContent, find_main
from holdfast.formats.html.outline import anchors_of
from holdfast.formats.html.prune import is_doubtful, prune
from holdfast.formats.html.section_outline import Outline
from holdfast.formats.html.sections import page_sections
from holdfast.formats.html.signals import warnings_of
from holdfast.formats.html.text_v1 import page_text
from holdfast.formats.html.tokens import Wanted
from holdfast.formats.html.tree import Document, parse_html
from holdfast.formats.markdown.boxes import has_tabs, label_tabs
from holdfast.formats.markdown.marks import section_spans
from holdfast.formats.markdown.writer import MARKDOWN_VERSION, MEANINGFUL, Written, write_markdown
from holdfast.formats.media_type import BodyKind, body_kind
from holdfast.formats.text_sections import text_outline, text_sections

__all__ = ["DEFAULTS", "DistillOptions", "convert", "distill"]

_NOT_THE_PAGE: Final = frozenset((PageWarning.EMPTY_SHELL, PageWarning.LOGIN_WALL, PageWarning.CONSENT_WALL))
WANTED: Final = Wanted(NAMES, is_doubtful, MEANINGFUL)
"""What is noted while a page is read, for `find_main`, `prune` and the writer."""
_CONTENT_COMPONENTS: Final = ("text_v1", "body_v1")
DEFAULTS: Final = DistillOptions()
_CONVERTED: Final = Recipe.parse("http_snapshot_url_v1_text_v1")
_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)


def distill(capture: Capture, recipe: Recipe, options: DistillOptions = DEFAULTS) -> Page:
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
        return replace(page, sections=text_sections(page.text, kind, options.fragments), outline=outline)
    if breach(decoded.text) is not None:
        return _other(capture, recipe, PageWarning.TOO_COMPLEX)
    document = parse_html(decoded.text, WANTED)
    if document is None:
        return _other(capture, recipe, PageWarning.TOO_COMPLEX)
    base = base_of(document, capture.final)
    resolver = Resolver(base, absolute=options.absolute_links, local=dict(options.local))
    page = _read(decoded, document, resolver, recipe, options)
    if not options.glance:
        page = _written(page, document, resolver, options)
    elif options.outline:
        listed = listed_sections(Outline(document), page.title, page.language)
        page = replace(page, outline=tuple([entry.section for entry in listed]))
    return page if hash_text else replace(page, content_sha256=content_hash(decoded.text))


def convert(
    body: bytes,
    content_type: str = "text/html",
    url: Url | None = None,
    options: DistillOptions = DEFAULTS,
) -> ConvertedPage:
    """The page that bytes at hand are; without a URL its relative links stay as they are.

    What is neither HTML nor text is a `FailedError`.
    """
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
        case (PageWarning.TOO_COMPLEX,):
            return "exceeds a structural limit (nesting, attributes or unclosed formatting)"
        case _:
            return "neither HTML nor text"


def _read(
    decoded: Decoded, document: Document, resolver: Resolver, recipe: Recipe, options: DistillOptions
) -> Page:
    """What the page says, also of itself; its Markdown and headings are for `_written`."""
    head = read_head(document, resolver)
    text = page_text(document)
    warnings = warnings_of(document, decoded.text, head.title, text)
    return Page(
        title=head.title,
        markdown="",
        text=text,
        content_sha256=content_hash(text),
        recipe=recipe,
        markdown_version=MARKDOWN_VERSION,
        links=page_links(document, resolver) if options.links or not options.glance else (),
        canonical_link=head.canonical,
        language=head.language,
        anchors=anchors_of(document),
        sections=_cited(document, options.fragments, warnings),
        warnings=(*warnings, *_decoding(decoded)),
        noindex=head.noindex,
        nofollow=head.nofollow,
        refresh=head.refresh,
        markdown_alternate=head.markdown_alternate,
    )


def _written(page: Page, document: Document, resolver: Resolver, options: DistillOptions) -> Page:
    """The page with its Markdown. The tree is changed by that: nothing can be read from it afterwards."""
    listed = listed_sections(Outline(document), page.title, page.language) if options.outline else []
    numbers = numbers_by_element(document, listed) if listed else {}
    main = _whole(document) if options.full else find_main(document)
    written = _write(main, document, resolver, options)
    if not written.markdown and not options.full:  # the content is elsewhere: better all than nothing
        main = _whole(document)._replace(generator="~body")
        written = _write(main, document, resolver, options)
    spans = section_spans(written.marks, numbers, len(written.markdown.encode("utf-8", "surrogatepass")))
    return replace(
        page,
        markdown=written.markdown,
        headings=written.headings,
        generator=main.generator if main.known else None,
        outline=tuple(
            entry.section._replace(spans=tuple(spans.get(number, ()))) for number, entry in enumerate(listed)
        ),
    )


def _write(main: MainContent, document: Document, resolver: Resolver, options: DistillOptions) -> Written:
    if has_tabs(document.attributes):
        for element in main.elements:
            label_tabs(element)
    prune(main, document.doubts)
    return write_markdown(main.elements, resolver, options.anchors)


def _cited(
    document: Document, fragments: Iterable[str], warnings: Iterable[PageWarning]
) -> tuple[Section, ...]:
    """The sections that somebody cites. Of a page that is no page nobody can tell which it has."""
    if not fragments:
        return ()
    sections = page_sections(Outline(document), fragments)
    if _NOT_THE_PAGE.isdisjoint(warnings):
        return sections
    return tuple(Section(section.fragment, is_there=None) for section in sections)


def _whole(document: Document) -> MainContent:
    bodies = [place for place in document.landmarks() if place.element.tag == "body"]
    return MainContent(tuple(bodies[:1]), "whole page")


def _kept(decoded: Decoded, kind: BodyKind, recipe: Recipe, *, hash_text: bool) -> Page:
    """Text, Markdown, JSON, XML: the decoded text, line ends normalized."""
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    return Page(
        title=_first_heading(text) if kind is BodyKind.MARKDOWN else "",
        markdown="" if kind is BodyKind.DATA else text,
        text=text,
        content_sha256=content_hash(text if hash_text else decoded.text),
        recipe=recipe,
        markdown_version=MARKDOWN_VERSION,
        warnings=_decoding(decoded),
        kind=PageKind.OTHER if kind is BodyKind.DATA else PageKind.TEXT,
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
    for part in recipe.components:
        if str(part) in _CONTENT_COMPONENTS:
            return str(part)
    raise UsageError(
        f"{recipe} names no content component that this version of Holdfast can make",
        hint=f"known are {' and '.join(_CONTENT_COMPONENTS)}",
    )


def _decoding(decoded: Decoded) -> tuple[PageWarning, ...]:
    return (PageWarning.DECODING,) if decoded.malformed else ()


def _first_heading(markdown: str) -> str:
    lines = (line for line in markdown.split("\n") if line.startswith("# "))
    return next(lines, "").removeprefix("# ").strip()
