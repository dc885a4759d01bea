"""Who reads a page: the native reader, if it is there and does not decline; else the reference."""

from __future__ import annotations

from holdfast.core.distill_options import DistillOptions
from holdfast.core.url import Url
from holdfast.formats.html.guard import breach
from holdfast.formats.html.tokens import CHANGED, normal_form
from holdfast.formats.page import native, reference
from holdfast.formats.page.reading import Reading

__all__ = ["read_page"]


def read_page(html: str, url: Url, options: DistillOptions, utf8: bytes | None = None) -> Reading | None:
    """Everything that is asked of a page; None where it is beyond the limits. `utf8` is the page's own bytes,
    where somebody has them: who parses wants no other.
    """
    reader = native.READER
    given = html if utf8 is None else utf8
    if (reader is None or not reader.is_harmless(given)) and breach(html) is not None:
        return None
    form = normal_form(html, CHANGED if reader is None else reader.changed(given), utf8)
    if form is None:
        return None
    reading = native.read_form(reader, form, url, options) if reader is not None else None
    return reading if reading is not None else reference.read_form(form, url, options)
