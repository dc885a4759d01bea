"""Distilling in workers: the `Distiller` port."""

from __future__ import annotations

from holdfast.adapters.ports import Undistilled
from holdfast.adapters.workers.cited import distill_cited
from holdfast.adapters.workers.pool import Workers
from holdfast.adapters.workers.process import Limits, Lost
from holdfast.core.page.distill_options import DEFAULTS, DistillOptions
from holdfast.core.page.page import Gist
from holdfast.core.page.section import KeptSection
from holdfast.core.url.policy import Recipe
from holdfast.core.web.capture import Capture


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
            gist = await self._workers.run(distill_cited, *values, common=self._common)
        except Lost as lost:
            return Undistilled("crash" if lost.reason == "raised" else lost.reason, lost.detail)
        content, title, warnings, sections, outline = gist
        return Gist(content, title, warnings, sections, tuple(map(KeptSection._make, outline)))

    def close(self) -> None:
        """End the workers."""
        self._workers.close()
