"""The sections of items that an earlier Holdfast made without (SCT-2): read from the archive, written beside.

An item is its text, which stays: only what it is made of is added, once. Stopped, it goes on the next time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from holdfast.core.crawl.harvest import HarvestRules
from holdfast.core.ledger import RunRecord
from holdfast.core.lineage import CaptureRecord, Item
from holdfast.core.progress import Progress
from holdfast.core.redaction import shown
from holdfast.core.section import KeptSection
from holdfast.jobs.conversion import converted
from holdfast.jobs.offline_tools import OfflineTools
from holdfast.jobs.stop import Stop
from holdfast.ports import Archive, Ledger

__all__ = ["Filled", "fill_sections"]

BATCH: Final = 200


class Filled(NamedTuple):
    """Of how many items without sections these were written; which could not be read, each with why."""

    items: int
    written: int
    failed: tuple[tuple[str, str], ...] = ()


async def fill_sections(tools: OfflineTools, run: RunRecord, rules: HarvestRules, stop: Stop) -> Filled:
    """Write the sections of a run's items that have none."""
    unread = tools.ask(lambda ledger, _: ledger.sections.unread(run.run.run_id))
    began = tools.clock.monotonic()
    found: dict[str, tuple[KeptSection, ...]] = {}
    failed: list[tuple[str, str]] = []
    written = number = 0
    async for page in converted(_bodies(tools, unread), tools, lambda _: rules):
        if stop.soon:
            break
        number += 1
        url = shown(page.asked.place.url)
        tools.tell("processing", number=number, total=len(unread), url=url)
        if page.made is None or page.made.skip is not None:
            failed.append((url, page.flaw or (page.made.skip if page.made else None) or "no page"))
        else:
            found[page.asked.item_id] = page.made.content.sections
        elapsed = tools.clock.monotonic() - began
        progress = Progress(number, len(unread), number, elapsed)
        tools.tell("processed", progress=progress, outcomes={"failed": len(failed)})
        if len(found) >= BATCH:
            written += _fill(tools, found)
            found = {}
    if found:
        written += _fill(tools, found)
    return Filled(len(unread), written, tuple(failed))


def _bodies(tools: OfflineTools, items: tuple[Item, ...]) -> Iterator[tuple[Item, CaptureRecord]]:
    """Items, each with the capture that brought it."""
    for item in items:
        if (capture := tools.ask(partial(_brought, item))) is not None:
            yield item, capture


def _brought(item: Item, ledger: Ledger, _: Archive) -> CaptureRecord | None:
    seen = ledger.history.of_url(item.place.web_key, item.recipe)
    return next((o.capture for o in seen if o.capture.capture_id == item.capture_id), None)


def _fill(tools: OfflineTools, found: Mapping[str, tuple[KeptSection, ...]]) -> int:
    return tools.ask(lambda ledger, _: ledger.sections.fill(found))
