"""A mirror is started: its workers first, which make ready while the rest is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.jobs.mirror_place import MirrorRequest, mirror_state_of
from holdfast.jobs.workers import start_workers

if TYPE_CHECKING:
    from holdfast.adapters.ports import Observer
    from holdfast.jobs.mirror.summary import Summary
    from holdfast.jobs.stop import Stop


async def make_mirror(request: MirrorRequest, observer: Observer, stop: Stop) -> Summary:
    """Make a mirror, or go on with one. Of a new one every page has to be read; where requests are held to a
    rate, one worker is done with a page before the next one comes.
    """
    settings = request.settings
    state, is_limited = mirror_state_of(request.output, settings), settings.fetch.pace.content_rate_limit > 0
    first = 0 if state.exists() else 1 if is_limited else None
    with start_workers(settings, first=first) as workers:
        from holdfast.jobs.mirror.spec_from_settings import mirror_with  # noqa: PLC0415 - workers start first

        return await mirror_with(workers, request, state, observer, stop)
