"""What distilling makes of a capture: the page, its links, what was odd about it.

`Mention` is a URL as it stands in a document, with its place; `Link` is where a page points to, resolved.
A folder of documents has a hundred thousand mentions: they are tuples, which are made in a third of the time.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from holdfast.core.fragment import Section
from holdfast.core.hashing import ContentHash
from holdfast.core.recipe import Recipe
from holdfast.core.section import KeptSection, PageSection, kept_sections
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = [
    "Gist",
    "Heading",
    "Link",
    "LinkKind",
    "Mention",
    "Page",
    "PageHead",
    "PageKind",
    "PageStructure",
    "PageWarning",
    "Span",
]


class LinkKind(StrEnum):
    """How a page or a document points to a URL; `ALTERNATE` is a page's own Markdown."""

    ANCHOR = "anchor"
    IMAGE = "image"
    MEDIA = "media"
    FRAME = "frame"
    AUTOLINK = "autolink"
    BARE = "bare"
    REFERENCE = "reference"
    FOOTNOTE = "footnote"
    HTML = "html"
    ALTERNATE = "alternate"


class Span(NamedTuple):
    """Where a text stands in a file: bytes from its start, line and columns from 1.

    `column` counts characters (code points), `utf16_column` counts UTF-16 code units, as editors do.
    """

    start: int
    end: int
    line: int
    column: int
    utf16_column: int


class Mention(NamedTuple):
    """A URL as written in a document, with the format's escapes undone: what it is called, where it stands.

    `span` holds the URL's own bytes; `used`, where there is one, is the place that refers to them.
    """

    raw: str
    text: str
    kind: LinkKind
    span: Span
    used: Span | None = None


class Link(NamedTuple):
    """Where a page points to. `target` keeps the fragment; `nofollow` is the link's own wish."""

    target: Url
    text: str
    kind: LinkKind
    nofollow: bool = False


class Heading(NamedTuple):
    """A heading of the page, with the id it can be linked by."""

    level: int
    text: str
    anchor: str | None


class PageWarning(StrEnum):
    """A page that may not be the content that was wanted (TXT-6), or that was cut."""

    EMPTY_SHELL = "empty_shell"
    SOFT_404 = "soft_404"
    LOGIN_WALL = "login_wall"
    CONSENT_WALL = "consent_wall"
    DECODING = "decoding"
    TOO_LARGE = "too_large"
    TOO_COMPLEX = "too_complex"


class PageKind(StrEnum):
    """What a capture is (MIR-2): a page, a text kept as it is, or neither (a placeholder stands for it)."""

    PAGE = "page"
    TEXT = "text"
    OTHER = "other"


class Gist(NamedTuple):
    """What is kept of a page that is only cited. Plain values: they go from one process to another in a
    tenth of the time that a page takes.
    """

    content_sha256: ContentHash
    title: str
    warnings: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    outline: tuple[KeptSection, ...] = ()


class PageHead(NamedTuple):
    """What a page says of itself, and who made it: `generator` is the row of the table that fitted."""

    full_title: str = ""
    language: str | None = None
    canonical_link: Url | None = None
    noindex: bool = False
    nofollow: bool = False
    refresh: Url | None = None
    markdown_alternate: Url | None = None
    generator: str | None = None


class PageStructure(NamedTuple):
    """The places of a page: `sections` are those that somebody cites, `outline` all of them in order."""

    headings: tuple[Heading, ...] = ()
    anchors: frozenset[str] = frozenset()
    sections: tuple[Section, ...] = ()
    outline: tuple[PageSection, ...] = ()


_NO_HEAD: Final = PageHead()
_NO_STRUCTURE: Final = PageStructure()


@dataclass(frozen=True, slots=True)
class Page:
    """A distilled capture. Equal captures and recipes give equal pages.

    `title` is without the site's, as far as the page says what is its own; the head has the whole.
    """

    title: str
    markdown: str
    text: str
    content_sha256: ContentHash
    recipe: Recipe
    markdown_version: str
    links: tuple[Link, ...] = ()
    warnings: tuple[PageWarning, ...] = ()
    kind: PageKind = PageKind.PAGE
    head: PageHead = _NO_HEAD
    structure: PageStructure = _NO_STRUCTURE

    @property
    def gist(self) -> Gist:
        """What it says, without how it looks and where it points."""
        warnings, structure = tuple(map(str, self.warnings)), self.structure
        outline = kept_sections(structure.outline)
        return Gist(self.content_sha256, self.title, warnings, structure.sections, outline)
