"""What is read from a page, whoever reads it."""

from __future__ import annotations

from typing import NamedTuple

from holdfast.core.fragment import Section
from holdfast.core.page import Link
from holdfast.core.section import PageSection
from holdfast.formats.html.head import Head
from holdfast.formats.html.signals import Signs
from holdfast.formats.markdown.writer import Written

__all__ = ["Reading"]


class Reading(NamedTuple):
    """A page. `written` is None where no Markdown was wanted, `generator` where nobody knows it."""

    text: str
    head: Head
    links: tuple[Link, ...]
    anchors: frozenset[str]
    sections: tuple[Section, ...]
    signs: Signs
    written: Written | None = None
    generator: str | None = None
    outline: tuple[PageSection, ...] = ()
