"""How a page is read; apart from `distill`, so that who only says it brings no parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.core.values import dataclass

if TYPE_CHECKING:
    from holdfast.core.settings import Settings

__all__ = ["DistillOptions", "distill_options"]


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
