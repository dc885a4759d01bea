r"""The web by script: the `Fetcher` port without a network; virtual time; messages that are kept.

    web = MemoryFetcher(
        {
            "https://example.com/": Reply(b"<h1>Hello</h1>"),
            "https://example.com/old": Reply(status=301, headers=(("Location", "/new"),)),
            "https://example.com/shaky": [Fault(TimedOut("total", "…")), Reply(b"at last")],
            "https://example.com/robots.txt": Reply(b"User-agent: *\nDisallow: /private"),
        },
        clock=MemoryClock(),
    )

1. A URL has one answer or several; of several each is given once, in order, and the last for ever.
2. A URL without an answer is a 404. Without a robots.txt everything is allowed.
3. Scope, robots and redirects are decided by the same functions of `core` as in the real door. Politeness
   and retries are not played: a script says what the fetcher would come back with.
4. A reply with an `ETag` or a `Last-Modified` that the request names becomes a 304.
5. Virtual time passes when somebody sleeps, and takes none.
6. Messages are kept instead of sent.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from holdfast.core.base.values import dataclass
from holdfast.core.events.messages import Message
from holdfast.core.settings.receivers import Target
from holdfast.core.url.url import Url
from holdfast.core.web.capture import (
    Capture,
    Denial,
    Denied,
    Failed,
    Failure,
    Headers,
    Hop,
    Outcome,
    RedirectedAway,
    Trail,
    header,
)
from holdfast.core.web.outcome import REDIRECTS, BadHop, ForbiddenHop, conclude, next_hop
from holdfast.core.web.robots import PRODUCT, RobotsReport, RobotsState, origin_robots
from holdfast.core.web.robots_rules import RobotsRules

if TYPE_CHECKING:
    from holdfast.adapters.ports import Clock, FetchRequest

_MOST_HOPS = 10


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, after a delay."""

    body: bytes = b""
    status: int = 200
    headers: Headers = (("Content-Type", "text/html; charset=utf-8"),)
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """Any outcome at all, after a delay: a time-out, a reset, a deferral."""

    outcome: Outcome
    delay: float = 0.0


Script = Mapping[str, Reply | Fault | Sequence[Reply | Fault]]


class MemoryFetcher:
    """Answers from a script, and counts what it was asked."""

    def __init__(self, script: Script, clock: Clock) -> None:
        self._clock = clock
        self._answers: dict[str, list[Reply | Fault]] = {}
        self.requests: Counter[str] = Counter()
        self.order: list[str] = []
        for href, answers in script.items():
            self.put(href, answers)

    def put(self, href: str, answers: Reply | Fault | Sequence[Reply | Fault]) -> None:
        """Change what a URL answers from now on."""
        self._answers[href] = [answers] if isinstance(answers, (Reply, Fault)) else list(answers)

    async def fetch(self, request: FetchRequest) -> Outcome:
        """Answer from the script."""
        url = request.url
        hops: tuple[Hop, ...] = ()
        last: Capture | None = None
        while True:
            denied = self._denied(url, request)
            if denied is not None:
                return replace(denied, trail=Trail(hops, dead_end=last))
            answer = await self._answer(url)
            if isinstance(answer, Fault):
                return answer.outcome
            if answer.status not in REDIRECTS:
                return self._conclude(request, url, hops, answer)
            last = self._capture(request, url, hops, answer)
            onward = _onward(last, request)
            if not isinstance(onward, Hop):
                return onward
            hops = (*hops, onward)
            url = onward.location

    async def robots(self, url: Url, *, named_by_user: bool = False) -> RobotsReport:  # noqa: ARG002 - the port's
        """The scripted robots.txt of a URL's origin."""
        rules = self._rules(url)
        if rules is None:
            return RobotsReport(url.origin, RobotsState.ABSENT, "404")
        return RobotsReport(url.origin, RobotsState.READ, "200", rules.crawl_delay, rules.sitemaps)

    async def close(self) -> None:
        """There is nothing to close."""

    async def _answer(self, url: Url) -> Reply | Fault:
        self.requests[url.href] += 1
        self.order.append(url.href)
        answers = self._answers.get(url.href, [Reply(status=404)])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer.delay:
            await self._clock.sleep(answer.delay)
        return answer

    def _denied(self, url: Url, request: FetchRequest) -> Denied | None:
        reason = request.admit(url) if request.admit else None
        if reason is not None:
            return Denied(Denial.SCOPE, reason)
        rules = self._rules(url) if request.obey_robots else None
        verdict = rules.verdict(url.href) if rules else None
        return None if verdict is None or verdict.allowed else Denied(Denial.ROBOTS, verdict.rule)

    def _rules(self, url: Url) -> RobotsRules | None:
        answers = self._answers.get(origin_robots(url).href)
        if not answers or not isinstance(answers[0], Reply) or answers[0].status != 200:
            return None
        return RobotsRules.of_bytes(answers[0].body, PRODUCT)

    def _conclude(self, request: FetchRequest, url: Url, hops: tuple[Hop, ...], reply: Reply) -> Outcome:
        conditional = request.etag is not None or request.last_modified is not None
        same = (request.etag is not None and request.etag == header(reply.headers, "etag")) or (
            request.last_modified is not None
            and request.last_modified == header(reply.headers, "last-modified")
        )
        answer = replace(reply, status=304, body=b"") if same else reply
        capture = self._capture(request, url, hops, answer)
        return conclude(capture, Trail(hops, requests=len(hops) + 1), conditional=conditional)

    def _capture(self, request: FetchRequest, url: Url, hops: tuple[Hop, ...], reply: Reply) -> Capture:
        return Capture(
            request.url, url, reply.status, reply.headers, reply.body, fetched_at=self._clock.now(), hops=hops
        )


def _onward(met: Capture, request: FetchRequest) -> Hop | Outcome:
    hops = met.hops
    trail = Trail(hops, requests=len(hops) + 1, dead_end=met)
    match next_hop(met.final, met.status, header(met.headers, "location")):
        case BadHop(failure, detail):
            return Failed(failure, detail, transient=False, trail=trail)
        case ForbiddenHop(denial, detail):
            return Denied(denial, detail, trail)
        case Url() as target:
            hop = Hop(met.final, met.status, target, met.headers, met.body)
    trail = trail._replace(hops=(*hops, hop))
    if target.href in {request.url.href, *(passed.location.href for passed in hops)}:
        return Failed(Failure.REDIRECT_LOOP, f"back at {target.href}", transient=False, trail=trail)
    if len(trail.hops) > _MOST_HOPS:
        return Failed(Failure.TOO_MANY_REDIRECTS, f"more than {_MOST_HOPS}", transient=False, trail=trail)
    if request.admit and request.admit(target) is not None:
        return RedirectedAway(target, trail)
    return hop


_PATIENCE: Final = 8
"""Rounds of the loop that whatever was woken, or is ready, gets before time moves on."""


class MemoryClock:
    """The `Clock` port, a day in milliseconds.

    Sleepers wake one by one, in the order in which they are due, each once those before it have had their
    run. Time does not wait for sockets: a task that is busy with one finds that it has passed.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._elapsed = 0.0
        self._count = 0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._driven_by: asyncio.AbstractEventLoop | None = None

    def now(self) -> datetime:
        """The time of day."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Seconds slept so far."""
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        """Let virtual time pass."""
        loop = asyncio.get_running_loop()
        waker = loop.create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._elapsed + max(0.0, seconds), self._count, waker))
        if self._driven_by is not loop:
            self._driven_by = loop
            loop.call_soon(self._drive, loop, _PATIENCE)
        await waker

    def pass_time(self, seconds: float) -> None:
        """Let time pass without anybody sleeping."""
        self._elapsed += seconds

    def _drive(self, loop: asyncio.AbstractEventLoop, rounds: int) -> None:
        if rounds:
            loop.call_soon(self._drive, loop, rounds - 1)
            return
        while self._sleepers:
            due, _, waker = heapq.heappop(self._sleepers)
            if not waker.done():  # a sleeper that was cancelled is done
                self._elapsed = max(self._elapsed, due)
                waker.set_result(None)
                loop.call_soon(self._drive, loop, _PATIENCE)
                return
        self._driven_by = None


class MemoryMessenger:
    """The `Messenger` port; `trouble` is what every target answers for as long as it is set."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, Message]] = []
        self.tries = 0
        self.trouble = ""

    def deliver(self, target: Target, message: Message) -> str:
        """Keep a message, unless there is trouble."""
        self.tries += 1
        if not self.trouble:
            self.taken.append((target.name, message))
        return self.trouble
