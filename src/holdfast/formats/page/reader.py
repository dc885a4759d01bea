"""Who reads a page: the native reader, if it is there and does not decline; else the reference."""

from __future__ import annotations

from holdfast.core.distill_options import DistillOptions
from holdfast.core.url import Url
from holdfast.formats.html.guard import breach
from holdfast.formats.html.tokens import normal_form
from holdfast.formats.page import native, reference
from holdfast.formats.page.reading import Reading

__all__ = ["read_page"]


def read_page(html: str, url: Url, options: DistillOptions) -> Reading | None:
    """Everything that is asked of a page; None where it is beyond the limits."""
    reader = native.READER
    if (reader is None or not reader.is_harmless(html)) and breach(html) is not None:
        return None
    form = normal_form(html) if reader is None else normal_form(html, reader.changed(html))
    if form is None:
        return None
    reading = native.read_form(reader, form, url, options) if reader is not None else None
    return reading if reading is not None else reference.read_form(form, url, options)
