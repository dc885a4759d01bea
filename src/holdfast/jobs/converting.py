"""Captures into pages, many at a time, handed out in the order they were asked for.

1. Rebuilding, reprocessing and verifying share this. It reads the archive and calls `refine`; it cannot ask
   the web: a session has no fetcher, and a contract forbids the import.
2. `refine` makes of a capture what the crawl needs of it: here, or in worker processes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from holdfast.core.base.errors import ArchiveError
from holdfast.core.base.values import dataclass
from holdfast.core.crawl.harvest import Harvest, HarvestRules, Unreadable
from holdfast.core.crawl.harvester import harvest
from holdfast.core.crawl.mirror_spec import Order, Standard
from holdfast.core.lineage.ledger_values import StoredPage
from holdfast.core.lineage.lineage import CaptureRecord
from holdfast.core.page.distill_options import DistillOptions
from holdfast.core.url.scope import Scope
from holdfast.core.web.capture import Capture

if TYPE_CHECKING:
    from holdfast.jobs.session import Session

Refine = Callable[[Capture, HarvestRules], Awaitable[Harvest | Unreadable]]
"""`harvest` somewhere else, with a limit on time and memory."""


async def refine_here(capture: Capture, rules: HarvestRules) -> Harvest:
    """`harvest` in this process, for a few pages."""
    return harvest(capture, rules)


def refine_with(run: Callable[..., Awaitable[Harvest]], lost: type[Exception]) -> Refine:
    """`harvest` by means of worker processes, which remember what calls have in common; `lost` is how they
    say that there is no result.
    """

    async def refine(capture: Capture, rules: HarvestRules) -> Harvest | Unreadable:
        try:
            return await run(harvest, capture, common=(rules,))
        except lost as error:
            return Unreadable(str(error))

    return refine


T = TypeVar("T")

MOST_BYTES: Final = 64_000_000
TOGETHER: Final = 4


@dataclass(frozen=True, slots=True)
class Converted(Generic[T]):
    """What was asked for, the capture, and what became of it; `flaw` says why there is nothing."""

    asked: T
    capture: Capture | None = None
    made: Harvest | None = None
    flaw: str | None = None


def rules_for(
    standard: Standard, options: DistillOptions, *, front_matter: bool = False, keep_links: bool = False
) -> HarvestRules:
    """Rules under which a capture is made the page that it was before."""
    return HarvestRules(
        standard=standard,
        scope=Scope(roots=()),
        follow=False,
        meta_robots=False,
        front_matter=front_matter,
        options=options,
        keep_links=keep_links,
    )


def page_rules(
    order: Order, local: Callable[[StoredPage], tuple[tuple[str, str], ...]]
) -> Callable[[StoredPage], HarvestRules]:
    """The rules under which each page of a mirror is made again: its own links, the mirror's options."""
    base = rules_for(order.standard, order.options, front_matter=order.has_front_matter)

    def rules(page: StoredPage) -> HarvestRules:
        links = local(page)
        return replace(base, options=replace(base.options, local=links)) if links else base

    return rules


async def converted(
    asked: Iterable[tuple[T, CaptureRecord]],
    session: Session,
    rules: Callable[[T], HarvestRules],
) -> AsyncIterator[Converted[T]]:
    """Each capture as a page, in order; `rules` may differ from page to page.

    What is under way is bounded in captures and in bytes. Behind a page that takes long there is enough for
    the other workers; they are handed what is read so far every few captures, also while results are there.
    """
    window: deque[tuple[int, asyncio.Task[Converted[T]]]] = deque()
    held = 0
    try:
        for number, (what, record) in enumerate(asked):
            capture = _read(session, record)
            size = len(capture.body) if isinstance(capture, Capture) else 0
            window.append((size, asyncio.create_task(_convert(what, capture, session.refine, rules(what)))))
            held += size
            if number % TOGETHER == 0:
                await asyncio.sleep(0)
            while window and (len(window) >= session.ahead or held > MOST_BYTES):
                size, task = window.popleft()
                held -= size
                yield await task
        while window:
            yield await window.popleft()[1]
    finally:
        for _, task in window:
            task.cancel()


def _read(session: Session, record: CaptureRecord) -> Capture | str:
    if record.ref is None:
        return "the archive never held it"
    try:
        return session.read(record.ref)
    except ArchiveError as error:
        return error.message


async def _convert(what: T, capture: Capture | str, refine: Refine, rules: HarvestRules) -> Converted[T]:
    if isinstance(capture, str):
        return Converted(what, flaw=capture)
    made = await refine(capture, rules)
    if isinstance(made, Unreadable):
        return Converted(what, capture, flaw=made.why)
    return Converted(what, capture, made)
