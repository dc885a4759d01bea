"""What a worker of `distillery` does; apart from it, so that a worker imports neither pool nor event loop."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from holdfast.core.base.hashing import ContentHash
from holdfast.core.page.distill_options import DistillOptions, distill
from holdfast.core.page.fragment import Section
from holdfast.core.url.policy import Recipe
from holdfast.core.url.url import Url
from holdfast.core.web.capture import Capture, Headers

_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""What a page becomes depends on no time: none is sent."""


def distill_cited(
    address: tuple[str, str, int | None, str, str | None, str],
    headers: Headers,
    body: bytes,
    fragments: frozenset[str],
    recipe: Recipe,
    options: DistillOptions,
) -> tuple[ContentHash, str, tuple[str, ...], tuple[Section, ...], tuple[tuple[Any, ...], ...]]:
    """A page's gist as plain tuples: naming their classes would take longer than sending the rest."""
    url = Url(*address)
    capture = Capture(url, url, 200, headers, body, _NO_TIME)
    page = distill(capture, recipe, replace(options, fragments=fragments) if fragments else options)
    content, title, warnings, sections, outline = page.gist
    return content, title, warnings, sections, tuple(map(tuple, outline))
