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
from holdfast.jobs.mirror.close_run import close_run, describe_mirror, fetch_assets, write_first_manifest
from holdfast.jobs.mirror.crawl import Crawl
from holdfast.jobs.mirror.discovery import Discovery
from holdfast.jobs.mirror.obtain import PageAsking
from holdfast.jobs.mirror.opening import Opened, open_run, remember_names
from holdfast.jobs.mirror.summary import PlannedPage, Summary
from holdfast.jobs.mirror.updating import Updating

if TYPE_CHECKING:
    from holdfast.adapters.ports import Fetcher, Mirror
    from holdfast.jobs.session import Session
    from holdfast.jobs.stop import Stop
    from holdfast.storage.ledger.ledger import Ledger

POLITE_WIDTH: Final = 4
"""Entries under way when the rate is limited: enough to convert one page while the next is fetched."""
WIDTH: Final = 64


async def mirror(
    order: Order, session: Session, fetcher: Fetcher, folder: Mirror, stop: Stop, *, limited: bool
) -> Summary:
    """Make or go on with a mirror; `limited`: requests are held to a rate."""
    ask = session.scribe.ask
    opened = await _open(order, session, folder)
    if opened.manifest_is_missing or order.is_remade or order.is_rescoped:
        await ask(lambda ledger, _: write_first_manifest(ledger, folder, opened))
    session.tell("opened", run_id=opened.run.run_id, resumed=opened.resumed)
    try:
        return await _mirror(opened, session, fetcher, folder, stop, limited=limited)
    except HoldfastError as error:
        now, run_id, words = session.clock.now(), opened.run.run_id, error.message
        await ask(lambda ledger, _: ledger.runs.update_run(run_id, RunStatus.FAILED, now, trouble=words))
        raise


async def _mirror(
    opened: Opened, session: Session, fetcher: Fetcher, folder: Mirror, stop: Stop, *, limited: bool
) -> Summary:
    began, ask = session.clock.monotonic(), session.scribe.ask
    state, order = opened.state, opened.state.plan.order
    updating = Updating(session, folder, state, order.max_age) if order.settings.update else None
    ending = Ending.INTERRUPTED
    asking = PageAsking(fetcher, state.plan)
    discovery = Discovery(session, fetcher, state, asking.sitemaps)
    if state.progress.is_discovered or await _discover(discovery, session, state, stop):
        if state.progress.total:
            await ask(lambda ledger, _: remember_names(ledger, state.plan))
        width = POLITE_WIDTH if limited else WIDTH
        ending = await Crawl(session, folder, state, stop, asking, width=width, updating=updating).run()
    is_done = ending is Ending.FINISHED or (ending is Ending.MAX_PAGES and updating is not None)
    if is_done and order.settings.files.assets and not state.is_quiet:
        await fetch_assets(session, fetcher, folder, state, stop)
    report = await ask(lambda ledger, _: updating.finish(ledger, ending)) if updating else None
    seconds = session.clock.monotonic() - began

    def close(ledger: Ledger) -> Summary:
        summary = close_run(ledger, session, folder, opened, ending, seconds, report)
        if not stop.now:
            describe_mirror(ledger, session, folder, opened, summary)
        return summary

    return await ask(lambda ledger, _: close(ledger))


async def preview(order: Order, session: Session, fetcher: Fetcher, folder: Mirror) -> list[PlannedPage]:
    """URL and path of every first entry of a mirror that is not done; all is kept in memory. Lists are asked
    for, pages are not.
    """
    state = (await _open(order, session, folder)).state
    done = read_processed(folder.pieces(PROCESSED))
    if isinstance(done, Checkpoint):
        state.plan = replace(state.plan, finished=done.urls)
    await Discovery(session, fetcher, state).run()
    plan = state.plan
    entries = await session.scribe.ask(lambda ledger, _: list(ledger.frontier.entries(plan.run_id)))
    places = (plan.names.place(plan.canonical(entry.place)) for entry in entries)
    return [PlannedPage(e.fetch_url, place.path) for e, place in zip(entries, places, strict=True)]


async def _open(order: Order, session: Session, folder: Mirror) -> Opened:
    now = session.clock.now()
    opened = await session.scribe.ask(lambda ledger, _: open_run(ledger, folder, order, now))
    for text in opened.warnings:
        session.warn(text)
    return opened


async def _discover(discovery: Discovery, session: Session, state: CrawlState, stop: Stop) -> bool:
    """Fill the frontier; False when the user asked to stop meanwhile: the next start does it anew."""
    work = asyncio.create_task(discovery.run())
    stop.wakers.append(work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        if not stop.soon:
            raise
        return False
    finally:
        stop.wakers.remove(work.cancel)
    progress, run_id, now = state.progress, state.plan.run_id, session.clock.now()
    progress.is_discovered = True
    is_update = state.plan.order.settings.update
    found = RunTally(marks=CrawlMarks(is_discovered=True, follows=progress.follow, is_update=is_update))

    def note(ledger: Ledger) -> int:
        ledger.runs.update_run(run_id, RunStatus.RUNNING, now, found)
        return sum(ledger.frontier.count_entries(run_id).values())

    progress.total = await session.scribe.ask(lambda ledger, _: note(ledger))
    session.tell("frontier", total=progress.total, follow=progress.follow)
    return True
