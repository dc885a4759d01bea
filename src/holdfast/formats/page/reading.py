"""What is read from a page, whoever reads it."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.fragment import Section
from holdfast.core.page import Heading, Link
from holdfast.core.section import PageSection
from holdfast.formats.html.head import Head
from holdfast.formats.html.signals import Signs

__all__ = ["Reading"]


class Reading(NamedTuple):
    """A page; as much of it as was wanted. `generator` is None where nobody knows it."""

    text: str
    head: Head
    links: tuple[Link, ...]
    anchors: frozenset[str]
    sections: tuple[Section, ...]
    signs: Signs
    markdown: str = ""
    headings: tuple[Heading, ...] = ()
    generator: str | None = None
    outline: tuple[PageSection, ...] = ()
