"""Distilling in workers: the `Distiller` port."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from holdfast.adapters.workers.pool import Workers
from holdfast.adapters.workers.process import Limits, Lost
from holdfast.core.capture import Capture, Headers
from holdfast.core.fragment import Section
from holdfast.core.hashing import ContentHash
from holdfast.core.page import Gist
from holdfast.core.recipe import Recipe
from holdfast.core.url import Url
from holdfast.distill import DEFAULTS, DistillOptions, distill
from holdfast.ports import Undistilled

__all__ = ["Distillery"]

_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""What a page becomes depends on no time: none is sent."""


class Distillery:
    """Distills in `workers` processes. What a page becomes depends on the capture alone. Close it."""

    def __init__(
        self,
        recipe: Recipe,
        options: DistillOptions = DEFAULTS,
        *,
        workers: int = 2,
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        self._workers = Workers(workers, limits)
        self._common = (recipe, options)

    async def distill(self, capture: Capture, fragments: frozenset[str] = frozenset()) -> Gist | Undistilled:
        """The gist of a capture's page, or why there is none."""
        values = (tuple(capture.final), capture.headers, capture.body, fragments)
        try:
            gist = await self._workers.run(_distill_cited, *values, common=self._common)
        except Lost as lost:
            return Undistilled("crash" if lost.reason == "raised" else lost.reason, lost.detail)
        return Gist(*gist)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()


def _distill_cited(
    address: tuple[str, str, int | None, str, str | None, str],
    headers: Headers,
    body: bytes,
    fragments: frozenset[str],
    recipe: Recipe,
    options: DistillOptions,
) -> tuple[ContentHash, str, tuple[str, ...], tuple[Section, ...]]:
    """A page's gist as a plain tuple: naming its class would take longer than sending the rest."""
    url = Url(*address)
    capture = Capture(url, url, 200, headers, body, _NO_TIME)
    page = distill(capture, recipe, replace(options, fragments=fragments) if fragments else options)
    return (*page.gist,)
