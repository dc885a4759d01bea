"""The mirror job: its steps, in their order.

What takes the ledger runs on the scribe's thread.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from holdfast.core.base.errors import HoldfastError
from holdfast.core.crawl.decision import Ending
from holdfast.core.crawl.mirror_spec import Order
from holdfast.core.crawl.state import CrawlState
from holdfast.core.lineage.lineage import CrawlMarks, RunStatus, RunTally
from holdfast.core.mirror.checkpoint import PROCESSED, Checkpoint, read_processed
from holdfast.jobs.mirror.close_run import close_run, fetch_assets, write_first_manifest
from holdfast.jobs.mirror.crawl import Crawl
from holdfast.jobs.mirror.discovery import Discovery
from holdfast.jobs.mirror.obtain import PageAsking
from holdfast.jobs.mirror.opening import Opened, open_run, remember_names
from holdfast.jobs.mirror.summary import PlannedPage, Summary
from holdfast.jobs.mirror.updating import Updating

if TYPE_CHECKING:
    from holdfast.jobs.converting import Tools
    from holdfast.jobs.stop import Stop
    from holdfast.storage.ledger.ledger import Ledger

POLITE_WIDTH: Final = 4
"""Entries under way when the rate is limited: enough to convert one page while the next is fetched."""
WIDTH: Final = 64


async def mirror(order: Order, tools: Tools, stop: Stop, *, limited: bool) -> Summary:
    """Make or go on with a mirror; `limited`: requests are held to a rate."""
    ask = tools.scribe.ask
    opened = await _open(order, tools)
    if opened.manifest_is_missing or order.is_remade:
        await ask(lambda ledger, _: write_first_manifest(ledger, tools, opened))
    tools.tell("opened", run_id=opened.run.run_id, resumed=opened.resumed)
    try:
        return await _mirror(opened, tools, stop, limited=limited)
    except HoldfastError as error:
        now, run_id, words = tools.clock.now(), opened.run.run_id, error.message
        await ask(lambda ledger, _: ledger.runs.update_run(run_id, RunStatus.FAILED, now, trouble=words))
        raise


async def _mirror(opened: Opened, tools: Tools, stop: Stop, *, limited: bool) -> Summary:
    began, ask = tools.clock.monotonic(), tools.scribe.ask
    state, order = opened.state, opened.state.plan.order
    updating = Updating(tools, state, order.max_age) if order.settings.update else None
    ending = Ending.INTERRUPTED
    asking = PageAsking(tools.fetcher, state.plan)
    if state.progress.is_discovered or await _discover(tools, state, stop, asking):
        if state.progress.total:
            await ask(lambda ledger, _: remember_names(ledger, state.plan))
        width = POLITE_WIDTH if limited else WIDTH
        ending = await Crawl(tools, state, stop, asking, width=width, updating=updating).run()
    is_done = ending is Ending.FINISHED or (ending is Ending.MAX_PAGES and updating is not None)
    if is_done and order.settings.files.assets and not state.is_quiet:
        await fetch_assets(tools, state, stop)
    report = await ask(lambda ledger, _: updating.finish(ledger, ending)) if updating else None
    seconds = tools.clock.monotonic() - began
    return await ask(
        lambda ledger, _: close_run(
            ledger, tools, opened, ending, seconds, in_a_hurry=stop.now, update=report
        )
    )


async def preview(order: Order, tools: Tools) -> list[PlannedPage]:
    """URL and path of every first entry of a mirror that is not done; `tools` keep everything in memory.
    Lists are asked for, pages are not.
    """
    state = (await _open(order, tools)).state
    done = read_processed(tools.folder.pieces(PROCESSED))
    if isinstance(done, Checkpoint):
        state.plan = replace(state.plan, finished=done.urls)
    await Discovery(tools, state).run()
    plan = state.plan
    entries = await tools.scribe.ask(lambda ledger, _: list(ledger.frontier.entries(plan.run_id)))
    places = (plan.names.place(plan.canonical(entry.place)) for entry in entries)
    return [PlannedPage(e.fetch_url, place.path) for e, place in zip(entries, places, strict=True)]


async def _open(order: Order, tools: Tools) -> Opened:
    now = tools.clock.now()
    opened = await tools.scribe.ask(lambda ledger, _: open_run(ledger, tools.folder, order, now))
    for text in opened.warnings:
        tools.warn(text)
    return opened


async def _discover(tools: Tools, state: CrawlState, stop: Stop, asking: PageAsking) -> bool:
    """Fill the frontier; False when the user asked to stop meanwhile: the next start does it anew."""
    work = asyncio.create_task(Discovery(tools, state, asking.sitemaps).run())
    stop.wakers.append(work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        if not stop.soon:
            raise
        return False
    finally:
        stop.wakers.remove(work.cancel)
    progress, run_id, now = state.progress, state.plan.run_id, tools.clock.now()
    progress.is_discovered = True
    is_update = state.plan.order.settings.update
    found = RunTally(marks=CrawlMarks(is_discovered=True, follows=progress.follow, is_update=is_update))

    def note(ledger: Ledger) -> int:
        ledger.runs.update_run(run_id, RunStatus.RUNNING, now, found)
        return sum(ledger.frontier.count_entries(run_id).values())

    progress.total = await tools.scribe.ask(lambda ledger, _: note(ledger))
    tools.tell("frontier", total=progress.total, follow=progress.follow)
    return True
