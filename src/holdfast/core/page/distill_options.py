"""How a page is read, and the late door to distilling.

Whether the native reader may read is decided by whoever starts a process, before the reader is imported: by
default it may. Both readers give the same: the choice is for whoever doubts it, or measures.

`DistillOptions` says how a page is read. Capture + Recipe → Page is what the tool means by a page:
`distill` and `convert` make it. Whoever imports this file brings no parser: the parsers come with the first
page. Most processes that hand pages to others never have one.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from holdfast.core.base.late_modules import module_of
from holdfast.core.base.values import dataclass

if TYPE_CHECKING:
    from types import ModuleType

    from holdfast.core.page.page import ConvertedPage, Page
    from holdfast.core.settings.resolve import Settings
    from holdfast.core.url.policy import Recipe
    from holdfast.core.url.url import Url
    from holdfast.core.web.capture import Capture


VARIABLE: Final = "HOLDFAST_NATIVE"
NATIVE: Final = "holdfast.core.page._native"


def without_native(environment: Mapping[str, str], modules: MutableMapping[str, Any]) -> bool:
    """Under `HOLDFAST_NATIVE=0` the reference alone reads: among `modules`, those of the process, the native
    one is marked as not there. Whether that was so.
    """
    if environment.get(VARIABLE) != "0":
        return False
    modules[NATIVE] = None  # Python's own way to say that an import fails
    return True


@dataclass(frozen=True, slots=True)
class DistillOptions:
    """How the Markdown is made and what is parsed at all; nothing here moves a hash but `max_bytes`.

    `full` writes the whole body instead of its main content; without `absolute_links` the references of a
    page whose URL is not known stay as they are; a body of more than `max_bytes` is not parsed.
    `glance` reads what a page says and leaves out how it looks: no Markdown, no headings, and links only with
    `links`.
    `outline` lists the page's sections, with the bytes of the Markdown that say them, if it is written.
    `fragments` are the sections that somebody cites; `local` are addresses, without fragment, and the
    relative paths that stand for them; `anchors` says how the places that can be linked to are written.
    """

    full: bool = False
    absolute_links: bool = True
    max_bytes: int = 10_000_000
    glance: bool = False
    links: bool = False
    fragments: frozenset[str] = frozenset()
    local: tuple[tuple[str, str], ...] = ()
    anchors: str = "html"
    outline: bool = False


def distill_options(settings: Settings, *, outline: bool = False) -> DistillOptions:
    """How the settings want Markdown made."""
    return DistillOptions(
        full=settings.mirror.files.content == "full",
        max_bytes=settings.distill.max_page_bytes,
        anchors=settings.mirror.files.anchors,
        outline=outline,
    )


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
    """What a page of this address says, as a short hash (`core.url.traps`)."""
    gist: str = _with_parsers().page_gist(page, url)
    return gist


@cache
def _with_parsers() -> ModuleType:
    return module_of("holdfast.core.page", "distill")
