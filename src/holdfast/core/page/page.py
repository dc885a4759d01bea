"""What distilling makes of a capture: the page, its links, what was odd about it.

`Mention` is a URL as it stands in a document, with its place; `Link` is where a page points to, resolved. A
folder of documents has a hundred thousand mentions: they are tuples, which are made in a third of the time.
`ConvertedPage` is a page that was made of bytes at hand, rather than of a capture.

What the pages of a site add to their titles: `Quickstart — Flask Documentation (2.2.x)`.

1. A page says itself what of its title is its own: the part that is its first heading, before or after a
   separator (`own_title`). That needs no other page.
2. Where it does not, its neighbours may: a title is parted by a separator (with spaces around it, or a
   colon), and what at least half of the pages of a site, and three, end with (or begin with) after (before)
   a separator is the site's own title (`site_title`). It is looked for in the first 2,000 pages.
3. A page whose title is that alone keeps it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from itertools import islice
from typing import Final, NamedTuple

from holdfast.core.base.hashing import ContentHash
from holdfast.core.base.values import dataclass
from holdfast.core.page.fragment import Section
from holdfast.core.page.section import KeptSection, PageSection, kept_sections
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Url


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


NOWHERE: Final = Url("https", "page.invalid", None, "/", None)
"""Stands for the URL of a page that has none; links to it are not shown."""


@dataclass(frozen=True, slots=True)
class ConvertedPage:
    """A page, and the URL it was said to be from."""

    url: Url | None
    page: Page

    @property
    def markdown(self) -> str:
        """The page as Markdown."""
        return self.page.markdown

    @property
    def text(self) -> str:
        """The text that is hashed."""
        return self.page.text

    @property
    def links(self) -> tuple[Link, ...]:
        """Where it points to; without a URL of its own, only what is absolute."""
        links = self.page.links
        return links if self.url else tuple(link for link in links if link.target.host != NOWHERE.host)


_SEPARATOR = re.compile(r"\s+(?:[|—–·•»«:-]|::|>>)\s+|:{1,2}\s+")
_FEWEST: Final = 3
MOST: Final = 2_000


class SiteTitle(NamedTuple):
    """What a site is called by its own pages; empty where they do not say."""

    name: str = ""
    leads: bool = False

    def short(self, title: str) -> str:
        """A page's title without the site's."""
        if not self.name or title == self.name:
            return title
        if self.leads and title.startswith(self.name):
            parted = _SEPARATOR.match(title, len(self.name))
            return title[parted.end() :] if parted else title
        if not self.leads and title.endswith(self.name):
            before = title[: len(title) - len(self.name)]
            found = [match for match in _SEPARATOR.finditer(before) if match.end() == len(before)]
            return before[: found[0].start()] if found and found[0].start() else title
        return title


def own_title(title: str, heading: str) -> str:
    """A page's title without what its first heading does not say; the whole where it is not part of it."""
    said, own = " ".join(title.split()), " ".join(heading.split()).strip(" ¶#")
    for parted in _SEPARATOR.finditer(said) if own else ():
        before, after = said[: parted.start()], said[parted.end() :]
        for part in (before, after):
            if part.casefold() == own.casefold():
                return part
    return title


def site_title(titles: Iterable[str]) -> SiteTitle:
    """The title that the pages of one site share."""
    ends: Counter[str] = Counter()
    starts: Counter[str] = Counter()
    count = 0
    for title in islice(titles, MOST):
        count += 1
        parts = list(_SEPARATOR.finditer(title))
        if parts:
            ends.update({title[match.end() :] for match in parts})
            starts.update({title[: match.start()] for match in parts})
    least = max(_FEWEST, (count + 1) // 2)
    for found, leads in ((ends, False), (starts, True)):
        shared = [text for text, number in found.items() if text and number >= least]
        if shared:
            return SiteTitle(max(shared, key=lambda text: (len(text), text)), leads)
    return SiteTitle()
