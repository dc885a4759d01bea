"""What a page says, as a short hash (`core.traps`): by the native reader where it is built."""

from __future__ import annotations

from holdfast.core.page import Page
from holdfast.core.traps import gist_of, gist_of_words
from holdfast.core.url import Url
from holdfast.formats.page import native

__all__ = ["page_gist"]


def page_gist(page: Page, url: Url) -> str:
    """The gist of a page of this address."""
    linked = [link.text for link in page.links]
    reader = native.READER
    if reader is not None:
        said = reader.said(page.text.lower(), url.target.lower(), " ".join(linked).lower())
        if said is not None:
            return gist_of_words(*said)
    return gist_of(page.text, url, linked)
