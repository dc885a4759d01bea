"""One fetch under way: where it has been, what it waited for. Becomes the outcome's `Trail`."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.core.capture import Capture, Failed, Failure, Hop, Trail, Wait
from holdfast.core.cookies import ChainCookies
from holdfast.core.redaction import redacted

__all__ = ["TrailBuilder"]


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
