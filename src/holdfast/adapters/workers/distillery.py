"""Distilling in workers: the `Distiller` port."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapters.workers.pool import Workers
from holdfast.adapters.workers.process import Limits, Lost
from holdfast.core.capture import Capture
from holdfast.core.page import Page
from holdfast.core.recipe import Recipe
from holdfast.distill import DEFAULTS, DistillOptions, distill
from holdfast.ports import Undistilled

__all__ = ["Distillery"]


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
        self._recipe = recipe
        self._options = options

    async def distill(self, capture: Capture, fragments: frozenset[str] = frozenset()) -> Page | Undistilled:
        """A capture's page, or why there is none."""
        common = (self._recipe, self._options)
        try:
            return await self._workers.run(_distill_cited, capture, fragments, common=common)
        except Lost as lost:
            return Undistilled("crash" if lost.reason == "raised" else lost.reason, lost.detail)

    def close(self) -> None:
        """End the workers."""
        self._workers.close()


def _distill_cited(
    capture: Capture, fragments: frozenset[str], recipe: Recipe, options: DistillOptions
) -> Page:
    return distill(capture, recipe, replace(options, fragments=fragments))
