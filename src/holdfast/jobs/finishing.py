"""What a finished crawl still wants, once it is known which pages there are: local links and `llms.txt`.

Which links can be local is known only when the last page is there. So the pages are made again from the
archive, with the links that the finished mirror gives them: the output stays a function of the responses.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.core.crawl.ending import Ending
from holdfast.core.crawl.order import Order
from holdfast.core.mirror_plan import Layout, NamePlan
from holdfast.formats.mirror_manifest import MANIFEST, read_manifest
from holdfast.jobs.mirror.closing import Summary
from holdfast.jobs.workshop import Workshop
from holdfast.ports import Mirror

__all__ = ["finish"]


async def finish(workshop: Workshop, folder: Mirror, order: Order, summary: Summary) -> None:
    """Make the folder what the settings ask for beyond the pages themselves."""
    settings = order.settings
    wanted = settings.links == "local" or settings.assets or settings.llms_txt
    if not wanted or summary.status != Ending.FINISHED or (summary.update is not None and summary.is_quiet):
        return
    from holdfast.jobs.rebuild import RebuildOrder, rebuild  # noqa: PLC0415 # lazy: most mirrors end above

    manifest = read_manifest(folder.read(MANIFEST) or b"")
    if isinstance(manifest, str):
        return
    layout = manifest["layout"]
    names = NamePlan(Layout(layout["name"]), layout["scheme"])
    await rebuild(replace(workshop, observer=_Silent()), folder, RebuildOrder(order, names))


class _Silent:
    """The pages were shown once; making them again is not worth a line each."""

    def notice(self, event: object) -> None:
        """Say nothing."""
