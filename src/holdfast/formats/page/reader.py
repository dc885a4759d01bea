"""Who reads a page: the native reader, if it is there and does not decline; else the reference."""

from __future__ import annotations

from holdfast.core.distill_options import DistillOptions
from holdfast.core.url import Url
from holdfast.formats.html.guard import breach
from holdfast.formats.html.reduced import reduced, without_formatting
from holdfast.formats.html.tokens import CHANGED, large_form, normal_form
from holdfast.formats.page import native, reference
from holdfast.formats.page.reading import Reading

__all__ = ["form_of", "read_page"]


def read_page(html: str, url: Url, options: DistillOptions, utf8: bytes | None = None) -> Reading:
    """Everything that is asked of a page. `utf8` is the page's own bytes, where somebody has them: who parses
    wants no other.
    """
    form, is_reduced = form_of(html, utf8)
    reading = native.read_form(native.READER, form, url, options) if native.READER is not None else None
    if reading is None:
        reading = reference.read_form(form, url, options)
    return reading._replace(is_reduced=True) if is_reduced else reading


def form_of(html: str, utf8: bytes | None = None) -> tuple[str, bool]:
    """The normal form of a page, and whether that is of what is left of it within the limits (TXT-7)."""
    reader = native.READER
    given = html if utf8 is None else utf8
    if (reader is not None and reader.is_harmless(given)) or breach(html) is None:
        form = normal_form(html, CHANGED if reader is None else reader.changed(given), utf8)
        if form is not None:
            return form, False
    form = normal_form(reduced(html))
    return form if form is not None else large_form(without_formatting(html)), True
