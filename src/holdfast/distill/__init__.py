"""Capture + Recipe → Page: what the tool means by a page. `page` makes it; `harvest` makes of it all that a
crawl needs.

Whoever imports this brings no parser: they come with the first page. Most processes that hand pages to others
never have one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from holdfast.core.distill_options import DistillOptions
from holdfast.core.late_modules import module_of

if TYPE_CHECKING:
    from types import ModuleType

    from holdfast.core.answers.pages import ConvertedPage
    from holdfast.core.capture import Capture
    from holdfast.core.page import Page
    from holdfast.core.recipe import Recipe
    from holdfast.core.url import Url

__all__ = ["DEFAULTS", "DistillOptions", "convert", "distill", "page_gist"]

DEFAULTS: Final = DistillOptions()


def distill(capture: Capture, recipe: Recipe, options: DistillOptions = DEFAULTS) -> Page:
    """Make the page of a capture."""
    page: Page = _with_parsers().distill(capture, recipe, options)
    return page


def convert(
    body: bytes, content_type: str = "text/html", url: Url | None = None, options: DistillOptions = DEFAULTS
) -> ConvertedPage:
    """The page that bytes at hand are; without a URL its relative links stay as they are.

    What is neither HTML nor text is a `FailedError`.
    """
    page: ConvertedPage = _with_parsers().convert(body, content_type, url, options)
    return page


def page_gist(page: Page, url: Url) -> str:
    """What a page of this address says, as a short hash (`core.traps`)."""
    gist: str = _with_parsers().page_gist(page, url)
    return gist


@cache
def _with_parsers() -> ModuleType:
    return module_of(__name__, "page")
