"""One fetch under way. What may be asked, when, and whether again is decided in `core`; here it is done.

For each hop, in this order:

    1. scope      the caller's `admit`; a redirect that it does not admit ends the fetch
    2. address    a literal address that is not public, unless the user named the origin
    3. robots     the origin's rules; `Crawl-delay` slows its host's lane
    4. turn       wait for the host's lane; a hold that is too long puts the URL off
    5. exchange   one request; the addresses of names are guarded where the connection is made
    6. again?     a host that asks to slow down holds its whole lane, and is asked again
    7. onward     a redirect starts over at 1, another host after a turn of its own; all else is the outcome

`TrailBuilder` is where a fetch has been and what it waited for: it becomes the outcome's `Trail`.
`FetchContext` is what all fetches share: the rules, the lanes, the pools, what is known of robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from holdfast.adapters.http.exchange import Answer, NoAnswer, Question, exchange
from holdfast.adapters.ports import FetchRequest
from holdfast.core.base.values import dataclass
from holdfast.core.settings.groups import FetchSettings
from holdfast.core.settings.origins import OriginAccess
from holdfast.core.url.redaction import redacted
from holdfast.core.url.url import Url
from holdfast.core.web.addresses import AddressKind, literal_kind
from holdfast.core.web.body import BodyLimits
from holdfast.core.web.capture import (
    Capture,
    Deferred,
    Denial,
    Denied,
    Failed,
    Failure,
    Hop,
    Outcome,
    RedirectedAway,
    TimedOut,
    Trail,
    Wait,
    header,
)
from holdfast.core.web.outcome import (
    REDIRECTS,
    BadHop,
    ChainCookies,
    ForbiddenHop,
    conclude,
    cookie_field,
    next_hop,
)
from holdfast.core.web.retry import (
    SLOWDOWN_STATUSES,
    AskAgain,
    Defer,
    GiveUp,
    RetryRules,
    Slowdown,
    decide,
    slowdown,
)
from holdfast.core.web.robots import MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS, RobotsState, origin_robots

if TYPE_CHECKING:
    from holdfast.adapters.http.connections import Pools
    from holdfast.adapters.http.host_turns import HostTurns
    from holdfast.adapters.http.robots_cache import KnownRobots, RobotsCache
    from holdfast.adapters.ports import Clock


@dataclass(frozen=True, slots=True)
class FetchContext:
    """The parts of one fetcher."""

    settings: FetchSettings
    clock: Clock
    chance: Callable[[], float]
    turns: HostTurns
    robots: RobotsCache
    pools: Pools
    retry: RetryRules
    named: frozenset[str]
    headers: Mapping[str, str]
    accesses: Mapping[str, OriginAccess] = field(repr=False)

    def trusts(self, origin: str, *, named: bool) -> bool:
        """Whether an origin may have a private address."""
        return named or self.settings.allow_private or origin in self.named


@dataclass(frozen=True, slots=True)
class FetchTerms:
    """What stays the same on every hop of one fetch."""

    headers: Mapping[str, str]
    limits: BodyLimits
    max_redirects: int
    obey_robots: bool
    conditional: bool = False


class TrailBuilder:
    """What happened so far."""

    __slots__ = ("_asked", "address", "cookies", "hops", "last_redirect", "requests", "robots_rule", "waits")

    def __init__(self) -> None:
        self.hops: tuple[Hop, ...] = ()
        self.last_redirect: Capture | None = None
        self.waits: tuple[Wait, ...] = ()
        self.requests = 0
        self.robots_rule: str | None = None
        self.address: str | None = None
        self.cookies: ChainCookies | None = None
        self._asked: set[tuple[str, object]] = set()

    def tell(self, wait: Wait) -> None:
        """Remember a wait."""
        self.waits = (*self.waits, wait)

    def built(self) -> Trail:
        """The way to an answer."""
        return Trail(self.hops, self.waits, self.requests, self.robots_rule, self.address)

    def dead_end(self) -> Trail:
        """The way to where no answer was, with the last that there was."""
        return self.built()._replace(dead_end=self.last_redirect)

    def follow(self, hop: Hop, set_cookies: Iterable[str], most: int) -> Failed | None:
        """Take a hop, or say why it is one too many."""
        target = hop.location
        if self.cookies is None:
            self.cookies = ChainCookies()
            self._asked.add((hop.url.href, ()))
        self.cookies.take(hop.url.origin, set_cookies)
        self.hops = (*self.hops, hop)
        question = (target.href, self.cookies.of(target.origin))
        if question in self._asked:
            return Failed(Failure.REDIRECT_LOOP, f"back at {redacted(target)}", transient=False)
        if len(self.hops) > most:
            return Failed(Failure.TOO_MANY_REDIRECTS, f"more than {most} redirects", transient=False)
        self._asked.add(question)
        return None


_ROBOTS_LIMITS = BodyLimits(sent=MAX_ROBOTS_BYTES, decoded=MAX_ROBOTS_BYTES, ratio=float("inf"), cut=True)

_FAR_OFF: Final = 4e9
"""A century and more, in seconds: dates end somewhere."""

Ending = Denied | Failed | TimedOut | Deferred
"""How a fetch ends without a response to judge."""


@dataclass(slots=True)
class _Tries:
    """How often one URL was put off, and for how long."""

    slowdowns: int = 0
    waited: float = 0.0
    revived: bool = False


class Fetching:
    """From a request to its outcome."""

    __slots__ = ("_access", "_context", "_origin", "_request", "_terms", "_trail", "_trusted", "_url")

    def __init__(self, context: FetchContext, request: FetchRequest, terms: FetchTerms) -> None:
        self._context = context
        self._request = request
        self._terms = terms
        self._trail = TrailBuilder()
        self._stand_at(request.url)

    async def outcome(self) -> Outcome:
        """Follow it to the end."""
        while True:
            ending = self._forbidden() or await self._forbidden_by_robots()
            if ending is not None:
                return replace(ending, trail=self._trail.dead_end())
            answer = await self._ask()
            if not isinstance(answer, Answer):
                return replace(answer, trail=self._trail.dead_end())
            if answer.status not in REDIRECTS:
                conditional = self._terms.conditional
                return conclude(self._capture(answer), self._trail.built(), conditional=conditional)
            before = self._url.host
            ended = self._onward(answer) or await self._turn_after(before)
            if ended is not None:
                return replace(ended, trail=self._trail.dead_end())

    def _stand_at(self, url: Url) -> None:
        self._url = url
        self._origin = url.origin
        named = self._request.named_by_user and self._origin == self._request.url.origin
        self._trusted = self._context.trusts(self._origin, named=named)
        self._access = self._context.accesses.get(self._origin)

    def _forbidden(self) -> Denied | None:
        admit = self._request.admit
        reason = admit(self._url) if admit is not None else None
        if reason is not None:
            return Denied(Denial.SCOPE, reason)
        if not self._trusted:
            kind = literal_kind(self._url.host)
            if kind is not None and kind is not AddressKind.PUBLIC:
                return Denied(Denial.ADDRESS, f"{self._url.host} is {kind}")
        return None

    async def _forbidden_by_robots(self) -> Ending | None:
        if not self._terms.obey_robots:
            return None
        known = self._context.robots.known(self._origin)
        if known is None:
            known = await learn_robots(self._context, self._url, trusted=self._trusted)
        if known.unreached is not None:
            return known.unreached
        if known.report.state is RobotsState.UNREACHABLE:
            detail = f"{self._origin}/robots.txt: {known.report.detail}"
            return Failed(Failure.ROBOTS_UNAVAILABLE, detail, transient=True)
        if known.rules is None:
            self._trail.robots_rule = "no robots.txt"
            return None
        if known.report.crawl_delay:
            self._context.turns.slow_to(self._url.host, known.report.crawl_delay)
        verdict = known.rules.verdict(self._url.href)
        self._trail.robots_rule = verdict.rule
        return (
            None if verdict.allowed else Denied(Denial.ROBOTS, f"{verdict.rule} ({self._origin}/robots.txt)")
        )

    async def _ask(self) -> Answer | Ending:
        """Ask until there is an answer to judge: again after a slowdown, and once after a dead connection."""
        turns, host = self._context.turns, self._url.host
        tries = _Tries()
        while True:
            held = await turns.enter(host, self._trail.tell)
            if held is not None:
                return self._deferred(held, f"{host} is held")
            try:
                # A hold must stand before the turn is given back, or the next in line would slip past it.
                ending = self._judge(await self._exchange(), tries)
            finally:
                turns.leave(host)
            if ending is not None:
                return ending

    async def _exchange(self) -> Answer | NoAnswer:
        context, trail = self._context, self._trail
        question = self._question()
        met = await exchange(context.pools, question)
        if not isinstance(met, NoAnswer) or met.sent:
            trail.requests += 1
            trail.address = context.pools.peer_of(self._url, guarded=question.guarded)
        return met

    def _judge(self, met: Answer | NoAnswer, tries: _Tries) -> Answer | Ending | None:
        """What a request came to; None where it is to be asked again."""
        if isinstance(met, NoAnswer):
            if not met.unanswered or tries.revived:
                return met.outcome
            tries.revived = True  # a kept connection may have been closed under us; that is nobody's failure
            return None
        if met.status not in SLOWDOWN_STATUSES:
            return met
        context, host = self._context, self._url.host
        slow, asked = slowdown(met.status, header(met.headers, "retry-after"), context.clock.now())
        if not slow:
            return met
        match decide(context.retry, Slowdown(asked, tries.slowdowns, tries.waited), context.chance()):
            case AskAgain(seconds, reason):
                context.turns.hold(host, seconds, reason)
                tries.slowdowns += 1
                tries.waited += seconds
                return None
            case Defer(seconds):
                context.turns.hold(host, seconds, "retry-after")
                return self._deferred(seconds, f"{host} answered {met.status}")
            case GiveUp(detail):
                capture = self._capture(met)
                return Failed(
                    Failure.RATE_LIMITED, f"{met.status}: {detail}", transient=True, capture=capture
                )

    def _question(self) -> Question:
        context, terms, access = self._context, self._terms, self._access
        proxy = access.proxy if access is not None and access.proxy else context.settings.proxy
        secrets = dict(access.headers) if access is not None else {}
        cookies = access.cookies if access is not None else ()
        if self._trail.cookies is not None:
            cookies = (*cookies, *self._trail.cookies.of(self._origin))
        if cookies:
            secrets["Cookie"] = cookie_field(dict(cookies).items())
        # Behind a proxy the peer is the proxy, which the user named; the name is resolved there.
        guarded = not self._trusted and proxy is None
        target = self._url.target
        return Question(self._origin, target, terms.headers, terms.limits, secrets, proxy, guarded)

    def _onward(self, answer: Answer) -> Denied | Failed | RedirectedAway | None:
        self._trail.last_redirect = self._capture(answer)
        match next_hop(self._url, answer.status, header(answer.headers, "location")):
            case BadHop(failure, detail):
                return Failed(failure, detail, transient=False)
            case ForbiddenHop(denial, detail):
                return Denied(denial, detail)
            case Url() as target:
                hop = Hop(self._url, answer.status, target, answer.headers, answer.body)
        set_cookies = [value for name, value in answer.headers if name.lower() == "set-cookie"]
        failed = self._trail.follow(hop, set_cookies, self._terms.max_redirects)
        if failed is not None:
            return failed
        admit = self._request.admit
        if admit is not None and admit(target) is not None:
            return RedirectedAway(target, self._trail.built())
        self._stand_at(target)
        return None

    async def _turn_after(self, before: str) -> Deferred | None:
        """Wait for the turn of the host that a redirect led to, where the caller keeps turns."""
        turn, host = self._request.turn, self._url.host
        held = await turn(host) if turn is not None and host != before else None
        return self._deferred(held, f"{host} is held") if held is not None else None

    def _capture(self, answer: Answer) -> Capture:
        return Capture(
            requested=self._request.url,
            final=self._url,
            status=answer.status,
            headers=answer.headers,
            body=answer.body or b"",
            fetched_at=self._context.clock.now(),
            hops=self._trail.hops,
            request_headers=tuple(self._terms.headers.items()),
            http_version=answer.http_version,
            is_cut=answer.body is None,
        )

    def _deferred(self, seconds: float, why: str) -> Deferred:
        until = self._context.clock.now() + timedelta(seconds=min(seconds, _FAR_OFF))
        return Deferred(until, f"{why} and asks to be left alone for {seconds:.0f} s")


async def learn_robots(context: FetchContext, url: Url, *, trusted: bool) -> KnownRobots:
    """The robots.txt of a URL's origin, asked for like any other URL, once."""
    request = FetchRequest(origin_robots(url), named_by_user=trusted)
    terms = FetchTerms(context.headers, _ROBOTS_LIMITS, MAX_ROBOTS_REDIRECTS, obey_robots=False)
    return await context.robots.learn(url.origin, lambda: Fetching(context, request, terms).outcome())
