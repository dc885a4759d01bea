"""What is read from a page, whoever reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.core.base.hashing import ContentHash
from holdfast.core.page.html.section_list import ListedSection
from holdfast.core.page.html.signals import Signs
from holdfast.core.page.markdown.marks import MarkedLine, section_spans
from holdfast.core.page.page import Link, PageHead, PageStructure
from holdfast.core.page.section import PageSection


class Reading(NamedTuple):
    """What a reader reads from HTML, as much as was wanted; nobody has judged it. `is_reduced`: not all tags
    were read.
    """

    text: str
    text_sha256: ContentHash
    head: PageHead
    links: tuple[Link, ...]
    structure: PageStructure
    signs: Signs
    markdown: str = ""
    is_reduced: bool = False


def with_outline(reading: Reading, listed: Sequence[ListedSection], lines: Sequence[MarkedLine]) -> Reading:
    """With the sections, and the bytes of the Markdown that say them."""
    if not listed:
        return reading
    text = reading.markdown
    spans = section_spans(lines, len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass")))
    sections = [
        PageSection(*entry.section[:-1], tuple(spans[number])) if number in spans else entry.section
        for number, entry in enumerate(listed)
    ]
    return reading._replace(structure=reading.structure._replace(outline=tuple(sections)))
