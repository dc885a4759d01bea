"""The door to the native reader (`native/`), which does what the reference does in one call.

1. It is told the reference's own tables once, and asks what only Python knows: its Unicode tables, the URL
   parser, patterns of names.
2. What it declines (None) the reference reads.
3. The gist of a page (`core/url/traps`) is made by the native reader where it is built.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote

from holdfast.core.base.hashing import content_hash
from holdfast.core.base.unicode14 import nfc
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.page.fragment import ElementTarget, Words, generated_ids, section_hash
from holdfast.core.page.html import (
    cited_section,
    main_content,
    page_links,
    section_list,
    section_outline,
    signals,
    taking_out,
    text_v1,
    tokens,
)
from holdfast.core.page.html.head import based, refresh_in
from holdfast.core.page.html.tree import Element
from holdfast.core.page.markdown import (
    boxes,
    code,
    context,
    footnotes,
    inline,
    inline_run,
    lists,
    marks,
    tables,
    writer,
)
from holdfast.core.page.page import Heading, Link, LinkKind, Page, PageHead, PageStructure
from holdfast.core.page.reading import Reading
from holdfast.core.page.section import PageSection, SectionKind, heading_slug
from holdfast.core.url.traps import gist_of, gist_of_words
from holdfast.core.url.url import Refused, Url, parse_url

try:
    from holdfast.core.page._native import REFERENCE, Reader
except ImportError:  # it was not built here
    REFERENCE = ""  # type: ignore[misc]
    Reader = None  # type: ignore[assignment, misc]

TABLES: Final[dict[str, Any]] = {
    name: table
    for module in (
        *(
            tokens,
            text_v1,
            page_links,
            main_content,
            taking_out,
            signals,
            section_list,
            section_outline,
            cited_section,
        ),
        *(context, writer, inline, code, lists, boxes, tables, marks, footnotes),
    )
    for name, table in module.TABLES.items()
}
_MAKERS: Final = {
    "url": Url,
    "link": Link,
    "heading": Heading,
    "kinds": {str(kind): kind for kind in LinkKind},
    "section": PageSection,
    "section kinds": {str(kind): kind for kind in SectionKind},
    "section hash": section_hash,
    "content hash": content_hash,
}
READER: Final = Reader(TABLES, _MAKERS) if f"text_v1 {writer.MARKDOWN_VERSION}" == REFERENCE else None
"""The reader of this process; None where it is not built, or was built for another reference."""


def read_form(reader: Reader, normal_form: str, url: Url, options: DistillOptions) -> Reading | None:
    """What the reference would read from a normal form; None where that is the reference's to say."""
    questions = _Questions(url)
    named = cited_section.named_by(options.fragments)
    cited = [what.names for what in named.values() if isinstance(what, ElementTarget)]
    quotes = any(isinstance(what, Words) for what in named.values())
    wanted = {
        "full": options.full,
        "absolute": options.absolute_links,
        "written": not options.glance,
        "links": options.links or not options.glance,
        "local": dict(options.local) or None,
        "anchors": options.anchors,
        "outline": options.outline,
        "cited": (cited, quotes) if cited or quotes else None,
    }
    values = reader.read(normal_form, questions, wanted)
    if values is None:
        return None
    text, hashed, head, found, anchors, signs, outline, cited_texts, written = values
    markdown, headings, generator = written or ("", (), None)
    texts, body = cited_texts or ((), "")
    of_names = dict(zip(cited, texts, strict=True))
    sections = cited_section.cited_sections(named, of_names.get, lambda: body)
    return Reading(
        text=text,
        text_sha256=hashed,
        head=_head(head, questions.base_url, generator),
        links=found,
        structure=PageStructure(headings, anchors, sections, outline),
        signs=signals.Signs(*signs),
        markdown=markdown,
    )


def _head(values: tuple[Any, ...], base: Url, generator: str | None) -> PageHead:
    title, language, canonical, noindex, nofollow, refresh, alternate = values
    target = refresh_in(refresh) if refresh is not None else None
    refreshed = page_links.Resolver(base).url(target) if target is not None else None
    return PageHead(title, language or None, canonical, noindex, nofollow, refreshed, alternate, generator)


@lru_cache(maxsize=4_000)
def _absolute(reference: str) -> Url | None:
    """A reference that means the same on every page, and often stands on many."""
    url = parse_url(reference)
    return None if isinstance(url, Refused) else url


class _Questions:
    """What the native reader asks of Python, about one page."""

    __slots__ = ("base_url",)

    def __init__(self, page: Url) -> None:
        self.base_url = page

    def base(self, reference: str | None) -> Url:
        """The URL that relative references are relative to; `reference` is the page's word on it."""
        if reference is not None:
            self.base_url = based(reference, self.base_url)
        return self.base_url

    def parse(self, reference: str) -> Url | None:
        """The http(s) URL that a reference means."""
        if reference.startswith(("https://", "http://")):
            return _absolute(reference)
        url = parse_url(reference, self.base_url)
        return None if isinstance(url, Refused) else url

    @staticmethod
    def character(character: str) -> int:
        """What Python knows of a character: alphanumeric 1, a decimal 2, no letter for emphasis 4."""
        return character.isalnum() + 2 * character.isdecimal() + 4 * inline_run.stands_apart(character)

    @staticmethod
    def named_after(names: str) -> int:
        """Whether something of these names is furniture 1, navigation 2."""
        return taking_out.named_after(names)

    @staticmethod
    def unquote(text: str) -> str:
        """A reference without its escapes."""
        return unquote(text)

    @staticmethod
    def nfc(text: str) -> str:
        """NFC of Unicode 14.0."""
        return nfc(text)

    @staticmethod
    def heading_slug(text: str) -> str:
        """The id that a renderer makes of a heading."""
        return heading_slug(text)

    @staticmethod
    def api_name(names: list[str], title: str, around: str, code: bool, page: str) -> str | None:  # noqa: FBT001 - called from Rust
        """The qualified name of a section that is not a signature."""
        return section_list.api_name(names, title, "", around, code=code, page=page)

    @staticmethod
    def container_in(title: str, descriptions: list[str]) -> str:
        """What a page is about."""
        return section_list.container_in(title, descriptions)

    @staticmethod
    def fitting_headings(ids: list[str], headings: list[str]) -> list[int]:
        """The numbers of the headings of which a renderer would make one of these ids."""
        return [at for at, made in enumerate(generated_ids(headings)) if not set(ids).isdisjoint(made)]

    @staticmethod
    def alignment(style: str) -> str:
        """How a style aligns text."""
        return tables.alignment_in(style)

    @staticmethod
    def language(classes: str) -> str:
        """The language that a class names."""
        return code.language_in(Element("pre", {"class": classes}, frozenset()))

    @staticmethod
    def safe_language(stated: str) -> str:
        """A language as it may stand after a fence."""
        return code.language_in(Element("pre", {"data-lang": stated}, frozenset()))


def page_gist(page: Page, url: Url) -> str:
    """The gist of a page of this address."""
    linked = [link.text for link in page.links]
    reader = READER
    if reader is not None:
        said = reader.said(page.text.lower(), url.target.lower(), " ".join(linked).lower())
        if said is not None:
            return gist_of_words(*said)
    return gist_of(page.text, url, linked)
