"""A page that was made of bytes at hand, rather than of a capture."""

from __future__ import annotations

from typing import Final

from holdfast.core.page import Link, Page
from holdfast.core.url import Url
from holdfast.core.values import dataclass

__all__ = ["NOWHERE", "ConvertedPage"]

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
