"""Fetchers for tests: the real one, on a virtual clock. Time limits are wide: the machine may be busy."""

from __future__ import annotations

from contextlib import asynccontextmanager

import uvloop

from holdfast.adapters.fake_web import MemoryClock
from holdfast.adapters.http.fetcher import HttpFetcher
from holdfast.adapters.ports import FetchRequest
from holdfast.core.settings.field import group_with
from holdfast.core.settings.groups import FetchLimits, FetchPace, FetchSettings
from holdfast.core.url.url import Url, parse_url
from holdfast.core.web.capture import Denied, Failed, Outcome, TimedOut

MODEST = FetchSettings(
    pace=FetchPace(content_rate_limit=0),
    limits=FetchLimits(
        timeout=20.0,
        idle_timeout=10.0,
        connect_timeout=10.0,
        max_body_bytes=1_000_000,
        max_decoded_bytes=4_000_000,
    ),
)


def url(text: str) -> Url:
    parsed = parse_url(text)
    assert isinstance(parsed, Url), parsed
    return parsed


@asynccontextmanager
async def door(*named: str, clock=None, resolver=None, accesses=(), **settings):
    """A fetcher to whom these origins were named."""
    fetcher = HttpFetcher(
        group_with(MODEST, settings),
        clock or MemoryClock(),
        user_agent="holdfast/test",
        named=[url(text).origin for text in named],
        accesses=accesses,
        resolver=resolver,
        chance=lambda: 0.5,
    )
    try:
        yield fetcher
    finally:
        await fetcher.close()


def ask(text: str, **conditions) -> FetchRequest:
    return FetchRequest(url(text), **{"obey_robots": False, **conditions})


def label(outcome: Outcome) -> str:
    """An outcome in two words, as the table of faults has it."""
    name = type(outcome).__name__
    match outcome:
        case Denied(denial):
            return f"{name}: {denial}"
        case Failed(failure):
            return f"{name}: {failure}"
        case TimedOut(phase):
            return f"{name}: {phase}"
        case _:
            return name


def run(main):
    return uvloop.run(main)
