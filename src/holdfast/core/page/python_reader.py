"""The reference: a page read by the modules of `core/page/html` and `core/page/markdown`, one tree for all.

Who reads a page: the native reader, if it is there and does not decline; else the reference.
"""

from __future__ import annotations

from typing import Final

from holdfast.core.base.hashing import content_hash
from holdfast.core.page import rust_reader
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.html.cited_section import page_sections
from holdfast.core.page.html.head import anchors_of, base_of, read_head
from holdfast.core.page.html.limits import breach
from holdfast.core.page.html.main_content import NAMES, MainContent, find_main
from holdfast.core.page.html.page_links import Resolver, page_links
from holdfast.core.page.html.reduced import reduced, without_formatting
from holdfast.core.page.html.section_list import facts_of, listed_sections, numbers_by_element
from holdfast.core.page.html.section_outline import Outline
from holdfast.core.page.html.signals import signs_of
from holdfast.core.page.html.taking_out import is_doubtful, prune
from holdfast.core.page.html.text_v1 import page_text
from holdfast.core.page.html.tokens import CHANGED, Wanted, large_form, normal_form
from holdfast.core.page.html.tree import ParsedPage, build_tree
from holdfast.core.page.markdown.boxes import has_tabs, label_tabs
from holdfast.core.page.markdown.marks import MarkedLine
from holdfast.core.page.markdown.writer import MEANINGFUL, Written, write_markdown
from holdfast.core.page.page import PageStructure
from holdfast.core.page.reading import Reading, with_outline
from holdfast.core.url.url import Url

WANTED: Final = Wanted(NAMES, is_doubtful, MEANINGFUL)
"""What is noted while a page is read, for `find_main`, `prune` and the writer."""


def read_form(normal_form: str, url: Url, options: DistillOptions) -> Reading:
    """Everything that is asked of a page."""
    document = build_tree(normal_form, WANTED)
    resolver = Resolver(base_of(document, url), absolute=options.absolute_links, local=dict(options.local))
    text = page_text(document)
    reading = Reading(
        text=text,
        text_sha256=content_hash(text),
        head=read_head(document, resolver),
        links=page_links(document, resolver) if options.links or not options.glance else (),
        structure=PageStructure(
            anchors=anchors_of(document),
            sections=page_sections(Outline(document), options.fragments) if options.fragments else (),
        ),
        signs=signs_of(document),
    )
    if not options.glance:
        return _written(reading, document, resolver, options)
    if not options.outline:
        return reading
    listed = listed_sections(facts_of(Outline(document)), reading.head.full_title, reading.head.language)
    outline = tuple(entry.section for entry in listed)
    return reading._replace(structure=reading.structure._replace(outline=outline))


def _written(reading: Reading, document: ParsedPage, resolver: Resolver, options: DistillOptions) -> Reading:
    """With the Markdown. The tree is changed by that: nothing can be read from it afterwards."""
    head = reading.head
    listed = (
        listed_sections(facts_of(Outline(document)), head.full_title, head.language)
        if options.outline
        else []
    )
    numbers = numbers_by_element(document, listed) if listed else {}
    main = _whole(document) if options.full else find_main(document)
    written = _write(main, document, resolver, options)
    if not written.markdown and not options.full:  # the content is elsewhere: better all than nothing
        main = _whole(document)._replace(generator="~body")
        written = _write(main, document, resolver, options)
    reading = reading._replace(
        markdown=written.markdown,
        head=head._replace(generator=main.generator if main.known else None),
        structure=reading.structure._replace(headings=written.headings),
    )
    lines = [
        MarkedLine(numbers.get(id(element)), element is not None and element.tag == "dt", element is None, at)
        for element, at in written.marks
    ]
    return with_outline(reading, listed, lines)


def _write(main: MainContent, document: ParsedPage, resolver: Resolver, options: DistillOptions) -> Written:
    if has_tabs(document.attributes):
        for element in main.elements:
            label_tabs(element)
    prune(main, document.doubts)
    return write_markdown(main.elements, resolver, options.anchors)


def _whole(document: ParsedPage) -> MainContent:
    bodies = [place for place in document.landmarks() if place.element.tag == "body"]
    return MainContent(tuple(bodies[:1]), "whole page")


def read_page(html: str, url: Url, options: DistillOptions, utf8: bytes | None = None) -> Reading:
    """Everything that is asked of a page. `utf8` is the page's own bytes, where somebody has them: who parses
    wants no other.
    """
    form, is_reduced = form_of(html, utf8)
    reading = (
        rust_reader.read_form(rust_reader.READER, form, url, options)
        if rust_reader.READER is not None
        else None
    )
    if reading is None:
        reading = read_form(form, url, options)
    return reading._replace(is_reduced=True) if is_reduced else reading


def form_of(html: str, utf8: bytes | None = None) -> tuple[str, bool]:
    """The normal form of a page, and whether that is of what is left of it within the limits (TXT-7)."""
    reader = rust_reader.READER
    given = html if utf8 is None else utf8
    if (reader is not None and reader.is_harmless(given)) or breach(html) is None:
        form = normal_form(html, CHANGED if reader is None else reader.changed(given), utf8)
        if form is not None:
            return form, False
    form = normal_form(reduced(html))
    return form if form is not None else large_form(without_formatting(html)), True
