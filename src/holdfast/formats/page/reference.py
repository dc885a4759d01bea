"""The reference: a page read by the modules of `formats/html` and `formats/markdown`, one tree for all."""

from __future__ import annotations

from typing import Final

from holdfast.core.distill_options import DistillOptions
from holdfast.core.hashing import content_hash
from holdfast.core.url import Url
from holdfast.formats.html.head import base_of, read_head
from holdfast.formats.html.links import Resolver, page_links
from holdfast.formats.html.listed_sections import facts_of, listed_sections, numbers_by_element
from holdfast.formats.html.main_content import NAMES, MainContent, find_main
from holdfast.formats.html.outline import anchors_of
from holdfast.formats.html.prune import is_doubtful, prune
from holdfast.formats.html.section_outline import Outline
from holdfast.formats.html.sections import page_sections
from holdfast.formats.html.signals import signs_of
from holdfast.formats.html.text_v1 import page_text
from holdfast.formats.html.tokens import Wanted
from holdfast.formats.html.tree import ParsedPage, build_tree
from holdfast.formats.markdown.boxes import has_tabs, label_tabs
from holdfast.formats.markdown.marks import MarkedLine
from holdfast.formats.markdown.writer import MEANINGFUL, Written, write_markdown
from holdfast.formats.page.reading import Reading, with_outline

__all__ = ["WANTED", "read_form"]

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
        anchors=anchors_of(document),
        sections=page_sections(Outline(document), options.fragments) if options.fragments else (),
        signs=signs_of(document),
    )
    if not options.glance:
        return _written(reading, document, resolver, options)
    if not options.outline:
        return reading
    listed = listed_sections(facts_of(Outline(document)), reading.head.title, reading.head.language)
    return reading._replace(outline=tuple(entry.section for entry in listed))


def _written(reading: Reading, document: ParsedPage, resolver: Resolver, options: DistillOptions) -> Reading:
    """With the Markdown. The tree is changed by that: nothing can be read from it afterwards."""
    head = reading.head
    listed = (
        listed_sections(facts_of(Outline(document)), head.title, head.language) if options.outline else []
    )
    numbers = numbers_by_element(document, listed) if listed else {}
    main = _whole(document) if options.full else find_main(document)
    written = _write(main, document, resolver, options)
    if not written.markdown and not options.full:  # the content is elsewhere: better all than nothing
        main = _whole(document)._replace(generator="~body")
        written = _write(main, document, resolver, options)
    reading = reading._replace(
        markdown=written.markdown,
        headings=written.headings,
        generator=main.generator if main.known else None,
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
